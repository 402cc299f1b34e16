/// A JSON value (RFC 8259) as AirLink's programs write and read it.
public enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// Finite; anything else is written as `null`, for JSON has no word for it.
  case double(Double)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)
}

/// An object whose fields keep their order.
public struct JSONObject: Equatable, Sendable, ExpressibleByDictionaryLiteral {
  public struct Field: Equatable, Sendable {
    public let name: String
    public var value: JSONValue
  }

  public private(set) var fields: [Field]

  public init() { fields = [] }

  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self.init()
    for (name, value) in elements { self[name] = value }
  }

  init(fields: [Field]) { self.fields = fields }

  /// A field's value; setting keeps the place of a field that is there, nil takes it away.
  ///
  /// So an optional field is one line: `object["ref"] = reference.map(JSONValue.string)`.
  public subscript(name: String) -> JSONValue? {
    get { fields.first { $0.name == name }?.value }
    set {
      let place = fields.firstIndex { $0.name == name }
      switch (place, newValue) {
      case (let place?, let value?): fields[place].value = value
      case (let place?, nil): fields.remove(at: place)
      case (nil, let value?): fields.append(Field(name: name, value: value))
      case (nil, nil): break
      }
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .double(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(nilLiteral: ()) { self = .null }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    var object = JSONObject()
    for (name, value) in elements { object[name] = value }
    self = .object(object)
  }

  /// A count; one past the last 64-bit number is written as that.
  public static func count(_ value: some BinaryInteger) -> JSONValue {
    .integer(Int64(clamping: value))
  }

  public var string: String? { if case .string(let value) = self { value } else { nil } }
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
  public var object: JSONObject? { if case .object(let value) = self { value } else { nil } }
  public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
}
