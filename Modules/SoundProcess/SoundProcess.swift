public import AudioPipe
internal import EventLoop
internal import Glibc

/// What becomes known of the sound of a call.
public enum SoundNews: Hashable, Sendable {
  /// What carries it, at each start.
  case ready(AudioReady)
  /// 20 ms of our own side, coded.
  case frame([UInt8])
  case statistics(AudioStatistics)
  /// The text is the other process's.
  case notice(AudioNotice, String)
  /// It ended by itself, and was started again.
  case restarted(because: String)
  /// It ended by itself again, or could not be started: the call goes on without sound.
  case gone(because: String)
}

/// The sound of calls: airlink-callaudio, one process for each call.
///
/// However it ends, the node goes on. A process that crashes or hangs is started again once in a
/// call. Nothing of a call stays: no process, no zombie, no descriptor.
@MainActor
public final class SoundProcess {
  /// How long a process has to leave by itself.
  static let grace = Duration.seconds(2)
  /// How long it may say nothing, when it should report every 2 s.
  static let patience = Duration.seconds(8)
  /// How long our own process waits for it when it ends itself.
  static let graceAtEnd = Duration.seconds(1)

  public var told: (SoundNews) -> Void = { _ in }
  private let program: SoundProgram
  private let environment: [String: String]

  /// What there is while a call has sound.
  private struct Running {
    let child: ChildProcess
    let pipe: NodeEnd
    let number: Int
    var heard = false
    /// The reason that it gave for its end.
    var ending: String?
  }

  private var running: Running?
  /// Processes that were told to leave, by number.
  private var leaving: [Int: Running] = [:]
  private var lastNumber = 0
  private var isWanted = false
  private var isMuted = false
  private var hasRestarted = false
  private var watchdog: EventLoop.Timer?
  private var dropped = 0

  public init(_ program: SoundProgram, environment: [String: String]) {
    self.program = program
    self.environment = environment
  }

  /// Frames that the process was too slow to take, and processes that are there now.
  public var statistics: [(name: String, value: Int)] {
    [
      ("dropped-frames", dropped + (running?.pipe.counts.droppedVoice ?? 0)),
      ("processes", leaving.count + (running == nil ? 0 : 1)),
    ]
  }

  // MARK: A call

  /// The sound of a call begins; what there was of another ends first.
  public func begin() {
    end()
    isWanted = true
    isMuted = false
    hasRestarted = false
    // The one that leaves may still hold the device, or be writing the file.
    if leaving.isEmpty { start() }
  }

  /// Plays a frame, numbered in the order in which they were spoken.
  public func play(sequence: UInt32, opus: [UInt8]) {
    running?.pipe.send(.frame(sequence: sequence, opus: opus))
  }

  public func mute(_ isMuted: Bool) {
    self.isMuted = isMuted
    running?.pipe.send(.mute(isMuted))
  }

  /// The sound of the call ends, if there is any.
  public func end() {
    isWanted = false
    guard let running else { return }
    self.running = nil
    cancelWatchdog()
    dropped += running.pipe.counts.droppedVoice
    leaving[running.number] = running
    running.pipe.send(.stop)
    running.child.reap(within: Self.grace)
  }

  /// Ends the sound and waits for that, for two seconds at the most: our own process is ending.
  public func shutDown() {
    end()
    for one in leaving.values { one.child.endNow(within: Self.graceAtEnd) }
    for one in leaving.values { one.pipe.close() }
    leaving = [:]
  }

  // MARK: The process

  private func start(isRestart: Bool = false) {
    lastNumber += 1
    let number = lastNumber
    guard let sockets = makeAudioPipe() else { return failed("no file descriptor is left") }
    let words = program.words(descriptor: ChildProcess.inherited, isRestart: isRestart)
    let child = ChildProcess(words, environment: environment, inheriting: sockets.audio) {
      [weak self] in self?.ended(number, $0)
    }
    let why = errno
    close(sockets.audio)
    guard let child else {
      close(sockets.node)
      return failed("\(program.path) cannot be started: \(Self.words(for: why))")
    }
    let pipe = NodeEnd(
      owning: sockets.node, receive: { [weak self] in self?.take($0, from: number) },
      closed: { [weak self] in self?.closed(number) })
    guard let pipe else {
      child.kill()
      return failed("no file descriptor is left")
    }
    running = Running(child: child, pipe: pipe, number: number)
    if isMuted { pipe.send(.mute(true)) }
    watch(number)
  }

  private func take(_ message: AudioMessage, from number: Int) {
    guard running?.number == number else {
      if case .ended = message { leaving[number]?.pipe.close() }
      return
    }
    running?.heard = true
    switch message {
    case .ready(let ready): told(.ready(ready))
    case .frame(let opus): told(.frame(opus))
    case .statistics(let statistics): told(.statistics(statistics))
    case .notice(let notice, let text): told(.notice(notice, text))
    case .ended(let hasFailed, let text):
      running?.ending = hasFailed ? text : "it has ended"
    }
  }

  /// The process closed its end: it ended, or will have to.
  private func closed(_ number: Int) {
    (running?.number == number ? running : leaving[number])?.child.reap(within: Self.grace)
  }

  private func ended(_ number: Int, _ end: ChildEnd) {
    if let one = leaving.removeValue(forKey: number) {
      one.pipe.close()
      if leaving.isEmpty, isWanted, running == nil { start() }
      return
    }
    guard let one = running, one.number == number else { return }
    running = nil
    cancelWatchdog()
    dropped += one.pipe.counts.droppedVoice
    one.pipe.close()
    // What it gives a reason for would be no better a second time.
    if let reason = one.ending { return failed(reason) }
    let reason = Self.reason(end, one.child.complaint)
    if case .exited(2) = end { return failed(reason) }
    guard !hasRestarted else { return failed(reason) }
    hasRestarted = true
    told(.restarted(because: reason))
    if isWanted { start(isRestart: true) }
  }

  private func failed(_ reason: String) {
    guard isWanted else { return }
    isWanted = false
    told(.gone(because: reason))
  }

  // MARK: Hanging

  private func watch(_ number: Int) {
    watchdog = EventLoop.main.after(Self.patience) { [weak self] in
      guard let self, let one = running, one.number == number else { return }
      if one.heard {
        running?.heard = false
        watch(number)
      } else {
        one.child.kill()
      }
    }
  }

  private func cancelWatchdog() {
    if let watchdog { EventLoop.main.cancel(watchdog) }
    watchdog = nil
  }

  // MARK: Words

  private static func reason(_ end: ChildEnd, _ complaint: String) -> String {
    let complaint = complaint.isEmpty ? "" : ": \(complaint)"
    return switch end {
    case .exited(let code): "\(SoundProgram.name) ended with \(code)\(complaint)"
    case .killed(let signal): "\(SoundProgram.name) was ended by signal \(signal)\(complaint)"
    case .unknown: "\(SoundProgram.name) ended\(complaint)"
    }
  }

  static func words(for error: CInt) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
      guard let base = buffer.baseAddress, strerror_r(error, base, buffer.count) == 0 else {
        return "error \(error)"
      }
      return String(cString: base)
    }
  }
}
