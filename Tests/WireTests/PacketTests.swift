import CCRC32C
import Testing
import Wire

@Suite struct PacketTests {
  private static func packet(
    kind: PacketKind = .voice, hopLimit: UInt8 = 1, length: Int = 60
  ) -> Packet {
    Packet(
      kind: kind, hopLimit: hopLimit, time: Timestamp(milliseconds: 0x0102_0304_0506_0708),
      id: PacketID(Array(0x10..<0x20)) ?? PacketID(),
      destination: Fingerprint(value: 0xA0A1_A2A3_A4A5_A6A7),
      payload: (0..<length).map { UInt8(truncatingIfNeeded: $0) })
  }

  @Test("every field stands where the protocol puts it")
  func layout() {
    let bytes = Self.packet(kind: .sealed, hopLimit: 7, length: 304).encoded
    #expect(bytes.count == 44 + 304)
    #expect(Array(bytes[..<8]) == [0xA1, 0x1C, 1, 2, 7, 0, 0x01, 0x30])
    #expect(Array(bytes[12..<20]) == Array(1...8))
    #expect(Array(bytes[20..<36]) == Array(0x10..<0x20))
    #expect(Array(bytes[36..<44]) == [0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7])
    #expect(Array(bytes[44...].prefix(3)) == [0, 1, 2])
    var covered = bytes
    for offset in [4, 8, 9, 10, 11] { covered[offset] = 0 }
    let crc = airlink_crc32c(0, covered, covered.count)
    #expect(Array(bytes[8..<12]) == (0..<4).map { UInt8(truncatingIfNeeded: crc >> (24 - 8 * $0)) })
  }

  @Test("a packet read again is the same packet", arguments: propertySeeds)
  func roundTrip(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for kind in [PacketKind.hello, .sealed, .voice] {
      let lengths =
        switch kind {
        case .hello: Array(129...193)
        case .sealed: [304, 560, 1_072, 2_096, 4_144, 8_240]
        default: Array(21...1_400)
        }
      let packet = Packet(
        kind: kind, hopLimit: UInt8.random(in: 1...kind.maximumHopLimit, using: &random),
        time: Timestamp(milliseconds: random.next()), id: random.value(),
        destination: random.value(),
        payload: random.bytes(lengths.randomElement(using: &random) ?? 304))
      let again = try #require(whole(packet.encoded), "seed \(seed)")
      #expect(again == packet, "seed \(seed)")
      #expect(again.header.flags == 0)
      #expect(again.header.packetLength == packet.encoded.count)
      #expect(Array(packet.payload) == Array(packet.encoded[44...]))
      #expect(packet.view.refusal == nil)
    }
  }

  @Test("every changed bit is found, but for those of the hop limit")
  func anyBit() {
    let packet = Self.packet()
    for bit in 0..<(packet.encoded.count * 8) where bit / 8 != 4 {
      var changed = packet.encoded
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(whole(changed) == nil, "bit \(bit)")
    }
  }

  @Test("the hop limit is outside the CRC and within 1 and 15")
  func hopLimit() {
    let packet = Self.packet(kind: .sealed, hopLimit: 7, length: 304)
    for hops in UInt8.min...UInt8.max {
      var changed = packet.encoded
      changed[4] = hops
      #expect((whole(changed)?.header.hopLimit == hops) == (1...15).contains(hops), "hops \(hops)")
    }
    let relayed = Packet(packet, hopLimit: 6)
    #expect(relayed.header.hopLimit == 6)
    #expect(relayed.header.crc == packet.header.crc)
    #expect(whole(relayed.encoded) == relayed)
    #expect(Packet(relayed, hopLimit: 7) == packet)
  }

