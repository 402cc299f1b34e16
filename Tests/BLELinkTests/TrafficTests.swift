import Link
import Testing
import Wire

@testable import BLELink

@Suite("the policy of chunks")
struct TrafficTests {
  private func voice(_ number: UInt64) -> Packet { .sample(number, size: 100, kind: .voice) }

  @Test(
    "are as large as the link lets, at least 20 and at most 510 bytes",
    arguments: [
      (nil, 180), (5, 20), (20, 20), (182, 182), (244, 244), (510, 510), (514, 510),
      (100_000, 510), (-1, 20),
    ] as [(Int?, Int)])
  func sizes(limit: Int?, size: Int) throws {
    var harness = PolicyHarness()
    harness.bringUp(.client, to: 2, limit: limit)
    let packet = Packet.sample(1, size: 2_096)
    let outcome = harness.policy.offer(packet, on: LinkID(1), now: harness.now)
    #expect(outcome == .queued)
    let chunks = harness.drain()
    #expect(chunks.dropLast().allSatisfy { $0.range.count == size })
    #expect(chunks.map { packet.encoded[$0.range] }.joined().elementsEqual(packet.encoded))
  }

  @Test("are as the smaller of both paths' limits, read for every chunk")
  func smallerLimit() {
    var harness = PolicyHarness()
    harness.bringUp(.client, to: 2, limit: 510)
    let server = harness.bringUp(.server, to: 2, limit: 244)
    #expect(harness.policy.chunkSize(of: LinkID(1)) == 244)
    _ = harness.policy.offer(.sample(1, size: 1_072), on: LinkID(1), now: harness.now)
    guard let first = harness.policy.nextChunk(now: harness.now) else {
      Issue.record("nothing goes out")
      return
    }
    harness.policy.took(first, now: harness.now)
    harness.act { policy, _ in policy.pathChanged(server, chunkLimit: 100) }
    #expect(harness.drain().map(\.range.count).first == 100)
    #expect(first.range.count == 244)
  }

  @Test("with 64 waiting a packet is shed whole, one long one may go past")
  func bound() {
    var harness = PolicyHarness()
    harness.bringUp(.client, to: 2)
    let offer = { (harness: inout PolicyHarness, packet: Packet) in
      harness.policy.offer(packet, on: LinkID(1), now: harness.now)
    }
    for number in 0..<63 {
      let outcome = offer(&harness, .sample(UInt64(number)))
      #expect(outcome == .queued)
    }
    let long = offer(&harness, .sample(100, size: 8_240))
    #expect(long == .queued, "looked at before it is cut")
    let more = offer(&harness, .sample(101))
    #expect(more == .shed)
    #expect(harness.policy.links[LinkID(1)]?.queue.shed == 1)
    #expect(harness.policy.links[LinkID(1)]?.queue.chunkCount == 63 + 17)
    let sent = harness.drain()
    #expect(sent.count == 63 + 17)
    #expect(Set(sent.map(\.packet.number)).count == 64)
  }

  @Test("voice goes out first, and makes room for a message when there is none")
  func voiceFirst() {
    var harness = PolicyHarness()
    harness.bringUp(.client, to: 2)
    for number in 0..<60 as Range<UInt64> {
      _ = harness.policy.offer(.sample(number), on: LinkID(1), now: .zero)
    }
    for number in 100..<104 as Range<UInt64> {
      _ = harness.policy.offer(voice(number), on: LinkID(1), now: .zero)
    }
    let message = harness.policy.offer(.sample(200), on: LinkID(1), now: .zero)
    #expect(message == .queued)
    #expect(harness.policy.links[LinkID(1)]?.queue.shedVoice == 1, "the oldest made room")
    let order = harness.drain().map(\.packet.number)
    #expect(order.prefix(3) == [101, 102, 103])
    #expect(order.last == 200)
  }

  @Test("voice never waits long: the newest ten frames, and none older than 0.4 s")
  func voiceIsFresh() {
    var harness = PolicyHarness()
    harness.bringUp(.client, to: 2)
    for number in 0..<25 as Range<UInt64> {
      _ = harness.policy.offer(voice(number), on: LinkID(1), now: .zero)
    }
    #expect(harness.policy.links[LinkID(1)]?.queue.shedVoice == 15)
    harness.now = .zero + .milliseconds(401)
    _ = harness.policy.offer(voice(50), on: LinkID(1), now: harness.now)
    #expect(harness.drain().map(\.packet.number) == [50])
  }

