import Chat
import Dispatch
import EventLoop
import Glibc
import Testing
import Wire

@testable import Terminal

extension Fingerprint {
  static let alice = Fingerprint(value: 0x7112_2334_4556_6778)
  static let bob = Fingerprint(value: 0xA112_2334_4556_6778)
}

extension Peer {
  static func sample(_ fingerprint: Fingerprint, _ name: String) -> Peer {
    Peer(
      fingerprint: fingerprint, name: name, isDirect: true, isNew: true,
      heard: LocalTime.now().time, isVerified: true)
  }
}

extension ChatEvent {
  static func text(_ text: String, from: Fingerprint = .alice, name: String = "Alice")
    -> ChatEvent
  {
    .message(
      IncomingMessage(
        id: MessageID(), from: from, name: name, text: text, time: LocalTime.now().time))
  }
}

/// Waits for something that real descriptors bring about; twenty seconds are a failure.
@MainActor
func eventually(
  _ what: @autoclosure @MainActor () -> String = "", _ condition: @MainActor () -> Bool,
  sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  let end = DispatchTime.now() + .seconds(20)
  while !condition() {
    if DispatchTime.now() > end {
      Issue.record("never happened: \(what())", sourceLocation: sourceLocation)
      return
    }
    try await Task.sleep(for: .milliseconds(2))
  }
}

/// A terminal that has no screen: both ends of a pseudo-terminal, what was written to it in a
/// small emulator.
@MainActor
final class TestTerminal {
  let master: Int32
  let slave: Int32
  let path: String
  var screen: ScreenEmulator
  private(set) var output: [UInt8] = []
  private var watch: EventLoop.Watch?

  init(columns: Int, rows: Int) throws {
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
    // unlockpt and ptsname, by the requests that they make (TIOCSPTLCK, TIOCGPTN).
    var isLocked: Int32 = 0
    var number: UInt32 = 0
    try #require(ioctl(master, 0x4004_5431, &isLocked) == 0)
    try #require(ioctl(master, 0x8004_5430, &number) == 0)
    path = "/dev/pts/\(number)"
    slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(master >= 0 && slave >= 0)
    screen = ScreenEmulator(columns: columns, rows: rows)
    resize(columns: columns, rows: rows)
    listen()
  }

  func resize(columns: Int, rows: Int) {
    // A `struct winsize`, which Swift finds in a module that nobody may import.
    var size = [UInt16(rows), UInt16(columns), 0, 0]
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  func listen() {
    watch = EventLoop.main.watch(master, for: .read) { [weak self] _ in self?.readOnce() }
  }

  /// Takes nothing of what is written any more.
  func stopListening() {
    if let watch { EventLoop.main.unwatch(watch) }
    watch = nil
  }

  private func readOnce() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = read(master, &buffer, buffer.count)
    // Woken for what was gone by then: there will be more.
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    guard count > 0 else { return stopListening() }
    output += buffer[..<count]
    screen.feed(buffer[..<count])
  }

  func type(_ text: String) {
    let bytes = Array(text.utf8)
    #expect(write(master, bytes, bytes.count) == bytes.count)
  }

  /// Types more than a terminal holds at once.
  func typeAll(_ text: String) async throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(1_000))
      var count = -1
      try await eventually("the terminal takes what is typed") {
        count = write(master, part, part.count)
        return count > 0
      }
      rest = rest.dropFirst(max(0, count))
    }
  }

  var mode: termios {
    var mode = termios()
    tcgetattr(slave, &mode)
    return mode
  }

  /// Whether the terminal edits and echoes lines by itself, as a shell expects to find it.
  var isCooked: Bool {
    mode.c_lflag & tcflag_t(ICANON) != 0 && mode.c_lflag & tcflag_t(ECHO) != 0
  }

  func hangUp() {
    stopListening()
    close(master)
  }

  func closeAll() {
    stopListening()
    close(master)
    close(slave)
  }
}
