public import Chat
internal import CommandLine
internal import EventLoop
internal import Glibc

/// The interactive node where there is no terminal to edit on: a file, a pipe, `TERM=dumb`.
///
/// Each line of input is a text or a command, and the transcript comes without prompt and colours.
@MainActor
public final class LineFront: FrontEnd {
  public var onRequest: (ChatRequest) -> Void = { _ in }
  public var onEnd: (FrontEndEnd) -> Void = { _ in }
  public var onFocus: () -> Void = {}
  public var onRoom: () -> Void = {}
  public var isBehind: Bool { outlet.waiting > Self.behindAbove }

  /// Bytes that wait for the reader from which on it is behind.
  private static let behindAbove = 1 << 20

  private let input: Int32
  private let colors: Bool
  private let columns: Int?
  private let outlet: Outlet
  private var inlet: Inlet?
  private var splitter = LineSplitter()
  private var session = ChatSession()
  private var isOver = false
  private var isStopped = false

  /// Reads and writes these descriptors, and folds at `columns`; nil folds nothing.
  public init(
    input: Int32 = 0, output: Int32 = 1, colors: Bool = false,
    columns: Int? = nil
  ) {
    self.input = input
    self.colors = colors
    self.columns = columns
    signal(SIGPIPE, SIG_IGN)
    outlet = Outlet(descriptor: output, limit: JSONFront.maximumWaiting)
    outlet.onClosed = { [weak self] in self?.end(.gone) }
  }

  public func start() {
    outlet.onProgress = { [weak self] in
      if let self, !self.isBehind { self.onRoom() }
    }
    for request in session.openingRequests { onRequest(request) }
    inlet = Inlet(
      descriptor: input,
      onBytes: { [weak self] bytes in
        guard let self else { return }
        var lines: [LineSplitter.Line] = []
        self.splitter.append(bytes) { lines.append($0) }
        for line in lines where !self.isOver { self.take(line) }
      },
      onEnd: { [weak self] reason in
        guard let self else { return }
        if let line = self.splitter.finish() { self.take(line) }
        self.end(reason == .endOfInput ? .endOfInput : .gone)
      })
  }

  public func show(_ event: ChatEvent) { say(session.entries(for: event, at: .now())) }

  public func notice(_ text: String) { say([session.transcript.notice(text, at: .now())]) }

  public func stop() {
    isStopped = true
    isOver = true
    inlet?.close()
    inlet = nil
    _ = outlet.drain(milliseconds: FrontEndLimits.drainMilliseconds)
    outlet.close()
  }

  private func take(_ line: LineSplitter.Line) {
    switch line {
    case .tooLong: notice("a line over \(LineSplitter.maximumLength) bytes was not sent")
    case .notUTF8: notice("a line that is not UTF-8 was not sent")
    case .text(let text):
      for reaction in session.enter(text, at: .now()) {
        switch reaction {
        case .request(let request): onRequest(request)
        case .say(let entry): say([entry])
        }
      }
    }
  }

  private func say(_ entries: [TranscriptEntry]) {
    var text = ""
    for entry in entries {
      for row in entry.rows(columns: columns) { text += row.rendered(colors: colors) + "\n" }
    }
    if outlet.write(text) == .refused {
      end(.failed("the reader of the transcript does not take it any more"))
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
