import CDBus
import Testing

@testable import DBus

/// Arguments through messages of libdbus, without a bus.
@MainActor
struct ValueTests {
  /// What comes out of a message into which `values` were written.
  func roundTrip(_ values: [Value]) throws -> [Value] {
    let message = try #require(Message(dbus_message_new_signal("/", "a.b", "c")))
    try MessageWriter.append(values, to: message.raw)
    return try message.arguments()
  }

  @Test(
    "comes out as it went in",
    arguments: [
      .byte(255), .bool(true), .bool(false), .int16(-32_768), .uint16(65_535), .int32(-1),
      .uint32(.max), .int64(.min), .uint64(.max), .double(-0.5), .string(""), .string("Grüße 🎉"),
      .path("/"), .path("/org/bluez/hci0"), .signature("a{sv}ay"), .signature(""), .bytes([]),
      .bytes([0, 1, 255]), .array(of: "s", []), .array(of: "ay", [.bytes([1]), .bytes([])]),
      .strings(["a", "b"]), .properties([:]),
      .properties(["A": .bool(true), "B": .strings(["x"]), "C": .bytes([1, 2])]),
      .dictionary(key: "q", value: "v", [.init(.uint16(1), .variant(.bytes([9])))]),
      .dictionary(key: "o", value: "a{sa{sv}}", []),
      .structure([.byte(1), .structure([.string("x")])]), .variant(.variant(.int32(7))),
      .array(of: "(sa{sv})", [.structure([.string("k"), .properties(["v": .byte(1)])])]),
    ] as [Value])
  func roundTrips(value: Value) throws {
    #expect(try roundTrip([value, .byte(7), value]) == [value, .byte(7), value])
  }

  @Test(
    "what D-Bus does not allow is refused before libdbus sees it",
    arguments: [
      .string("a\0b"), .signature("z"), .signature("a"), .array(of: "s", [.byte(1)]),
      .array(of: "y", [.byte(1)]), .structure([]), .variant(.structure([])),
      .dictionary(key: "v", value: "s", []),
      .dictionary(key: "s", value: "s", [.init(.byte(1), .string(""))]),
      .descriptor(FileDescriptor(-1)),
    ] as [Value])
  func unspeakable(value: Value) {
    let error = #expect(throws: BusError.self) { try roundTrip([.variant(.byte(1)), value]) }
    guard case .unspeakable = error else {
      Issue.record("refused as \(String(describing: error))")
      return
    }
  }

  @Test("a path is refused unless it is one", arguments: ["", "a", "/a/", "//", "/a-b", "/a\0"])
  func paths(text: String) { #expect(ObjectPath(text) == nil) }

  @Test(
    "a type is refused unless it is exactly one", arguments: ["", "ss", "a", "{sv}", "(", "s\0"])
  func types(text: String) { #expect(Signature(text) == nil) }

  @Test("depth is bounded in both directions")
  func depth() throws {
    func nested(_ levels: Int) -> Value {
      (0..<levels).reduce(.byte(1)) { value, _ in .variant(value) }
    }
    #expect(try roundTrip([nested(15)]) == [nested(15)])
    #expect(throws: BusError.tooLarge) { try roundTrip([nested(16)]) }
    // Deeper than the writer goes, as a stranger may send it.
    let message = try #require(Message(dbus_message_new_signal("/", "a.b", "c")))
    let levels = UnsafeMutablePointer<DBusMessageIter>.allocate(capacity: 21)
    levels.initialize(repeating: DBusMessageIter(), count: 21)
    defer { levels.deallocate() }
    dbus_message_iter_init_append(message.raw, levels)
    for level in 0..<20 {
      dbus_message_iter_open_container(
        levels + level, CInt(UInt8(ascii: "v")), level == 19 ? "y" : "v", levels + level + 1)
    }
    var byte: UInt8 = 1
    dbus_message_iter_append_basic(levels + 20, CInt(UInt8(ascii: "y")), &byte)
    for level in (0..<20).reversed() {
      dbus_message_iter_close_container(levels + level, levels + level + 1)
    }
    #expect(throws: BusError.tooLarge) { try message.arguments() }
  }

  @Test("the number of values is bounded, that of bytes by the message alone")
  func counts() throws {
    let many = Value.array(
      of: "q", Array(repeating: .uint16(1), count: MessageReader.maximumValues))
    #expect(throws: BusError.tooLarge) { try roundTrip([many]) }
    let bytes = Value.bytes(Array(repeating: 7, count: MessageWriter.maximumBytes))
    #expect(try roundTrip([bytes]) == [bytes])
    #expect(throws: BusError.tooLarge) {
      try roundTrip([.bytes(Array(repeating: 7, count: MessageWriter.maximumBytes + 1))])
    }
  }

  @Test("any nesting of any types comes out as it went in", arguments: [UInt64(1), 2, 3, 4])
  func random(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    for _ in 0..<200 {
      let values = (0..<3).map { _ in Self.value(&random, depth: 0) }
      #expect(try roundTrip(values) == values, "seed \(seed)")
    }
  }

  private static func value(_ random: inout SeededGenerator, depth: Int) -> Value {
    let basics: [Value] = [
      .byte(.random(in: 0...255, using: &random)), .bool(.random(using: &random)),
      .int16(.random(in: .min ... .max, using: &random)),
      .uint64(.random(in: 0 ... .max, using: &random)), .double(1.5), .string("x"), .path("/a"),
      .bytes((0..<Int.random(in: 0...9, using: &random)).map(UInt8.init)),
    ]
    let basic = basics.randomElement(using: &random) ?? .byte(0)
    guard depth < 6 else { return basic }
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return .variant(value(&random, depth: depth + 1))
    case 1:
      return .structure(
        (0...Int.random(in: 0...2, using: &random)).map { _ in value(&random, depth: depth + 1) })
    case 2:
      let element = value(&random, depth: depth + 1)
      guard element.type != "y" else { return element }
      let count = Int.random(in: 0...3, using: &random)
      return .array(
        of: Signature(composed: element.type), Array(repeating: element, count: count))
    case 3:
      let element = value(&random, depth: depth + 1)
      return .dictionary(
        key: "s", value: Signature(composed: element.type), [.init(.string("k"), element)])
    default: return basic
    }
  }

  @Test("reading is nil wherever it is something else")
  func accessors() {
    #expect(Value.variant(.variant(.string("x"))).string == "x")
    #expect(Value.byte(1).string == nil)
    #expect(Value.path("/a").string == nil)
    #expect(Value.uint64(.max).integer == nil)
    #expect(Value.int16(-3).integer == -3)
    #expect(Value.properties(["A": .byte(1)]).properties == ["A": .byte(1)])
    #expect(Value.strings(["a"]).strings == ["a"])
    #expect(Value.bytes([1]).elements == nil)
  }

  @Test("one path is within another by whole names")
  func within() {
    let (inner, outer): (ObjectPath, ObjectPath) = ("/a/b", "/a")
    #expect(inner.isWithin(outer))
    #expect(outer.isWithin(outer))
    #expect(outer.isWithin("/"))
    #expect(!outer.isWithin(inner))
    #expect(!("/ab" as ObjectPath).isWithin(outer))
  }
}

/// SplitMix64: a test that failed can be run again.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