  @Test("a packet goes on the inbox where there is one, and again whole when its path goes")
  func pathGoes() {
    var harness = PolicyHarness()
    let server = harness.bringUp(.server, to: 2)
    let client = harness.bringUp(.client, to: 2)
    _ = harness.policy.offer(.sample(1, size: 2_096), on: LinkID(1), now: .zero)
    for _ in 0..<2 {
      guard let chunk = harness.policy.nextChunk(now: .zero) else { break }
      #expect(chunk.path == client)
      harness.policy.took(chunk, now: .zero)
    }
    harness.act { $0.pathDown(client, because: "gone", now: $1) }
    let rest = harness.drain()
    #expect(rest.allSatisfy { $0.path == server })
    #expect(rest.first?.range.lowerBound == 0)
    #expect(rest.last?.range.upperBound == Packet.sample(1, size: 2_096).encoded.count)
  }

  @Test("a packet begun on notifications ends on them, and the next goes to the inbox")
  func pathComes() {
    var harness = PolicyHarness()
    let server = harness.bringUp(.server, to: 2)
    for number in 1...2 {
      _ = harness.policy.offer(.sample(UInt64(number), size: 1_072), on: LinkID(1), now: .zero)
    }
    guard let chunk = harness.policy.nextChunk(now: .zero) else { return }
    harness.policy.took(chunk, now: .zero)
    let client = harness.bringUp(.client, to: 2)
    let rest = harness.drain()
    #expect(rest.filter { $0.packet.number == 1 }.allSatisfy { $0.path == server })
    #expect(rest.filter { $0.packet.number == 2 }.allSatisfy { $0.path == client })
    #expect(rest.count == 5)
  }

  @Test("what reaches several at once goes out once, one packet at a time, paced when it is long")
  func sharedOutlet() {
    var harness = PolicyHarness()
    for address in 2...4 {
      harness.bringUp(.server, to: UInt64(address), outlet: 7, mayReorder: true)
    }
    let long = Packet.sample(1, size: 1_072)
    for link in 1...3 {
      _ = harness.policy.offer(long, on: LinkID(UInt32(link)), now: harness.now)
    }
    _ = harness.policy.offer(.sample(2), on: LinkID(2), now: harness.now)
    var sent: [(Instant, BLEPolicy.Chunk)] = []
    for _ in 0..<20 {
      sent += harness.drain().map { (harness.now, $0) }
      harness.pass(.milliseconds(5))
    }
    #expect(sent.map(\.1.packet.number) == [1, 1, 1, 2])
    let times = sent.map { $0.0.nanoseconds / 1_000_000 }
    #expect(zip(times.dropFirst(), times).allSatisfy { $0 - $1 >= 25 })
    #expect(harness.policy.counters.packetsOut == 4)
  }

  @Test("a subscriber with a small MTU makes the chunks small for all who hear them")
  func sharedLimit() {
    var harness = PolicyHarness()
    harness.bringUp(.server, to: 2, limit: 510, outlet: 7)
    let small = harness.bringUp(.server, to: 3, limit: 20, outlet: 7)
    #expect(harness.policy.chunkSize(of: LinkID(1)) == 20)
    harness.act { $0.pathDown(small, because: "gone", now: $1) }
    #expect(harness.policy.chunkSize(of: LinkID(1)) == 510)
  }

  @Test("a full radio is waited for, and a link that takes nothing for 15 s is closed")
  func stall() {
    var harness = PolicyHarness()
    let path = harness.bringUp(.client, to: 2)
    harness.act { policy, _ in policy.proved(LinkID(1)) }
    _ = harness.policy.offer(.sample(1), on: LinkID(1), now: harness.now)
    guard let chunk = harness.policy.nextChunk(now: harness.now) else { return }
    harness.policy.full(chunk, now: harness.now)
    #expect(harness.drain().isEmpty)
    harness.act { policy, _ in policy.writable(path) }
    #expect(harness.drain().map(\.range) == [chunk.range], "the same again")
    _ = harness.policy.offer(.sample(2), on: LinkID(1), now: harness.now)
    if let next = harness.policy.nextChunk(now: harness.now) {
      harness.policy.full(next, now: harness.now)
    }
    let effects = harness.pass(.seconds(15))
    #expect(effects.contains(.down(LinkID(1), .lost("it took no chunk for 15 s"))))
    #expect(harness.policy.counters.shed == 1, "what waited is counted")
  }

  @Test("nothing is taken for a link that is not there")
  func noLink() {
    var harness = PolicyHarness()
    let outcome = harness.policy.offer(.sample(1), on: LinkID(1), now: .zero)
    #expect(outcome == .noLink)
  }
}
