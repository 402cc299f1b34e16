import EventLoop
import Glibc
import Testing

@testable import AudioPipe

/// Two ends and what arrived at them.
@MainActor private final class Pipe {
  var node: NodeEnd?
  var audio: AudioEnd?
  var atNode: [AudioMessage] = []
  var atAudio: [NodeMessage] = []
  var closed: [String] = []
  /// The audio process's end, when it is held by hand.
  let raw: CInt

  init(audioByHand: Bool = false) throws {
    let ends = try #require(makeAudioPipe())
    raw = ends.audio
    node = NodeEnd(
      owning: ends.node, receive: { [weak self] in self?.atNode.append($0) },
      closed: { [weak self] in self?.closed.append("node") })
    guard !audioByHand else { return }
    audio = AudioEnd(
      owning: ends.audio, receive: { [weak self] in self?.atAudio.append($0) },
      closed: { [weak self] in self?.closed.append("audio") })
  }

  /// Lets the loop work until `condition` holds; the limit is for a test that has failed.
  func wait(until condition: () -> Bool) async {
    for _ in 0..<2_000 where !condition() { try? await Task.sleep(for: .milliseconds(1)) }
  }
}

@Suite("Pipe ends", .timeLimit(.minutes(1))) @MainActor struct PipeEndTests {
  @Test("messages go both ways, in order")
  func bothWays() async throws {
    let pipe = try Pipe()
    for number in 0..<10 { pipe.node?.send(.frame(sequence: UInt32(number), opus: [1, 2])) }
    pipe.node?.send(.mute(true))
    pipe.audio?.send(.frame([5]))
    pipe.audio?.send(.notice(.captureGone, "unplugged"))
    await pipe.wait { pipe.atAudio.count == 11 && pipe.atNode.count == 2 }
    #expect(
      pipe.atAudio
        == (0..<10).map { .frame(sequence: UInt32($0), opus: [1, 2]) } + [.mute(true)])
    #expect(pipe.atNode == [.frame([5]), .notice(.captureGone, "unplugged")])
    #expect(pipe.node?.counts == PipeCounts() && pipe.audio?.counts == PipeCounts())
  }

  @Test("what is no message is counted and skipped, a huge packet too")
  func hostile() async throws {
    let pipe = try Pipe(audioByHand: true)
    defer { close(pipe.raw) }
    let packets: [[UInt8]] = [
      [0x42], [0x83, 1], [0x82] + [UInt8](repeating: 1, count: 9_000), [0x82, 7],
    ]
    for packet in packets {
      #expect(send(pipe.raw, packet, packet.count, 0) == packet.count)
    }
    await pipe.wait { !pipe.atNode.isEmpty }
    #expect(pipe.atNode == [.frame([7])])
    #expect(pipe.node?.counts.unknown == 1 && pipe.node?.counts.malformed == 2)
    #expect(pipe.closed == [])
  }

  @Test("who does not read has voice dropped; the rest waits, within a bound, and arrives")
  func slow() async throws {
    let pipe = try Pipe(audioByHand: true)
    defer { close(pipe.raw) }
    let frame = NodeMessage.frame(sequence: 1, opus: [UInt8](repeating: 1, count: 60))
    for _ in 0..<200 { pipe.node?.send(frame) }
    let dropped = try #require(pipe.node?.counts.droppedVoice)
    #expect((150..<200).contains(dropped), "\(200 - dropped) frames fit")
    for _ in 0..<70 { pipe.node?.send(.mute(true)) }
    #expect(pipe.node?.counts.droppedOthers ?? 0 >= 1)
    var taken: [NodeMessage] = []
    var buffer = [UInt8](repeating: 0, count: 2_000)
    for _ in 0..<2_000 where taken.filter({ !$0.isVoice }).count < NodeEnd.queueCapacity {
      let count = recv(pipe.raw, &buffer, buffer.count, CInt(MSG_DONTWAIT))
      if count > 0 {
        taken.append(try NodeMessage(bytes: Array(buffer.prefix(count))))
      } else {
        try await Task.sleep(for: .milliseconds(1))
      }
    }
    #expect(taken.filter(\.isVoice).count == 200 - dropped)
    #expect(taken.count - (200 - dropped) >= NodeEnd.queueCapacity)
  }

  @Test("the other side's end is told once, and what it said before is not lost")
  func end() async throws {
    let pipe = try Pipe()
    pipe.audio?.send(.ended(hasFailed: false, text: ""))
    pipe.audio?.close()
    await pipe.wait { !pipe.closed.isEmpty }
    #expect(pipe.atNode == [.ended(hasFailed: false, text: "")])
    #expect(pipe.closed == ["node"] && pipe.node?.isOpen == false)
    pipe.node?.send(.stop)
    pipe.node?.close()
    try await Task.sleep(for: .milliseconds(5))
    #expect(pipe.closed == ["node"])
  }

  @Test("an end that a callback closes takes no more")
  func closedWithin() async throws {
    let ends = try #require(makeAudioPipe())
    var taken = 0
    var node: NodeEnd?
    node = NodeEnd(
      owning: ends.node,
      receive: { _ in
        taken += 1
        node?.close()
      }, closed: { Issue.record("closed by itself") })
    for _ in 0..<5 { _ = send(ends.audio, [0x82, 1] as [UInt8], 2, 0) }
    for _ in 0..<1_000 where taken == 0 { try await Task.sleep(for: .milliseconds(1)) }
    try await Task.sleep(for: .milliseconds(5))
    #expect(taken == 1)
    close(ends.audio)
  }

  @Test("what is no such socket is refused, and closed")
  func others() {
    var ends: [CInt] = [-1, -1]
    #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
    #expect(NodeEnd(owning: ends[0], receive: { _ in }, closed: {}) == nil)
    #expect(fcntl(ends[0], F_GETFD) == -1)
    close(ends[1])
    #expect(NodeEnd(owning: -1, receive: { _ in }, closed: {}) == nil)
  }
}
