internal import CommandLine
internal import EventLoop
internal import Glibc
internal import Sound
internal import SoundCard

extension CallAudio {
  /// `loopback`: the microphone into the loudspeaker; ends the process unless it throws.
  @MainActor func loopback() throws {
    let loopback = Loopback(
      device: arguments[Self.device, default: "default"],
      seconds: arguments[Self.seconds, default: 10], json: arguments[Common.json],
      console: console
    ) { exit($0.rawValue) }
    EventLoop.main.run {
      do { try loopback.start() } catch { exit(console.report(error).rawValue) }
    }
  }
}

/// Plays what is heard, and says how loud and how late.
@MainActor private final class Loopback {
  /// Samples between microphone and loudspeaker: 20 ms in hand.
  private static let inHand = 480
  private static let mostInHand = 2_400

  private let console: Console
  private let json: Bool
  private let ended: @MainActor (ExitCode) -> Void
  private var left: Int
  private let device: String
  private var bell: Doorbell?
  private var ticker: Ticker?
  private var threads: (capture: CardThread, playback: CardThread)?
  private var meter = LevelMeter()
  private var block = [Float](repeating: 0, count: 240)

  init(
    device: String, seconds: Int, json: Bool, console: Console,
    ended: @escaping @MainActor (ExitCode) -> Void
  ) {
    (self.device, left, self.json, self.console) = (device, seconds, json, console)
    self.ended = ended
  }

  func start() throws {
    bell = Doorbell { [weak self] in self?.carry() }
    ticker = Ticker(every: .seconds(1)) { [weak self] _ in self?.tell() }
    guard let bell, ticker != nil else { throw Failure("no descriptor left") }
    let made = (
      capture: CardThread(device, .capture, button: bell.button),
      playback: CardThread(device, .playback, button: bell.button)
    )
    guard made.capture.start(), made.playback.start() else { throw Failure("no thread left") }
    threads = made
  }

  private func carry() {
    guard let (capture, playback) = threads else { return }
    if let error = capture.report.error ?? playback.report.error {
      console.error(
        "\(quoted(device)): \(error)", hints: ["airlink-callaudio devices lists them"])
      return end(.failed)
    }
    if capture.ring.count > Self.mostInHand {
      _ = capture.ring.discard(capture.ring.count - Self.inHand)
    }
    while capture.ring.count >= block.count, playback.ring.count < Self.inHand {
      do {
        var room = block.mutableSpan
        _ = capture.ring.pop(into: &room)
      }
      let heard = block
      meter.note(heard.span)
      _ = playback.ring.push(heard.span)
    }
  }

  private func tell() {
    guard let (capture, playback) = threads else { return }
    let (recording, playing) = (capture.report, playback.report)
    let level = meter.take()
    var delay: Double?
    if let before = recording.position, let behind = playing.position {
      delay =
        (before.delay + behind.delay + Double(capture.ring.count + playback.ring.count)) / 24
    }
    let underruns = recording.underruns + playing.underruns
    do throws(WriteError) {
      if json {
        try console.print([
          "event": "loopback", "delayMs": delay.map { .double(rounded($0, 10)) } ?? .null,
          "levelDBFS": level.map { .double(rounded($0.rms, 10)) } ?? .null,
          "peakDBFS": level.map { .double(rounded($0.peak, 10)) } ?? .null,
          "underruns": .count(underruns),
        ])
      } else {
        let words = [
          level.map { "level \(tenths($0.rms)) dB, peak \(tenths($0.peak)) dB" } ?? "no sound",
          delay.map { "delay \(tenths($0)) ms" }, "\(underruns) underruns",
        ]
        try console.print(words.compactMap { $0 }.joined(separator: ", "))
      }
    } catch {
      return end(error == .closed ? .done : .failed)
    }
    left -= 1
    if left <= 0 { end(.done) }
  }

  private func end(_ code: ExitCode) {
    threads?.capture.stop()
    threads?.playback.stop()
    threads = nil
    ticker?.stop()
    bell?.close()
    ended(code)
  }
}
