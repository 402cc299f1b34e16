import Chat
import Glibc
import Testing
import Wire

@testable import Terminal

@Suite("JSON front end", .serialized)
@MainActor
struct JSONFrontTests {
  /// A front end between two pipes, and what it asked for.
  @MainActor
  private final class Scene {
    let input: TestPipe
    let output: TestPipe
    let front: JSONFront
    var requests: [ChatRequest] = []
    var ends: [FrontEndEnd] = []

    init(maximumWaiting: Int = JSONFront.maximumWaiting) throws {
      input = try TestPipe()
      output = try TestPipe()
      front = JSONFront(
        input: input.readEnd, output: output.writeEnd, maximumWaiting: maximumWaiting)
      front.onRequest = { [weak self] in self?.requests.append($0) }
      front.onEnd = { [weak self] in self?.ends.append($0) }
      front.start()
    }

    func end() {
      front.stop()
      input.closeAll()
      output.closeAll()
    }
  }

  private func event(_ number: Int) -> ChatEvent {
    .text("\(number) " + String(repeating: "x", count: 1_000))
  }

  @Test("commands come in, in whatever slices, and events go out")
  func commands() async throws {
    let scene = try Scene()
    scene.output.listen()
    for piece in [
      "{\"cmd\":\"pe", "ers\",\"ref\":\"a\"}\r\n{\"cmd\":\"links\"}\n{\"cmd\":", "\"stats\"}\n",
    ] {
      scene.input.send(piece)
      try await eventually { scene.input.waiting == 0 }
    }
    try await eventually { scene.requests.count == 3 }
    #expect(
      scene.requests
        == [ChatRequest(.peers, ref: "a"), ChatRequest(.links), ChatRequest(.stats)])
    scene.front.show(.peers([], ref: "a"))
    try await eventually { scene.output.lines == [#"{"event":"peers","ref":"a","peers":[]}"#] }
    scene.end()
  }

  @Test("a line that is no command is answered and skipped")
  func refused() async throws {
    let scene = try Scene()
    scene.output.listen()
    scene.input.send("nonsense\n{\"cmd\":\"call\",\"to\":\"x\",\"ref\":\"r\"}\n")
    scene.input.send("{\"cmd\":\"answer\"}\n")
    try await eventually {
      scene.requests == [ChatRequest(.answer())] && scene.output.lines.count == 2
    }
    #expect(scene.output.lines[0].hasPrefix(#"{"event":"error","code":"bad-command","#))
    #expect(scene.output.lines[1].hasPrefix(#"{"event":"error","code":"bad-number","#))
    #expect(scene.output.lines[1].contains(#""ref":"r""#))
    scene.end()
  }

  @Test("an over-long line costs one answer and little memory")
  func tooLong() async throws {
    let scene = try Scene()
    scene.output.listen()
    for _ in 0..<40 {
      scene.input.send(String(repeating: "x", count: 10_000))
      try await eventually { scene.input.waiting == 0 }
    }
    scene.input.send("\n{\"cmd\":\"answer\"}\n")
    try await eventually { scene.requests == [ChatRequest(.answer())] }
    try await eventually { scene.output.lines.count == 1 }
    scene.end()
  }

  @Test("the end of input is told after the last line, also without its line feed")
  func endOfInput() async throws {
    let scene = try Scene()
    scene.input.send("{\"cmd\":\"peers\"}\n{\"cmd\":\"quit\"}")
    scene.input.closeWriteEnd()
    try await eventually { scene.ends == [.endOfInput] }
    #expect(scene.requests == [ChatRequest(.peers), ChatRequest(.quit)])
    scene.output.listen()
    scene.front.show(.error(.noCall, ref: nil))
    scene.front.stop()
    try await eventually { scene.output.lines.count == 1 }
    #expect(scene.ends == [.endOfInput])
    scene.output.closeAll()
  }

  @Test("commands come from a file as from a pipe")
  func file() async throws {
    var path = Array("/tmp/airlink-test-XXXXXX".utf8CString)
    let descriptor = mkstemp(&path)
    try #require(descriptor >= 0)
    unlink(path)
    let text = Array("{\"cmd\":\"peers\"}\n{\"cmd\":\"links\"}\n".utf8)
    #expect(write(descriptor, text, text.count) == text.count)
    lseek(descriptor, 0, SEEK_SET)
    let output = try TestPipe()
    let front = JSONFront(input: descriptor, output: output.writeEnd)
    var requests: [ChatRequest] = []
    var ends: [FrontEndEnd] = []
    front.onRequest = { requests.append($0) }
    front.onEnd = { ends.append($0) }
    front.start()
    try await eventually { ends == [.endOfInput] }
    #expect(requests == [ChatRequest(.peers), ChatRequest(.links)])
    front.stop()
    close(descriptor)
    output.closeAll()
  }

  @Test("an empty device as input is an end at once")
  func null() async throws {
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    let front = JSONFront(input: null, output: null)
    var ends: [FrontEndEnd] = []
    front.onEnd = { ends.append($0) }
    front.start()
    try await eventually { ends == [.endOfInput] }
    front.stop()
    close(null)
  }

  @Test("a slow reader gets everything in order, and the node never waits for it")
  func slowReader() async throws {
    let scene = try Scene()
    for number in 0..<600 { scene.front.show(event(number)) }
    #expect(scene.ends.isEmpty)
    scene.output.listen()
    try await eventually { scene.output.lines.count == 600 }
    for (number, line) in scene.output.lines.enumerated() {
      #expect(line.contains("\"text\":\"\(number) xxx"))
    }
    scene.end()
  }

  @Test("while much waits for the reader no further commands are read")
  func pause() async throws {
    let scene = try Scene()
    scene.front.pauseAbove = 1 << 16
    scene.front.resumeBelow = 1 << 14
    for number in 0..<200 { scene.front.show(event(number)) }
    scene.input.send("{\"cmd\":\"answer\"}\n")
    for _ in 0..<50 { await Task.yield() }
    #expect(scene.requests.isEmpty)
    #expect(scene.input.waiting > 0)
    #expect(scene.front.isBehind)
    var rooms = 0
    scene.front.onRoom = { rooms += 1 }
    scene.output.listen()
    try await eventually { scene.requests == [ChatRequest(.answer())] }
    try await eventually { rooms > 0 }
    #expect(!scene.front.isBehind)
    scene.end()
  }

  @Test("commands are read again also when it is the next event that finds room for all")
  func roomFoundByAnEvent() async throws {
    let scene = try Scene()
    scene.front.pauseAbove = 1 << 17
    scene.front.resumeBelow = 1 << 11
    while !scene.front.isBehind { scene.front.show(event(1)) }
    scene.input.send("{\"cmd\":\"answer\"}\n")
    // All that the pipe holds at once, before the queue has its turn.
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while scene.output.waiting > 0 {
      #expect(read(scene.output.readEnd, &buffer, buffer.count) > 0)
    }
    scene.front.show(event(2))
    scene.output.listen()
    try await eventually { scene.requests == [ChatRequest(.answer())] }
    #expect(scene.front.outletWaiting == 0)
    scene.end()
  }

  @Test("a reader that takes nothing ends the node with a clear error, once")
  func overflow() async throws {
    let scene = try Scene(maximumWaiting: 1 << 17)
    for number in 0..<400 { scene.front.show(event(number)) }
    try await eventually { !scene.ends.isEmpty }
    guard case .failed(let why)? = scene.ends.first else {
      Issue.record("\(scene.ends)")
      return
    }
    #expect(why.contains("128 KiB behind"))
    #expect(scene.ends.count == 1)
    scene.output.listen()
    scene.end()
  }

  @Test("a reader that goes ends the node quietly")
  func readerGone() async throws {
    let scene = try Scene()
    scene.output.closeReadEnd()
    scene.front.show(event(1))
    scene.front.show(event(2))
    try await eventually { scene.ends == [.gone] }
    scene.front.stop()
    scene.input.closeAll()
  }

  @Test("the pipe's own flags stay as they were: others write to it, too")
  func flags() throws {
    let scene = try Scene()
    let flags = fcntl(scene.output.writeEnd, F_GETFL)
    scene.front.show(event(1))
    #expect(fcntl(scene.output.writeEnd, F_GETFL) == flags)
    #expect(flags & O_NONBLOCK == 0)
    scene.end()
  }

  @Test("a socket is written to as a pipe is")
  func socket() async throws {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let front = JSONFront(input: ends[0], output: ends[0])
    var requests: [ChatRequest] = []
    front.onRequest = { requests.append($0) }
    front.start()
    for number in 0..<1_000 { front.show(event(number)) }
    #expect(front.outletWaiting > 0)
    #expect(write(ends[1], "{\"cmd\":\"answer\"}\n", 17) == 17)
    var received = 0
    var buffer = [UInt8](repeating: 0, count: 65_536)
    try await eventually {
      let count = recv(ends[1], &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count > 0 { received += buffer[..<count].count { $0 == 0x0A } }
      return received == 1_000 && requests == [ChatRequest(.answer())]
    }
    front.stop()
    close(ends[0])
    close(ends[1])
  }
}