  @Test("flags are kept as they came, also when the hop limit changes", arguments: [1, 0x80, 0xFF])
  func flags(flags: UInt8) throws {
    let packet = Packet(
      unchecked: 1, kind: 2, hopLimit: 5, flags: flags, time: .zero, id: PacketID(),
      destination: .everyone, payload: [UInt8](repeating: 0, count: 304))
    let read = try #require(whole(packet.encoded))
    #expect(read.header.flags == flags)
    #expect(read.view.refusal == nil)
    let relayed = Packet(read, hopLimit: 4)
    #expect(relayed.header.flags == flags)
    #expect(relayed.encoded[5] == flags)
    #expect(whole(relayed.encoded) == relayed)
  }

  @Test("a payload has one of the lengths of its kind")
  func lengths() {
    let sealed: Set = [304, 560, 1_072, 2_096, 4_144, 8_240]
    for length in 0...8_300 {
      #expect(PacketKind.hello.allowsPayload(ofLength: length) == (129...193).contains(length))
      #expect(PacketKind.sealed.allowsPayload(ofLength: length) == sealed.contains(length))
      #expect(PacketKind.voice.allowsPayload(ofLength: length) == (21...1_400).contains(length))
      #expect(PacketKind.unknown(9).allowsPayload(ofLength: length))
    }
  }

  @Test("a length that the kind has not is said", arguments: [0, 20, 128, 194, 303, 305, 1_401])
  func badLength(length: Int) throws {
    for kind in [1, 2, 3] as [UInt8] {
      let packet = Packet(
        unchecked: 1, kind: kind, hopLimit: 1, flags: 0, time: .zero, id: PacketID(),
        destination: .everyone, payload: [UInt8](repeating: 0, count: length))
      let read = try #require(whole(packet.encoded))
      let allowed = PacketKind(rawValue: kind).allowsPayload(ofLength: length)
      #expect(read.view.refusal == (allowed ? nil : .badLength))
    }
  }

  @Test("a version or kind of later days is read and named, not mistaken for damage")
  func laterDays() throws {
    for (version, kind, refusal) in [
      (2, 2, .otherVersion), (0, 2, .otherVersion), (255, 200, .otherVersion), (1, 0, .unknownKind),
      (1, 4, .unknownKind), (1, 255, .unknownKind),
    ] as [(UInt8, UInt8, PacketRefusal)] {
      let packet = Packet(
        unchecked: version, kind: kind, hopLimit: 15, flags: 3, time: .zero, id: PacketID(),
        destination: .everyone, payload: [1, 2, 3])
      let read = try #require(whole(packet.encoded))
      #expect(read.view.refusal == refusal)
      #expect(read.header.version == version)
      #expect(read.header.kind.rawValue == kind)
    }
  }

  @Test("a kind keeps its number", arguments: UInt8.min...UInt8.max)
  func kindNumber(value: UInt8) {
    #expect(PacketKind(rawValue: value).rawValue == value)
  }

  @Test("hops by kind: hello 2, voice 1, sealed 15")
  func maximumHops() {
    #expect(PacketKind.hello.maximumHopLimit == 2)
    #expect(PacketKind.voice.maximumHopLimit == 1)
    #expect(PacketKind.sealed.maximumHopLimit == 15)
  }

  @Test("bytes that are cut, or that have more behind them, are no whole packet")
  func cuts() {
    let bytes = Self.packet().encoded
    for length in 0..<bytes.count { #expect(whole(Array(bytes[..<length])) == nil) }
    #expect(whole(bytes + [0]) == nil)
    #expect(whole(bytes) != nil)
  }

  @Test("a payload over 8,240 bytes is no packet, whatever its CRC")
  func tooLong() {
    var bytes = Self.packet(kind: .sealed, length: 8_240).encoded
    #expect(whole(bytes) != nil)
    bytes.append(0)
    bytes[6] = UInt8(8_241 >> 8)
    bytes[7] = UInt8(8_241 & 255)
    var covered = bytes
    for offset in [4, 8, 9, 10, 11] { covered[offset] = 0 }
    let crc = airlink_crc32c(0, covered, covered.count)
    for index in 0..<4 { bytes[8 + index] = UInt8(truncatingIfNeeded: crc >> (24 - 8 * index)) }
    #expect(whole(bytes) == nil)
  }
}
