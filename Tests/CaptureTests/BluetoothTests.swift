import Capture
import Testing
import Wire

/// Bluetooth packets, made byte by byte as the Core specification has them.
enum BluetoothBytes {
  static let inbox: UInt16 = 0x0012
  static let outbox: UInt16 = 0x0015

  static func little(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  static func l2cap(_ payload: [UInt8], channel: UInt16 = 4) -> [UInt8] {
    little(UInt16(payload.count)) + little(channel) + payload
  }

  static func write(_ value: [UInt8], code: UInt8 = 0x52, handle: UInt16 = inbox) -> [UInt8] {
    l2cap([code] + little(handle) + value)
  }

  static func notify(_ value: [UInt8]) -> [UInt8] { write(value, code: 0x1B, handle: outbox) }

  /// ACL data in pieces of at most `size` bytes; `begin` is the mark of a first piece.
  static func acl(
    _ packet: [UInt8], handle: UInt16 = 64, size: Int = 27, begin: UInt16 = 0
  ) -> [[UInt8]] {
    stride(from: 0, to: packet.count, by: size).map { start in
      let piece = Array(packet[start..<min(start + size, packet.count)])
      let mark: UInt16 = start == 0 ? begin : 1
      return little(handle | mark << 12) + little(UInt16(piece.count)) + piece
    }
  }

  static func connected(handle: UInt16 = 64) -> [UInt8] {
    let body: [UInt8] =
      [0x01, 0] + little(handle) + [0, 0, 6, 5, 4, 3, 2, 1] + [0, 0, 0, 0, 0, 0, 0]
    return [0x3E, UInt8(body.count)] + body
  }

  static func disconnected(handle: UInt16 = 64) -> [UInt8] { [5, 4, 0] + little(handle) + [0x13] }
}

@Suite("Capture: Bluetooth") struct BluetoothTests {
  private typealias B = BluetoothBytes

  enum Form: CaseIterable {
    case h4, h4WithDirection, monitor, btsnoopH4, btsnoopPlain, btsnoopMonitor
  }

  enum Item {
    case event([UInt8])
    case sent([UInt8])
    case received([UInt8])
  }

  static func capture(_ form: Form, _ items: [Item]) -> [UInt8] {
    var file = CaptureBytes(isBigEndian: true)
    switch form {
    case .h4: file.pcapHeader(linkType: 187)
    case .h4WithDirection: file.pcapHeader(linkType: 201)
    case .monitor: file.pcapHeader(linkType: 254)
    case .btsnoopH4: file.btsnoopHeader(1_002)
    case .btsnoopPlain: file.btsnoopHeader(1_001)
    case .btsnoopMonitor: file.btsnoopHeader(2_001)
    }
    for item in items {
      let (type, isSent, code, data): (UInt8, Bool, UInt32, [UInt8]) =
        switch item {
        case .event(let data): (4, false, 3, data)
        case .sent(let data): (2, true, 4, data)
        case .received(let data): (2, false, 5, data)
        }
      switch form {
      case .h4: file.pcapRecord([type] + data)
      case .h4WithDirection: file.pcapRecord([0, 0, 0, isSent ? 0 : 1, type] + data)
      case .monitor: file.pcapRecord([0, 0, 0, UInt8(code)] + data)
      case .btsnoopH4: file.btsnoopRecord([type] + data, flags: isSent ? 0 : 1)
      case .btsnoopPlain:
        file.btsnoopRecord(data, flags: (isSent ? 0 : 1) | (type == 4 ? 2 : 0))
      case .btsnoopMonitor: file.btsnoopRecord(data, flags: code)
      }
    }
    return file.bytes
  }

  private static func chunks(_ bytes: [UInt8], _ size: Int = 100) -> [[UInt8]] {
    stride(from: 0, to: bytes.count, by: size).map {
      Array(bytes[$0..<min($0 + size, bytes.count)])
    }
  }

  private static func conversation(begin: UInt16 = 0) -> [Item] {
    let out = chunks(packet(id: 1) + packet(id: 2)).flatMap { B.acl(B.write($0)) }
    let back = chunks(packet(id: 3)).flatMap { B.acl(B.notify($0), begin: 2) }
    return [.event(B.connected())] + out.map { .sent($0) } + back.map { .received($0) }
  }

  @Test("writes and notifications are put together in every form", arguments: Form.allCases)
  func forms(form: Form) throws {
    let reading = try Reading(Self.capture(form, Self.conversation()))
    #expect(reading.ids == [1, 2, 3])
    #expect(reading.losses.isEmpty)
    #expect(
      reading.seen.packets.map(\.crossing.direction) == [.outbound, .outbound, .inbound])
    let isPcap = [.h4, .h4WithDirection, .btsnoopH4, .btsnoopPlain].contains(form)
    #expect(reading.links == [isPcap ? "hci 01:02:03:04:05:06" : "hci0 01:02:03:04:05:06"])
  }

