extension JSONObject {
  /// The object as one line, its newline at the end.
  public var line: String {
    var text = ""
    JSONValue.object(self).write(to: &text)
    text += "\n"
    return text
  }
}

extension JSONValue {
  /// The value as JSON, without white space.
  public var text: String {
    var text = ""
    write(to: &text)
    return text
  }

  func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .integer(let value): text += String(value)
    case .double(let value): text += value.isFinite ? "\(value)" : "null"
    case .string(let value): value.writeJSON(to: &text)
    case .array(let values):
      text += "["
      for (place, value) in values.enumerated() {
        if place > 0 { text += "," }
        value.write(to: &text)
      }
      text += "]"
    case .object(let object):
      text += "{"
      for (place, field) in object.fields.enumerated() {
        if place > 0 { text += "," }
        field.name.writeJSON(to: &text)
        text += ":"
        field.value.write(to: &text)
      }
      text += "}"
    }
  }
}

extension String {
  /// Writes the text between quotes: exactly, and such that the line does no harm where it is shown
  /// raw: whatever is not plainly visible is written as `\u` with four digits.
  fileprivate func writeJSON(to text: inout String) {
    text += "\""
    if utf8.allSatisfy(\.standsForItself) { text += self } else { escape(into: &text) }
    text += "\""
  }

  private func escape(into text: inout String) {
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      default:
        if scalar.isPlainlyVisible {
          text.unicodeScalars.append(scalar)
        } else {
          for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
            let digits = String(unit, radix: 16, uppercase: true)
            text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
          }
        }
      }
    }
  }
}

extension UInt8 {
  /// Whether this is a visible ASCII character, or a space, that JSON writes as it is.
  fileprivate var standsForItself: Bool {
    switch self {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): false
    default: (0x20..<0x7F).contains(self)
    }
  }
}
