/// An argument of a message.
public indirect enum Value: Hashable, Sendable {
  case byte(UInt8)
  case bool(Bool)
  case int16(Int16)
  case uint16(UInt16)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  case double(Double)
  case string(String)
  case path(ObjectPath)
  /// Any number of complete types.
  case signature(String)
  case descriptor(FileDescriptor)
  /// An array of bytes.
  case bytes([UInt8])
  /// Any other array: the type of its elements, which an empty one has too.
  case array(of: Signature, [Value])
  case dictionary(key: Signature, value: Signature, [Entry])
  case structure([Value])
  case variant(Value)

  public struct Entry: Hashable, Sendable {
    public let key: Value
    public let value: Value

    public init(_ key: Value, _ value: Value) {
      self.key = key
      self.value = value
    }
  }
}

extension Value {
  /// A dictionary of names to variants, `a{sv}`, in the order of the names.
  public static func properties(_ properties: [String: Value]) -> Value {
    .dictionary(
      key: "s", value: "v",
      properties.sorted { $0.key < $1.key }.map { Entry(.string($0.key), .variant($0.value)) })
  }

  public static func strings(_ strings: [String]) -> Value {
    .array(of: "s", strings.map { .string($0) })
  }

  /// Its type, in D-Bus's notation.
  public var type: String {
    switch self {
    case .byte: "y"
    case .bool: "b"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .string: "s"
    case .path: "o"
    case .signature: "g"
    case .descriptor: "h"
    case .bytes: "ay"
    case .array(let element, _): "a\(element)"
    case .dictionary(let key, let value, _): "a{\(key)\(value)}"
    case .structure(let members): "(\(members.map(\.type).joined()))"
    case .variant: "v"
    }
  }
}

/// Reading what came: nil wherever it is something else.
extension Value {
  /// What is inside, however many variants are around it.
  public var unwrapped: Value {
    var value = self
    while case .variant(let inner) = value { value = inner }
    return value
  }

  public var string: String? {
    if case .string(let text) = unwrapped { text } else { nil }
  }

  public var path: ObjectPath? {
    if case .path(let path) = unwrapped { path } else { nil }
  }

  public var bool: Bool? {
    if case .bool(let value) = unwrapped { value } else { nil }
  }

  public var bytes: [UInt8]? {
    if case .bytes(let bytes) = unwrapped { bytes } else { nil }
  }

  public var descriptor: FileDescriptor? {
    if case .descriptor(let descriptor) = unwrapped { descriptor } else { nil }
  }

  /// Any of the integers.
  public var integer: Int? {
    switch unwrapped {
    case .byte(let value): Int(value)
    case .int16(let value): Int(value)
    case .uint16(let value): Int(value)
    case .int32(let value): Int(value)
    case .uint32(let value): Int(value)
    case .int64(let value): Int(value)
    case .uint64(let value): Int(exactly: value)
    default: nil
    }
  }

  /// The elements of an array, those of bytes excepted; the members of a structure.
  public var elements: [Value]? {
    switch unwrapped {
    case .array(_, let elements): elements
    case .structure(let members): members
    default: nil
    }
  }

  public var entries: [Entry]? {
    if case .dictionary(_, _, let entries) = unwrapped { entries } else { nil }
  }

  /// Every string of an array of strings.
  public var strings: [String]? { elements?.compactMap(\.string) }

  /// A dictionary by its names, without the variants around its values.
  ///
  /// Of two entries of one name the later counts.
  public var properties: [String: Value]? {
    guard let entries else { return nil }
    var properties: [String: Value] = [:]
    for entry in entries {
      if let name = entry.key.string { properties[name] = entry.value.unwrapped }
    }
    return properties
  }
}
