import Chat
import Glibc
import Testing
import Wire

@testable import Terminal

@Suite("Plain line front end", .serialized)
@MainActor
struct LineFrontTests {
  @Test("lines are commands and texts, and the transcript has no prompt and no colour")
  func lines() async throws {
    let input = try TestPipe()
    let output = try TestPipe()
    let front = LineFront(input: input.readEnd, output: output.writeEnd)
    var requests: [ChatRequest] = []
    var ends: [FrontEndEnd] = []
    front.onRequest = { requests.append($0) }
    front.onEnd = { ends.append($0) }
    output.listen()
    front.start()
    #expect(requests == [ChatRequest(.peers, ref: "known")])
    front.show(.peers([.sample(.alice, "Alice")], ref: "known"))
    input.send("/to Alice\r\nhello\n/foo\n\u{1B}[31mred\nlast")
    input.closeWriteEnd()
    try await eventually { ends == [.endOfInput] }
    #expect(
      requests.dropFirst().map(\.command) == [
        .send(to: .fingerprint(.alice), text: "hello"),
        .send(to: .fingerprint(.alice), text: "\u{1B}[31mred"),
        .send(to: .fingerprint(.alice), text: "last"),
      ])
    front.show(.text("hi\nthere"))
    front.stop()
    try await eventually { output.lines.count == 4 }
    #expect(output.lines[0].hasSuffix("what you type now goes to Alice [E492-6D25], verified"))
    #expect(output.lines[1].contains("there is no command /foo"))
    #expect(output.lines[2].hasSuffix("✓ Alice [E492-6D25]: hi"))
    #expect(output.lines[3] == "      | there")
    #expect(!output.received.contains(0x1B))
    input.closeReadEnd()
    output.closeAll()
  }

  @Test("lines that are too long or no UTF-8 are not sent, and say so")
  func unreadable() async throws {
    let input = try TestPipe()
    let output = try TestPipe()
    let front = LineFront(input: input.readEnd, output: output.writeEnd)
    var requests: [ChatRequest] = []
    front.onRequest = { requests.append($0) }
    output.listen()
    front.start()
    let broken: [UInt8] = [0x61, 0xFF, 0x0A]
    #expect(write(input.writeEnd, broken, 3) == 3)
    for _ in 0..<10 {
      input.send(String(repeating: "x", count: 10_000))
      try await eventually { input.waiting == 0 }
    }
    input.send("\n")
    try await eventually { output.lines.count == 2 }
    #expect(output.lines[0].hasSuffix("a line that is not UTF-8 was not sent"))
    #expect(output.lines[1].hasSuffix("a line over 65536 bytes was not sent"))
    #expect(requests.count == 1)
    front.stop()
    input.closeAll()
    output.closeAll()
  }

  @Test("a reader that goes ends the node quietly")
  func readerGone() async throws {
    let input = try TestPipe()
    let output = try TestPipe()
    let front = LineFront(input: input.readEnd, output: output.writeEnd)
    var ends: [FrontEndEnd] = []
    front.onEnd = { ends.append($0) }
    front.start()
    output.closeReadEnd()
    front.show(.text("nobody reads this"))
    try await eventually { ends == [.gone] }
    front.stop()
    input.closeAll()
    output.closeWriteEnd()
  }
}
