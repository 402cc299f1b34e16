internal import CJansson

/// Why a line is no JSON that AirLink takes.
public enum JSONError: Error, Equatable, Sendable {
  case tooLong(bytes: Int, limit: Int)
  case tooDeep(limit: Int)
  case tooManyValues(limit: Int)
  /// What the parser says, with the byte it stopped at.
  case malformed(String, offset: Int)
}

extension JSONError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .tooLong(let bytes, let limit): "a line of \(bytes) bytes, over \(limit)"
    case .tooDeep(let limit): "nested deeper than \(limit)"
    case .tooManyValues(let limit): "more than \(limit) values in one line"
    case .malformed(let reason, let offset): "\(reason) at byte \(offset)"
    }
  }
}

/// Reads one JSON value (RFC 8259) from bytes that anybody may have written.
///
/// Strict: UTF-8 without flaws, `\u` with whole surrogate pairs, one value and nothing after it,
/// integers of 64 bits, finite numbers. A field given twice is refused, for two readers of such an
/// object could understand it differently. U+0000 in a string is kept, in a field's name refused.
public enum JSONReader {
  /// The longest line of a command, by the contract of `airlink-node --json`.
  public static let maximumBytes = 65_536
  public static let maximumDepth = 32
  /// A value costs about 60 bytes; this keeps a line under a megabyte.
  public static let maximumValues = 4096

  public static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
    guard bytes.count <= maximumBytes else {
      throw .tooLong(bytes: bytes.count, limit: maximumBytes)
    }
    try checkShape(bytes)
    var problem = json_error_t()
    let flags = JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY
    let root = bytes.withUnsafeBytes {
      json_loadb($0.baseAddress, $0.count, Int(flags), &problem)
    }
    guard let root else {
      throw .malformed(message(of: &problem), offset: max(0, Int(problem.position)))
    }
    defer { json_decref(root) }
    return value(of: root)
  }

  public static func parse(_ text: String) throws(JSONError) -> JSONValue {
    try parse(Array(text.utf8))
  }

  /// Counts brackets and commas outside strings, before any memory goes into a tree.
  private static func checkShape(_ bytes: [UInt8]) throws(JSONError) {
    var depth = 0
    var values = 1
    var inString = false
    var escaped = false
    for byte in bytes {
      if inString {
        if escaped {
          escaped = false
        } else if byte == UInt8(ascii: "\\") {
          escaped = true
        } else if byte == UInt8(ascii: "\"") {
          inString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): inString = true
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        values += 1
        if depth > maximumDepth { throw .tooDeep(limit: maximumDepth) }
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: ","): values += 1
      default: break
      }
      if values > maximumValues { throw .tooManyValues(limit: maximumValues) }
    }
  }

  private static func message(of problem: inout json_error_t) -> String {
    withUnsafeBytes(of: &problem.text) { text in
      // The library quotes the input near the flaw: made harmless, for it may be shown.
      DisplayText(String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)).description
    }
  }

  private static func value(of node: UnsafeMutablePointer<json_t>) -> JSONValue {
    switch airlink_json_typeof(node) {
    case JSON_OBJECT:
      var fields: [JSONObject.Field] = []
      var place = json_object_iter(node)
      while let current = place {
        if let name = json_object_iter_key(current), let child = json_object_iter_value(current) {
          fields.append(JSONObject.Field(name: String(cString: name), value: value(of: child)))
        }
        place = json_object_iter_next(node, current)
      }
      return .object(JSONObject(fields: fields))
    case JSON_ARRAY:
      return .array(
        (0..<json_array_size(node)).compactMap { json_array_get(node, $0).map(value(of:)) })
    case JSON_STRING:
      let bytes = UnsafeRawBufferPointer(
        start: json_string_value(node), count: json_string_length(node))
      return .string(String(decoding: bytes, as: UTF8.self))
    case JSON_INTEGER: return .integer(Int64(json_integer_value(node)))
    case JSON_REAL: return .double(json_real_value(node))
    case JSON_TRUE: return .bool(true)
    case JSON_FALSE: return .bool(false)
    default: return .null
    }
  }
}
