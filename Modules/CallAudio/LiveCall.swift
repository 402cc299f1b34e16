internal import AudioPipe
internal import CommandLine
internal import EventLoop
internal import Glibc
internal import VoiceCodec
internal import Wire

/// A call's sound at work: between the pipe to airlink-node and a port.
@MainActor final class LiveCall {
  static let statisticsPeriod: Duration = .seconds(2)

  private let engine: CallEngine
  private let port: any CallPort
  private let echo: AudioReady.Echo
  private var pipe: AudioEnd?
  private var statistics: Ticker?
  private var processorTime: Duration = .zero
  private var hasToldOfCanceller = false
  private let ended: @MainActor (ExitCode) -> Void

  /// `ended` is called once, when all is done; not when `start` throws.
  init(
    engine: CallEngine, port: any CallPort, echo: AudioReady.Echo,
    ended: @escaping @MainActor (ExitCode) -> Void
  ) {
    self.engine = engine
    self.port = port
    self.echo = echo
    self.ended = ended
  }

  /// Begins; the descriptor is owned from now on.
  func start(pipe descriptor: CInt) throws {
    pipe = AudioEnd(
      owning: descriptor, receive: { [weak self] in self?.take($0) },
      closed: { [weak self] in self?.finish(.done) })
    guard pipe != nil else { throw Failure("descriptor \(descriptor) leads to no airlink-node") }
    do {
      processorTime = Self.processorTime
      guard let ticker = Ticker(every: Self.statisticsPeriod, { [weak self] _ in self?.report() })
      else { throw Failure("no descriptor left") }
      statistics = ticker
      try port.start(self)
      pipe?.send(
        .ready(
          AudioReady(echo: echo, capture: port.captureName, playback: port.playbackName)))
      if echo == .system {
        tell(.systemCancels, "the system's source takes the echo out")
      }
    } catch {
      pipe?.send(.ended(hasFailed: true, text: Self.words(error)))
      close()
      throw error
    }
  }

  /// Tells airlink-node why there is no sound.
  static func refuse(_ descriptor: CInt, _ error: any Error) {
    let end = AudioEnd(owning: descriptor, receive: { _ in }, closed: {})
    end?.send(.ended(hasFailed: true, text: words(error)))
    end?.close()
  }

  private static func words(_ error: any Error) -> String {
    (error as? Failure)?.message ?? "\(error)"
  }

  private func take(_ message: NodeMessage) {
    switch message {
    case .frame(let sequence, let opus): engine.receive(sequence, opus, at: Self.now)
    case .mute(let isOn): engine.isMuted = isOn
    case .stop: finish(.done)
    }
  }

  // MARK: What a port calls

  static var now: Instant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// The next 20 ms to be played.
  ///
  /// `moment` moves evenly, by 20 ms each time: what a device is early or late by must not look like
  /// jitter of the road.
  func play(into samples: inout [Float], at moment: Instant) {
    engine.play(into: &samples, at: moment)
  }

  /// 20 ms have gone by in which nothing could be played.
  func skip(at moment: Instant) { engine.skip(at: moment) }

  /// Sends 20 ms of what the microphone heard while the loudspeaker played `farEnd`.
  func send(_ microphone: [Float], farEnd: [Float]) {
    send { () throws(VoiceCodecError) in try engine.code(microphone, farEnd: farEnd) }
    guard engine.hasCancellerGivenUp, !hasToldOfCanceller else { return }
    hasToldOfCanceller = true
    tell(.cancellerOff, "the echo canceller made things worse and is off")
  }

  /// Sends 20 ms in which the microphone gave nothing.
  func sendSilence() { send { () throws(VoiceCodecError) in try engine.codeSilence() } }

  private func send(_ code: () throws(VoiceCodecError) -> [UInt8]) {
    do throws(VoiceCodecError) {
      pipe?.send(.frame(try code()))
    } catch {
      finish(.failed, text: "\(error)")
    }
  }

  func tell(_ notice: AudioNotice, _ text: String) { pipe?.send(.notice(notice, text)) }

  // MARK: Figures and end

  private func report() {
    var figures = engine.takeStatistics()
    port.describe(&figures)
    let used = Self.processorTime
    figures.processorPercent = 100 * ((used - processorTime) / Self.statisticsPeriod)
    processorTime = used
    pipe?.send(.statistics(figures))
  }

  private static var processorTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// Ends the call's sound; what is under way is finished.
  func finish(_ code: ExitCode, text: String = "") {
    guard pipe != nil else { return }
    port.stop()
    report()
    pipe?.send(.ended(hasFailed: code != .done, text: text))
    close()
    ended(code)
  }

  private func close() {
    statistics?.stop()
    statistics = nil
    pipe?.close()
    pipe = nil
  }
}