  @Test("pieces of both directions may lie between each other", arguments: Form.allCases)
  func interleaved(form: Form) throws {
    let out = B.acl(B.write(packet(id: 1)))
    let back = B.acl(B.notify(packet(id: 2)), begin: 2)
    var items: [Item] = []
    for (a, b) in zip(out, back) { items += [.sent(a), .received(b)] }
    let reading = try Reading(Self.capture(form, items))
    // Without a direction nobody can tell them apart.
    #expect(form == .h4 || reading.ids == [1, 2])
    #expect(form == .h4 || reading.links.first?.hasSuffix(" handle 64") == true)
  }

  @Test(
    "all ways to write are read",
    arguments: [0x12, 0x52, 0x1B, 0x1D, 0x16, 0xD2, 0x23] as [UInt8])
  func ways(code: UInt8) throws {
    let bytes = packet(id: 5)
    let value: [UInt8] =
      switch code {
      case 0x16: [0, 0] + bytes
      case 0xD2: bytes + [UInt8](repeating: 9, count: 12)
      default: bytes
      }
    let attribute =
      code == 0x23
      ? B.l2cap([code] + B.little(B.inbox) + B.little(UInt16(value.count)) + value)
      : B.write(value, code: code)
    let items = B.acl(attribute, size: 1_000).map { Item.sent($0) }
    #expect(try Reading(Self.capture(.monitor, items)).ids == [5])
  }

  @Test("a piece that is missing costs the packets it touched")
  func missing() throws {
    let good = B.acl(B.write(packet(id: 1)), size: 1_000)
    var broken = B.acl(B.write(packet(id: 2)))
    broken.remove(at: 3)
    let items = good + broken + B.acl(B.write(packet(id: 3)), size: 1_000)
    let reading = try Reading(Self.capture(.monitor, items.map { .sent($0) }))
    #expect(reading.ids == [1, 3])
    #expect(reading.losses == [.gap(bytes: 27)])
    // The middle of a packet whose beginning was missed.
    let late = good + broken.dropFirst() + good
    let second = try Reading(Self.capture(.monitor, late.map { .sent($0) }))
    #expect(second.ids == [1, 1])
    #expect(second.losses.allSatisfy { if case .gap = $0 { true } else { false } })
  }

  /// A command of L2CAP, and parts of a packet on a channel that it opened.
  private static func command(_ code: UInt8, _ body: [UInt8], identifier: UInt8 = 7) -> [UInt8] {
    B.acl(
      B.l2cap([code, identifier] + B.little(UInt16(body.count)) + body, channel: 5), size: 1_000
    ).flatMap { $0 }
  }

  private static func parts(_ attribute: [UInt8], channel: UInt16, size: Int) -> [[UInt8]] {
    let whole = B.little(UInt16(attribute.count)) + attribute
    return chunks(whole, size).flatMap { B.acl(B.l2cap($0, channel: channel), size: 1_000) }
  }

  @Test(
    "channels that are opened for attributes beside the fixed one are read",
    arguments: [false, true])
  func enhanced(several: Bool) throws {
    let numbers: (own: UInt16, theirs: UInt16) = (0x44, 0x55)
    let rest = B.little(UInt16(517)) + B.little(UInt16(188)) + B.little(UInt16(3))
    let ask =
      several
      ? Self.command(
        0x17, B.little(UInt16(0x27)) + rest + B.little(0x43 as UInt16) + B.little(numbers.own))
      : Self.command(0x14, B.little(UInt16(0x27)) + B.little(numbers.own) + rest)
    let reply =
      several
      ? Self.command(0x18, rest + [0, 0] + B.little(0x54 as UInt16) + B.little(numbers.theirs))
      : Self.command(0x15, B.little(numbers.theirs) + rest + [0, 0])
    let out = Self.parts(
      [0x52] + B.little(B.inbox) + packet(id: 1), channel: numbers.theirs, size: 100)
    let back = Self.parts(
      [0x1B] + B.little(B.outbox) + packet(id: 2), channel: numbers.own, size: 90)
    let other = Self.parts([0x1B] + B.little(B.outbox) + packet(id: 3), channel: 0x60, size: 90)
    var items: [Item] = [.event(B.connected()), .sent(ask), .received(reply)]
    items += out.map { .sent($0) } + back.map { .received($0) } + other.map { .received($0) }
    let reading = try Reading(Self.capture(.monitor, items))
    #expect(reading.ids == [1, 2])
    #expect(reading.losses.isEmpty)
    // Closed again, the number may be anybody's.
    let close = Self.command(0x06, B.little(numbers.theirs) + B.little(numbers.own))
    let closed = try Reading(
      Self.capture(.monitor, items + [.sent(close)] + back.map { .received($0) }))
    #expect(closed.ids == [1, 2])
    // A part that is missing costs its packet and is said.
    var broken = out
    broken.remove(at: 1)
    let cut = try Reading(
      Self.capture(
        .monitor, Array(items.prefix(3)) + (broken + out + out).map { .sent($0) }))
    #expect(cut.ids.last == 1)
  }

  @Test("other attributes of a connection that carries packets are nobody's loss")
  func otherAttributes() throws {
    let subscription = B.acl(B.write([1, 0], code: 0x12, handle: 0x16))
    let battery = B.acl(B.write([99], code: 0x1B, handle: 0x30), begin: 2)
    let items =
      subscription.map { Item.sent($0) } + Self.conversation() + battery.map { .received($0) }
      + subscription.map { .sent($0) }
    let reading = try Reading(Self.capture(.monitor, items))
    #expect(reading.ids == [1, 2, 3])
    #expect(reading.losses.isEmpty)
  }

