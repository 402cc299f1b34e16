internal import AudioPipe
internal import CallSignal
internal import Chat
internal import CommandLine
internal import Mesh
internal import SoundProcess
internal import Terminal
internal import Wire

// The sound of the call that is on. It is a process of its own: whatever comes of it, the call and
// the node go on.

extension Node {
  /// The sound follows the call: it begins when both can speak and ends with it.
  func followWithSound(_ report: CallReport) {
    switch report.state {
    case .calling, .ringing: break
    case .connected(let road):
      if tally == nil {
        tally = CallTally(at: clock.now)
        if echo == nil { sound?.begin() }
      }
      tally?.carried(by: road, at: clock.now)
    case .ended:
      tally = nil
      sound?.end()
    }
  }

  /// Takes in what the audio process says.
  func take(_ news: SoundNews) {
    guard let call = mesh.call, case .connected(let road) = call.state, !isStopped else { return }
    switch news {
    case .ready(let ready):
      log(.info, "sound: \(DisplayText(ready.capture)) to \(DisplayText(ready.playback))")
    case .frame(let opus):
      // No device is as fast as that; and whoever took the process over must not flood the other.
      guard voiceShare.take(at: clock.now) else { return }
      mesh.speak(opus, at: clock.moment)
      carryOut()
    case .statistics(let statistics):
      tally?.note(statistics)
      front.show(.quality(CallQuality(statistics, with: call.party.fingerprint, on: road)))
    case .notice(let notice, let text): tell(notice, text)
    case .restarted(let reason): warnOfSound("restarted", "the sound was started again: \(reason)")
    case .gone(let reason): warnOfSound("gone", "the call goes on without sound: \(reason)")
    }
  }

  private func tell(_ notice: AudioNotice, _ text: String) {
    let words =
      switch notice {
      case .captureGone: "the microphone is gone: the other side hears silence until it is back"
      case .captureBack: "the microphone is back"
      case .playbackGone: "what the other side says cannot be played until the device is back"
      case .playbackBack: "the other side can be heard again"
      case .cancellerOff: "the echo canceller made things worse and is off for this call"
      case .systemCancels: "the system takes the echo out by itself"
      case .noDevice: "there is no sound device: the call is silent until there is one"
      case .fileFailed: "the sound file fails"
      }
    let detail = text.isEmpty ? "" : " (\(text))"
    switch notice {
    case .systemCancels: log(.info, "\(words)\(DisplayText(detail))")
    case .captureGone, .captureBack, .playbackGone, .playbackBack, .cancellerOff, .noDevice,
      .fileFailed:
      warnOfSound(notice.code, words + detail)
    }
  }

  /// The text may be the audio process's: the front ends make it harmless.
  private func warnOfSound(_ code: String, _ text: String) {
    front.show(.warning(.sound(code: code, text: text)))
  }
}
