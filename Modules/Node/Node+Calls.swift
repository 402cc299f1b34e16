internal import CallSignal
internal import Chat
internal import Mesh
internal import Terminal
public import Wire

extension Node: DirectRoadObserver {
  /// Notes where the call stands.
  private func note(_ report: CallReport) {
    switch report.state {
    case .calling: isCallee = false
    case .ringing: isCallee = true
    case .connected: break
    case .ended: isMuted = false
    }
  }

  /// Carries out an effect of a call.
  func carryOutCall(_ effect: MeshEffect) {
    switch effect {
    case .call(let report):
      note(report)
      let summary = report.isEnded ? tally?.summary(at: clock.now) : nil
      front.show(.call(CallStatus(report, summary)))
      followWithSound(report)
      ringOnDesktop(report)
      answerByItself(report)
    case .offerDirectRoad(let nonce): directRoad?.offer(nonce)
    case .joinDirectRoad(let nonce): directRoad?.join(nonce)
    case .leaveDirectRoad: directRoad?.leave()
    case .sendDirectly(let frame): directRoad?.send(frame)
    case .play(let sequence, let opus):
      sound?.play(sequence: sequence, opus: opus)
      returnFrame(opus)
    case .send, .close, .show, .remember, .state, .person, .claimed, .contacts, .warning: break
    }
  }

  /// Answers a call that rings, where the node does that by itself.
  ///
  /// No act of the user's: the caller's keys are not pinned by it.
  private func answerByItself(_ report: CallReport) {
    guard answersCalls, report.state == .ringing else { return }
    try? mesh.answerCall(report.nonce, isOwnAct: false, at: clock.moment)
  }

  /// Sends a text back to who wrote it, where the node is an echo.
  func returnText(_ text: ReceivedText) {
    guard echo?.answers(text.text, from: text.fingerprint, at: clock.now) == true else { return }
    do throws(MeshRefusal) {
      _ = try mesh.send(
        text.text, to: text.fingerprint.number, fingerprint: text.fingerprint, isOwnAct: false,
        at: clock.moment)
    } catch {
      log(.info, "a text was not returned: \(ChatError(error).message)")
    }
  }

  /// Sends a frame back to who spoke, where the node is an echo and was called.
  private func returnFrame(_ opus: [UInt8]) {
    guard isCallee, !isMuted, echo?.returnsFrame(at: clock.now) == true else { return }
    mesh.speak(opus, at: clock.moment)
  }

  /// Silences our own side of the call, or lets it be heard again.
  func mute(_ isMuted: Bool) throws(MeshRefusal) {
    guard case .connected? = mesh.call?.state else { throw .noCall }
    self.isMuted = isMuted
    sound?.mute(isMuted)
  }

  public func directRoad(received datagram: RawSpan) -> DirectEvidence {
    let evidence = mesh.receiveDirectly(datagram, at: clock.moment)
    carryOut()
    return evidence
  }

  public func directRoad(hasAddress: Bool) {
    mesh.directAddress(isKnown: hasAddress, at: clock.moment)
    carryOut()
  }
}

extension CallReport {
  fileprivate var isEnded: Bool { if case .ended = state { true } else { false } }
}