  @Test("a handle that is used again is another link, and other channels are left alone")
  func handles() throws {
    let start = B.acl(B.write(Array(packet(id: 1).prefix(100))), size: 1_000)
    let rest = B.acl(B.write(Array(packet(id: 1).dropFirst(100))), size: 1_000)
    let other = B.acl(B.l2cap([0x52] + B.little(B.inbox) + packet(id: 9), channel: 6), size: 1_000)
    let whole = B.acl(B.write(packet(id: 2)), size: 1_000)
    let items: [Item] =
      [.event(B.connected()), .sent(whole[0]), .sent(start[0])]
      + [.event(B.disconnected()), .sent(rest[0]), .sent(other[0]), .sent(whole[0])]
    let reading = try Reading(Self.capture(.monitor, items))
    #expect(reading.ids == [2, 2])
    #expect(reading.links == ["hci0 01:02:03:04:05:06", "hci0 handle 64"])
    #expect(
      reading.losses == [
        .unfinished(bytes: 100), .skipped(bytes: packet().count - 100, badChecksums: 0),
      ])
  }

  @Test("a packet whose rest never comes is given up after a while, as a node does")
  func stall() throws {
    var file = CaptureBytes(isBigEndian: true)
    file.pcapHeader(linkType: 254)
    func put(_ value: [UInt8], _ seconds: UInt32) {
      for piece in B.acl(B.write(value), size: 1_000) {
        file.pcapRecord([0, 0, 0, 4] + piece, seconds: seconds)
      }
    }
    put(packet(id: 1), 1)
    put(Array(packet(id: 2).prefix(200)), 2)
    put(packet(id: 3), 5)
    #expect(try Reading(file.bytes).ids == [1, 3])
  }

  @Test("bytes changed at random never trap", arguments: propertySeeds)
  func hostile(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for form in Form.allCases {
      var bytes = Self.capture(form, Self.conversation())
      for _ in 0..<20 {
        let place = Int.random(in: 24..<bytes.count, using: &random)
        bytes[place] = UInt8.random(in: 0...255, using: &random)
      }
      _ = try Reading(bytes)
    }
  }
}

@Suite("Capture: btsnoop") struct BtsnoopTests {
  @Test("times count from the year 0, in microseconds")
  func times() throws {
    let reading = try Reading(BluetoothTests.capture(.btsnoopH4, [.event([1])]))
    #expect(reading.format == .btsnoop)
    #expect(reading.records.map { $0.info.time?.nanoseconds } == [1_750_000_000_000_007_000])
    #expect(reading.records.map(\.bytes) == [[4, 1]])
  }

  @Test("a file cut anywhere gives what is whole, and where it stopped")
  func cut() throws {
    let one = BluetoothTests.capture(.btsnoopH4, [.event([1, 2, 3])])
    let two = BluetoothTests.capture(.btsnoopH4, [.event([1, 2, 3]), .event([4, 5, 6])])
    for length in one.count + 1..<two.count {
      let reading = try Reading(Array(two.prefix(length)))
      #expect(reading.records.count == 1)
      guard case .cut(let offset, _)? = reading.error else {
        Issue.record("no error at \(length)")
        continue
      }
      #expect(offset == UInt64(one.count))
    }
    #expect(try Reading(one).error == nil)
    guard case .cut(0, _)? = try Reading(Array(one.prefix(12))).error else {
      Issue.record("no error for a header that is cut")
      return
    }
  }

  @Test("damage is named with its place")
  func damaged() throws {
    var version = CaptureBytes(isBigEndian: true)
    version.btsnoopHeader(1_002, version: 2)
    #expect(
      try Reading(version.bytes).error
        == .damaged(offset: 8, reason: "a version other than 1"))
    var type = CaptureBytes(isBigEndian: true)
    type.btsnoopHeader(1_003)
    guard case .damaged(12, _)? = try Reading(type.bytes).error else {
      Issue.record("no error for a type that is not read")
      return
    }
    var length = CaptureBytes(isBigEndian: true)
    length.btsnoopHeader(1_002)
    length.btsnoopRecord([], flags: 0, captured: .max)
    guard case .damaged(16, _)? = try Reading(length.bytes).error else {
      Issue.record("no error for a length that cannot be")
      return
    }
  }
}

extension CaptureBytes {
  mutating func btsnoopHeader(_ type: UInt32, version: UInt32 = 1) {
    bytes += Array("btsnoop\0".utf8)
    put(version)
    put(type)
  }

  mutating func btsnoopRecord(_ data: [UInt8], flags: UInt32, captured: UInt32? = nil) {
    put(UInt32(data.count))
    put(captured ?? UInt32(data.count))
    put(flags)
    put(0 as UInt32)
    put(0x00DC_DDB3_0F2F_8000 + 1_750_000_000_000_007 as Int64)
    bytes += data
  }
}
