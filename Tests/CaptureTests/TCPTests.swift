import Capture
import Testing
import Wire

@Suite("Capture: TCP put back in order") struct TCPTests {
  private let three = (1...3).flatMap { packet(id: $0) }
  private let length = packet().count

  private func part(_ range: Range<Int>) -> [UInt8] { Array(three[range]) }

  @Test("both directions of a connection, with the dialler first, over the wrap of the numbers")
  func whole() throws {
    var file = Conversation()
    file.handshake()
    file.back(packet(id: 9), at: 0)
    file.out(part(0..<700), at: 0)
    file.out(part(700..<three.count), at: 700)
    let reading = try Reading(file.bytes)
    #expect(reading.ids == [9, 1, 2, 3])
    #expect(reading.losses.isEmpty)
    #expect(reading.links == ["10.77.1.1:41000-10.77.1.2:7000"])
    #expect(
      reading.seen.packets.map(\.crossing.direction) == [.inbound, .outbound, .outbound, .outbound])
    #expect(reading.seen.packets.map(\.crossing.record) == [3, 4, 4, 5])
  }

  @Test("an answer says who dialled, when the capture begins with it")
  func answer() throws {
    var file = Conversation()
    file.raw(
      NetworkBytes.ipv4(
        NetworkBytes.tcp(
          sequence: Conversation.other &- 1, acknowledgment: Conversation.first, flags: 2,
          from: 7_000, to: 41_000),
        from: NetworkBytes.ben, to: NetworkBytes.ada))
    file.back(packet(id: 9))
    let reading = try Reading(file.bytes)
    #expect(reading.links == ["10.77.1.1:41000-10.77.1.2:7000"])
    #expect(reading.seen.packets.map(\.crossing.direction) == [.inbound])
  }

  @Test("a connection seen from the middle is read from the next packet on")
  func middle() throws {
    var file = Conversation()
    file.out(part(200..<800), at: 200)
    file.out(part(800..<three.count), at: 800)
    let reading = try Reading(file.bytes)
    #expect(reading.ids == [2, 3])
    #expect(reading.losses == [.skipped(bytes: length - 200, badChecksums: 0)])
  }

  @Test("retransmissions and overlaps change nothing")
  func retransmissions() throws {
    var file = Conversation()
    file.handshake()
    file.handshake()
    file.out(part(0..<400), at: 0)
    file.out(part(0..<400), at: 0)
    file.out(part(300..<600), at: 300)
    file.out([7], at: -1)
    file.out(part(100..<three.count), at: 100)
    let reading = try Reading(file.bytes)
    #expect(reading.ids == [1, 2, 3])
    #expect(reading.losses.isEmpty)
  }

  @Test("any order of segments gives the same packets", arguments: propertySeeds)
  func shuffled(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let stream = (1...40).flatMap { packet(id: $0) }
    var cuts = [0, stream.count]
    for _ in 0..<30 { cuts.append(Int.random(in: 0...stream.count, using: &random)) }
    cuts.sort()
    var segments = zip(cuts, cuts.dropFirst()).map { ($0, $1) }
    // Some once more, some larger than at first.
    for _ in 0..<10 {
      let start = Int.random(in: 0..<stream.count, using: &random)
      segments.append((start, Int.random(in: start...stream.count, using: &random)))
    }
    var file = Conversation()
    file.handshake()
    for (start, end) in segments.shuffled(using: &random) {
      file.out(Array(stream[start..<end]), at: start, seconds: 5)
    }
    let reading = try Reading(file.bytes)
    #expect(reading.ids == Array(1...40), "seed \(seed)")
    #expect(reading.losses.isEmpty, "seed \(seed)")
  }

  @Test("segments that the capture missed cost the packets they touched, once acknowledged")
  func gap() throws {
    var file = Conversation()
    file.handshake()
    file.out(part(0..<400), at: 0)
    file.out(part(500..<three.count), at: 500)
    file.back(acknowledging: three.count)
    file.back(packet(id: 9))
    let reading = try Reading(file.bytes)
    #expect(reading.ids == [1, 3, 9])
    #expect(
      reading.losses == [
        .unfinished(bytes: 400 - length), .gap(bytes: 100),
        .skipped(bytes: 2 * length - 500, badChecksums: 0),
      ])
    #expect(reading.seen.packets.map(\.crossing.record) == [3, 5, 6])
  }

  @Test("a hole that nobody acknowledges is given up in time, and at the end")
  func patience() throws {
    for seconds in [nil, 100] as [UInt32?] {
      var file = Conversation()
      file.handshake()
      file.out(part(0..<400), at: 0)
      file.out(part(500..<1_000), at: 500, seconds: 4)
      file.out(part(1_000..<three.count), at: 1_000, seconds: seconds ?? 5)
      let reading = try Reading(file.bytes)
      #expect(reading.ids == [1, 3])
      #expect(reading.losses.contains(.gap(bytes: 100)))
    }
  }

  @Test("what waits behind a hole is bounded")
  func bounded() throws {
    var file = Conversation()
    file.handshake()
    file.out(packet(id: 1), at: 0)
    for place in 2..<250 {
      file.out(packet(id: UInt8(place)), at: place * length, seconds: 5)
    }
    let reading = try Reading(file.bytes)
    #expect(reading.ids == [1] + Array(2..<250))
    #expect(reading.losses == [.gap(bytes: length)])
    // The hole was given up long before the end.
    let first = try #require(reading.seen.losses.first)
    #expect(first.crossing.record < 140)
  }

  @Test("a segment that a snapshot length cut costs the packets it touched")
  func cutSegment() throws {
    var file = Conversation()
    file.handshake()
    let segment = NetworkBytes.ipv4(
      NetworkBytes.tcp(part(0..<length + 10), sequence: Conversation.first))
    file.raw(Array(segment.dropLast(20)), original: segment.count)
    file.out(part(length + 10..<three.count), at: length + 10)
    file.back(acknowledging: three.count)
    let reading = try Reading(file.bytes)
    #expect(reading.ids == [3])
  }

  @Test("dialling again with the same ports begins a new stream on the same link")
  func again() throws {
    var file = Conversation()
    file.handshake()
    file.out(Array(packet(id: 1).prefix(100)), at: 0)
    file.handshake(first: 77)
    file.raw(NetworkBytes.ipv4(NetworkBytes.tcp(packet(id: 2), sequence: 77)))
    file.raw(NetworkBytes.ipv4(NetworkBytes.tcp(sequence: 77, flags: 4)))
    file.raw(NetworkBytes.ipv4(NetworkBytes.tcp(packet(id: 3), sequence: 1_000_000)))
    let reading = try Reading(file.bytes)
    #expect(reading.ids == [2, 3])
    #expect(reading.links.count == 1)
  }

  @Test("a new connection whose beginning was missed is found, though its numbers fit no window")
  func stray() throws {
    var file = Conversation()
    file.handshake()
    file.out(packet(id: 1), at: 0)
    file.out(packet(id: 7), at: 1 << 30)
    file.out(packet(id: 2), at: length)
    file.out(packet(id: 3), at: 1 << 29)
    file.out(packet(id: 4), at: 1 << 29 + length)
    file.out(packet(id: 5), at: 1 << 29 + 2 * length)
    #expect(try Reading(file.bytes).ids == [1, 2, 4, 5])
  }

  @Test("more connections than are kept cost the ones used least")
  func many() throws {
    var file = Conversation()
    for port in 0..<UInt16(3_000) {
      file.raw(
        NetworkBytes.ipv4(
          NetworkBytes.tcp(Array(packet(id: 1).prefix(200)), sequence: 0, from: port + 1)))
      file.raw(NetworkBytes.ipv4(NetworkBytes.tcp(Array(packet(id: 1)), sequence: 0, from: 9_999)))
    }
    file.raw(
      NetworkBytes.ipv4(
        NetworkBytes.tcp(Array(packet(id: 1).dropFirst(200)), sequence: 200, from: 3_000)))
    #expect(try Reading(file.bytes).seen.packets.count == 2)
  }

  @Test("a stream that never has a packet is looked at no longer, and not talked of")
  func foreign() throws {
    var file = Conversation()
    file.handshake()
    for place in 0..<80 {
      file.out([UInt8](repeating: 0xA1, count: 1_000), at: place * 1_000)
    }
    file.out(packet(id: 1), at: 80_000)
    let reading = try Reading(file.bytes)
    #expect(reading.ids.isEmpty && reading.losses.isEmpty && reading.links.isEmpty)
  }
}
