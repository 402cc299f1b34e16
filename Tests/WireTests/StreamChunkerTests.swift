import Testing
import Wire

/// Runs a chunker over slices and keeps what it hands over.
private struct Run {
  var chunker: StreamChunker
  var packets: [Packet] = []
  var misbehaviour: StreamChunker.Misbehaviour?

  init(_ medium: StreamChunker.Medium = .reliable) { chunker = StreamChunker(medium) }

  mutating func feed(_ bytes: some Collection<UInt8>, at now: Instant = .zero) {
    let slice = Array(bytes)
    var new: [Packet] = []
    let verdict = chunker.append(slice.span.bytes, now: now) { new.append(Packet(copying: $0)) }
    packets += new
    if let verdict { misbehaviour = verdict }
  }

  mutating func expire(at now: Instant) {
    var new: [Packet] = []
    chunker.expire(now: now) { new.append(Packet(copying: $0)) }
    packets += new
  }
}

private func packet(_ number: UInt8, kind: PacketKind = .voice, length: Int = 60) -> Packet {
  Packet(
    kind: kind, hopLimit: 1, time: Timestamp(milliseconds: 1_000), id: id(number),
    destination: Fingerprint(value: 7), payload: [UInt8](repeating: number, count: length))
}

private func id(_ number: UInt8) -> PacketID {
  PacketID([UInt8](repeating: number, count: 16)) ?? PacketID()
}

/// A header that looks right and whose CRC is wrong.
private func badHeader(declaring length: Int) -> [UInt8] {
  var bytes = packet(9, kind: .sealed, length: 304).encoded
  bytes[6] = UInt8(length >> 8)
  bytes[7] = UInt8(length & 255)
  return Array(bytes[..<44])
}

@Suite struct StreamChunkerTests {
  @Test(
    "packets come out whole whatever the size of the slices",
    arguments: [1, 2, 43, 44, 45, 180, 8_284])
  func slices(size: Int) {
    let packets = [
      packet(1), packet(2, kind: .sealed, length: 8_240), packet(3, length: 21),
      packet(4, kind: .sealed, length: 304),
    ]
    let stream = packets.flatMap(\.encoded)
    var run = Run()
    for start in stride(from: 0, to: stream.count, by: size) {
      run.feed(stream[start..<min(start + size, stream.count)])
    }
    #expect(run.packets == packets)
    #expect(run.chunker.heldByteCount == 0)
    #expect(run.chunker.statistics.garbage == 0)
  }

  @Test("bytes between packets are passed over and counted")
  func garbageBetween() {
    var run = Run()
    run.feed([0, 1, 0xA1, 0xA1, 7] + packet(1).encoded + [0xA1] + packet(2).encoded + [0xA1])
    #expect(run.packets == [packet(1), packet(2)])
    #expect(run.chunker.statistics.garbage == 6)
    #expect(run.chunker.heldByteCount == 1)
  }

  @Test(
    "a header that cannot be right costs one byte",
    arguments: [(4, 0), (4, 16), (6, 0x20), (6, 0xFF)])
  func impossibleHeader(offset: Int, value: Int) {
    var bad = Array(badHeader(declaring: 304))
    bad[offset] = UInt8(value)
    if offset == 6 { bad[7] = 0x31 }
    var run = Run()
    run.feed(bad + packet(1).encoded)
    #expect(run.packets == [packet(1)])
    #expect(run.chunker.statistics.checksumFailures == 0)
  }

  @Test("a packet swallowed by a header that declares too much is found inside it")
  func swallowed() {
    var run = Run()
    run.feed(badHeader(declaring: 304) + packet(1).encoded + packet(2).encoded)
    #expect(run.packets.isEmpty)
    run.feed([UInt8](repeating: 0, count: 304))
    #expect(run.packets == [packet(1), packet(2)])
    #expect(run.chunker.statistics.checksumFailures == 1)
  }

