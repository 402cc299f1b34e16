internal import CDBus
internal import Glibc

/// Reads a message's arguments.
///
/// libdbus has checked them by then: lengths, types and UTF-8 are what they claim to be. What is
/// left to bound is how deep and how many.
struct MessageReader {
  /// Levels of containers; D-Bus itself allows 64.
  static let maximumDepth = 16
  /// Values in one message, those in arrays of bytes not counted.
  ///
  /// All objects of a bluetoothd that
  /// knows a thousand devices are some hundred thousand.
  static let maximumValues = 1 << 18

  private var valuesLeft = maximumValues

  /// The arguments of `message`.
  ///
  /// - Throws: `BusError.tooLarge`.
  static func arguments(of message: OpaquePointer) throws(BusError) -> [Value] {
    var iterator = DBusMessageIter()
    guard dbus_message_iter_init(message, &iterator) != 0 else { return [] }
    var reader = MessageReader()
    return try reader.all(&iterator, depth: 0)
  }

  private mutating func all(
    _ iterator: inout DBusMessageIter, depth: Int
  ) throws(BusError) -> [Value] {
    var values: [Value] = []
    while let type = Self.type(&iterator) {
      values.append(try value(&iterator, type, depth))
      dbus_message_iter_next(&iterator)
    }
    return values
  }

  /// The type of what comes next; nil at the end.
  private static func type(_ iterator: inout DBusMessageIter) -> UInt8? {
    let type = UInt8(truncatingIfNeeded: dbus_message_iter_get_arg_type(&iterator))
    return type == 0 ? nil : type
  }

  private mutating func value(
    _ iterator: inout DBusMessageIter, _ type: UInt8, _ depth: Int
  ) throws(BusError) -> Value {
    valuesLeft -= 1
    guard valuesLeft > 0, depth < Self.maximumDepth else { throw .tooLarge }
    switch type {
    case UInt8(ascii: "a"): return try array(&iterator, depth)
    case UInt8(ascii: "r"):
      var inner = DBusMessageIter()
      dbus_message_iter_recurse(&iterator, &inner)
      return .structure(try all(&inner, depth: depth + 1))
    case UInt8(ascii: "v"):
      var inner = DBusMessageIter()
      dbus_message_iter_recurse(&iterator, &inner)
      guard let type = Self.type(&inner) else { throw .tooLarge }
      return .variant(try value(&inner, type, depth + 1))
    default:
      return try Self.basic(&iterator, type)
    }
  }

  private static func basic(
    _ iterator: inout DBusMessageIter, _ type: UInt8
  ) throws(BusError) -> Value {
    var basic = DBusBasicValue()
    dbus_message_iter_get_basic(&iterator, &basic)
    switch type {
    case UInt8(ascii: "y"): return .byte(basic.byt)
    case UInt8(ascii: "b"): return .bool(basic.bool_val != 0)
    case UInt8(ascii: "n"): return .int16(basic.i16)
    case UInt8(ascii: "q"): return .uint16(basic.u16)
    case UInt8(ascii: "i"): return .int32(basic.i32)
    case UInt8(ascii: "u"): return .uint32(basic.u32)
    case UInt8(ascii: "x"): return .int64(Int64(basic.i64))
    case UInt8(ascii: "t"): return .uint64(UInt64(basic.u64))
    case UInt8(ascii: "d"): return .double(basic.dbl)
    // A duplicate, which is ours to close.
    case UInt8(ascii: "h"): return .descriptor(FileDescriptor(basic.fd))
    default: break
    }
    guard let text = basic.str.map({ String(cString: $0) }) else { throw .tooLarge }
    switch type {
    case UInt8(ascii: "s"): return .string(text)
    case UInt8(ascii: "g"): return .signature(text)
    case UInt8(ascii: "o"):
      guard let path = ObjectPath(text) else { throw .tooLarge }
      return .path(path)
    // A type that this libdbus knows and this program does not.
    default: throw .tooLarge
    }
  }

  private mutating func array(
    _ iterator: inout DBusMessageIter, _ depth: Int
  ) throws(BusError) -> Value {
    var inner = DBusMessageIter()
    let element = UInt8(truncatingIfNeeded: dbus_message_iter_get_element_type(&iterator))
    dbus_message_iter_recurse(&iterator, &inner)
    if element == UInt8(ascii: "y") { return .bytes(Self.bytes(&inner)) }
    guard let signature = dbus_message_iter_get_signature(&iterator) else { throw .tooLarge }
    defer { dbus_free(signature) }
    let text = String(cString: signature).dropFirst()
    guard element == UInt8(ascii: "e") else {
      return .array(of: Signature(composed: String(text)), try all(&inner, depth: depth + 1))
    }
    var entries: [Value.Entry] = []
    while let type = Self.type(&inner) {
      var pair = DBusMessageIter()
      dbus_message_iter_recurse(&inner, &pair)
      let both = try all(&pair, depth: depth + 1)
      guard type == UInt8(ascii: "e"), both.count == 2 else { throw .tooLarge }
      entries.append(Value.Entry(both[0], both[1]))
      dbus_message_iter_next(&inner)
    }
    // `{sv}`: a key is of one letter, always.
    let types = text.dropFirst().dropLast()
    return .dictionary(
      key: Signature(composed: String(types.prefix(1))),
      value: Signature(composed: String(types.dropFirst())), entries)
  }

  private static func bytes(_ inner: inout DBusMessageIter) -> [UInt8] {
    var start: UnsafePointer<UInt8>?
    var count: CInt = 0
    // For an empty array there is nothing to point at.
    guard type(&inner) != nil else { return [] }
    dbus_message_iter_get_fixed_array(&inner, &start, &count)
    return Array(UnsafeBufferPointer(start: start, count: Int(count)))
  }
}
