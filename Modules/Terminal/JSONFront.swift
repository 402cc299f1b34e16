public import Chat
internal import EventLoop
internal import Glibc

/// Commands as lines of JSON in, events as lines of JSON out (the contract of `--json`).
///
/// A reader that is slow gets everything, in order: up to 8 MiB wait for it. While more than 1 MiB
/// waits no further commands are read, so that a program that asks and never reads stands still
/// itself, and the node holds back what others can make happen at will. Past 8 MiB the node leaves with an error: to drop lines would make what is reported
/// false, and to wait would stop it relaying for others.
@MainActor
public final class JSONFront: FrontEnd {
  public var onRequest: (ChatRequest) -> Void = { _ in }
  public var onEnd: (FrontEndEnd) -> Void = { _ in }
  public var onFocus: () -> Void = {}
  public var onRoom: () -> Void = {}
  public var isBehind: Bool { outlet.waiting > pauseAbove }

  /// Bytes that may wait for the reader.
  public static let maximumWaiting = 8 << 20
  /// Bytes from which on no commands are read, and below which they are again.
  var pauseAbove = 1 << 20
  var resumeBelow = 1 << 18

  private let input: Int32
  private let outlet: Outlet
  /// Bytes that wait for the reader.
  var outletWaiting: Int { outlet.waiting }
  private var inlet: Inlet?
  private var splitter = LineSplitter()
  private var isOver = false
  private var isStopped = false

  /// Reads and writes standard input and output, unless a test says otherwise.
  public init(
    input: Int32 = 0, output: Int32 = 1,
    maximumWaiting: Int = JSONFront.maximumWaiting
  ) {
    self.input = input
    // A reader that goes is an error of write, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    outlet = Outlet(descriptor: output, limit: maximumWaiting)
    outlet.onClosed = { [weak self] in self?.end(.gone) }
  }

  public func start() {
    outlet.onProgress = { [weak self] in
      guard let self, self.outlet.waiting < self.resumeBelow else { return }
      self.inlet?.setPaused(false)
      self.onRoom()
    }
    inlet = Inlet(
      descriptor: input,
      onBytes: { [weak self] bytes in
        guard let self else { return }
        var lines: [LineSplitter.Line] = []
        self.splitter.append(bytes) { lines.append($0) }
        for line in lines where !self.isOver { self.take(line) }
      },
      onEnd: { [weak self] _ in
        guard let self else { return }
        if let line = self.splitter.finish() { self.take(line) }
        self.end(.endOfInput)
      })
  }

  public func show(_ event: ChatEvent) { write(event.jsonLine) }

  public func notice(_ text: String) { StandardError.say(text) }

  public func stop() {
    isStopped = true
    isOver = true
    inlet?.close()
    inlet = nil
    _ = outlet.drain(milliseconds: FrontEndLimits.drainMilliseconds)
    outlet.close()
  }

  private func take(_ line: LineSplitter.Line) {
    do throws(RefusedLine) {
      onRequest(try ChatRequest(json: line))
    } catch {
      show(.error(error.error, ref: error.ref))
    }
  }

  private func write(_ line: String) {
    switch outlet.writeSoon(line) {
    case .taken:
      if outlet.waiting > pauseAbove { inlet?.setPaused(true) }
    case .refused:
      end(
        .failed(
          "the program that reads the events has fallen \(outlet.limit >> 10) KiB behind; nothing "
            + "can be told it any more"))
    case .closed: break
    }
  }

  private func end(_ reason: FrontEndEnd) {
    if isOver { return }
    isOver = true
    inlet?.close()
    inlet = nil
    // Later: the node may be in the middle of showing something.
    EventLoop.main.nextTurn { [weak self] in
      if let self, !self.isStopped { self.onEnd(reason) }
    }
  }
}