  @Test("random cuts, losses, doublings and bit flips cost only the packets they touch")
  func propertyOfReassembly() {
    for seed in 0..<10_000 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let failure = Self.damage(&random)
      #expect(failure == nil, "AIRLINK_SEED=\(seed): \(failure ?? "")")
      if failure != nil { return }
    }
  }

  /// One random stream with random damage; what is wrong with the outcome, if anything.
  private static func damage(_ random: inout SplitMix64) -> String? {
    let count = Int.random(in: 2...9, using: &random)
    var pieces: [(packet: Int, bytes: ArraySlice<UInt8>, damaged: Bool)] = []
    var packets: [Packet] = []
    for index in 0..<count {
      var payload = (0..<Int.random(in: 21...200, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      // Now and then a header inside the payload, to lead the chunker astray.
      if payload.count > 100, Bool.random(using: &random) {
        payload.replaceSubrange(
          20..<64, with: badHeader(declaring: Int.random(in: 0...8_240, using: &random)))
      }
      // A packet that ends like a magic, and loses that end, is made whole by the next one's start:
      // no reader could tell.
      payload[payload.count - 1] = 0
      let packet = Packet(
        kind: .voice, hopLimit: 1, time: Timestamp(milliseconds: UInt64(index)),
        id: id(UInt8(index)), destination: Fingerprint(value: random.next()), payload: payload)
      packets.append(packet)
      var rest = packet.encoded[...]
      while !rest.isEmpty {
        let size = Int.random(in: 1...max(1, min(rest.count, 90)), using: &random)
        pieces.append((index, rest.prefix(size), false))
        rest = rest.dropFirst(size)
      }
    }
    var touched: Set<Int> = []
    var stream: [UInt8] = []
    for piece in pieces {
      switch Int.random(in: 0..<24, using: &random) {
      case 0: touched.insert(piece.packet)  // lost
      case 1:
        touched.insert(piece.packet)
        stream += piece.bytes + piece.bytes
      case 2:
        var bytes = Array(piece.bytes)
        let bit = Int.random(in: 0..<bytes.count * 8, using: &random)
        bytes[bit / 8] ^= 1 << (bit % 8)
        touched.insert(piece.packet)
        stream += bytes
      case 3:
        touched.insert(piece.packet)
        stream += piece.bytes.dropLast()
      default: stream += piece.bytes
      }
    }
    var run = Run()
    var rest = stream[...]
    while !rest.isEmpty {
      let size = Int.random(in: 1...200, using: &random)
      run.feed(rest.prefix(size))
      rest = rest.dropFirst(size)
    }
    // What a header at the end of the stream still waits for comes in time on a real link.
    run.feed([UInt8](repeating: 0, count: 8_300))
    for (index, packet) in packets.enumerated() where !touched.contains(index) {
      guard run.packets.contains(packet) else {
        return "lost packet \(index), which nothing touched"
      }
    }
    // A flip of the hop limit is not covered by the CRC: such a packet may come through changed.
    for packet in run.packets where !packets.contains(where: { $0.payload == packet.payload }) {
      return "made up a packet \(packet.header.id)"
    }
    return nil
  }

  @Test("on a lossy link a packet without a new byte for two seconds is given up")
  func stall() {
    var run = Run(.lossy)
    run.feed(badHeader(declaring: 304) + packet(1).encoded, at: .zero)
    #expect(run.chunker.deadline == .zero + .seconds(2))
    run.expire(at: .zero + .milliseconds(1_999))
    #expect(run.packets.isEmpty)
    run.expire(at: .zero + .seconds(2))
    #expect(run.packets == [packet(1)])
    #expect(run.chunker.deadline == nil)
    #expect(run.chunker.statistics.stalls == 1)
  }

  @Test("bytes that come after the limit find the stalled packet given up already")
  func stallBeforeAppend() {
    var run = Run(.lossy)
    run.feed(packet(1).encoded.dropLast(3), at: .zero)
    run.feed(packet(2).encoded, at: .zero + .seconds(2))
    #expect(run.packets == [packet(2)])
  }

  @Test("a reliable link waits as long as it takes")
  func noStall() {
    var run = Run(.reliable)
    run.feed(packet(1).encoded.dropLast(3), at: .zero)
    #expect(run.chunker.deadline == nil)
    run.expire(at: .zero + .seconds(3_600))
    run.feed(packet(1).encoded.suffix(3), at: .zero + .seconds(7_200))
    #expect(run.packets == [packet(1)])
  }

  @Test("64 KiB in a row without a packet close the link, a packet in between does not")
  func garbageLimit() {
    let noise = [UInt8](repeating: 0x55, count: 64 * 1_024)
    var run = Run()
    run.feed(noise)
    run.feed(packet(1).encoded)
    run.feed(noise)
    #expect(run.misbehaviour == nil)
    run.feed([0x55])
    #expect(run.misbehaviour == .garbage)
    run.feed(packet(2).encoded)
    #expect(run.packets == [packet(1)], "a closed link takes no bytes")
  }

  @Test("more than 64 bad CRCs in ten seconds close the link, spread wider they do not")
  func checksumLimit() {
    var bad = packet(1).encoded
    bad[43] ^= 1
    var quick = Run()
    var slow = Run()
    for index in 0..<65 {
      quick.feed(bad, at: .zero + .milliseconds(index * 156))
      slow.feed(bad + packet(2).encoded, at: .zero + .milliseconds(index * 157))
      #expect(quick.misbehaviour == (index == 64 ? .badChecksums : nil))
    }
    #expect(slow.misbehaviour == nil)
    #expect(slow.chunker.statistics.checksumFailures == 65)
  }

  @Test("headers inside the extent of a failed packet count as one with it")
  func headersInsideExtent() {
    let headers = (0..<100).flatMap { _ in badHeader(declaring: 0) }
    var run = Run()
    run.feed(badHeader(declaring: 100 * 44) + headers)
    #expect(run.chunker.statistics.checksumFailures == 1)
    #expect(run.misbehaviour == nil)
    run.feed(packet(1).encoded)
    #expect(run.packets == [packet(1)])
  }

  @Test("a header behind the extent counts anew, even when it began inside another inner one's")
  func extentIsNotLengthened() {
    let inner = badHeader(declaring: 200)
    var run = Run()
    run.feed(badHeader(declaring: 44) + inner + badHeader(declaring: 0))
    run.feed([UInt8](repeating: 0, count: 300))
    #expect(run.chunker.statistics.checksumFailures == 2)
  }

  @Test("made-up headers cannot ask for more than 64 KiB of checking per extent")
  func boundedChecking() {
    // 187 headers in one extent, each declaring the largest length: 1.5 MB of checking if all were
    // followed. The packet behind the extent still comes out.
    let headers = (0..<187).flatMap { _ in badHeader(declaring: 8_240) }
    var run = Run()
    run.feed(badHeader(declaring: 8_240) + headers + [UInt8](repeating: 0, count: 12))
    run.feed(packet(1).encoded)
    run.feed([UInt8](repeating: 0, count: 8_284))
    #expect(run.chunker.statistics.checksumFailures == 1)
    #expect(run.packets == [packet(1)])
    #expect(run.misbehaviour == nil)
  }

  @Test("another version or an unknown kind is handed over for its reader to refuse")
  func otherVersion() {
    let other = Packet(
      unchecked: 2, kind: 200, hopLimit: 15, flags: 3, time: .zero, id: id(4),
      destination: .everyone, payload: [1])
    var run = Run()
    run.feed(other.encoded)
    #expect(run.packets == [other])
    #expect(other.view.refusal == .otherVersion)
  }

  @Test("what is held stays bounded however long failures follow each other")
  func boundedHolding() {
    var run = Run()
    var most = 0
    for round in 0..<2_000 {
      // Each header reaches past the packet behind it, so that nothing held is ever used up.
      run.feed(
        badHeader(declaring: 200) + packet(UInt8(round % 250)).encoded,
        at: .zero + .seconds(round))
      most = max(most, run.chunker.heldByteCount)
    }
    #expect(run.misbehaviour == nil)
    #expect(run.packets.count >= 1_998)
    #expect(most < 600)
  }
}
