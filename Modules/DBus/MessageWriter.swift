internal import CDBus

/// Writes a message's arguments.
///
/// libdbus ends the process when it is handed what D-Bus does not allow, so everything is looked at
/// first.
enum MessageWriter {
  /// Levels of containers.
  static let maximumDepth = 16
  /// Bytes in one string or array of bytes.
  static let maximumBytes = 1 << 20

  /// Adds `arguments` to `message`.
  ///
  /// - Throws: `BusError.unspeakable`; `overloaded` when there is no memory. The message is of no
  ///   use then.
  static func append(_ arguments: [Value], to message: OpaquePointer) throws(BusError) {
    var iterator = DBusMessageIter()
    dbus_message_iter_init_append(message, &iterator)
    for argument in arguments { try append(argument, &iterator, 0) }
  }

  private static func append(
    _ value: Value, _ iterator: inout DBusMessageIter, _ depth: Int
  ) throws(BusError) {
    guard depth < maximumDepth else { throw .tooLarge }
    switch value {
    case .byte(let value): try basic("y", value, &iterator)
    case .bool(let value): try basic("b", dbus_bool_t(value ? 1 : 0), &iterator)
    case .int16(let value): try basic("n", value, &iterator)
    case .uint16(let value): try basic("q", value, &iterator)
    case .int32(let value): try basic("i", value, &iterator)
    case .uint32(let value): try basic("u", value, &iterator)
    case .int64(let value): try basic("x", value, &iterator)
    case .uint64(let value): try basic("t", value, &iterator)
    case .double(let value): try basic("d", value, &iterator)
    case .string(let text): try self.text("s", text, &iterator)
    case .path(let path): try text("o", path.description, &iterator)
    case .signature(let types):
      guard isValid(types, dbus_signature_validate) else { throw .unspeakable("a signature") }
      try text("g", types, &iterator)
    case .descriptor(let descriptor):
      guard descriptor.number >= 0 else { throw .unspeakable("a closed descriptor") }
      try basic("h", descriptor.number, &iterator)
    case .bytes(let bytes): try self.bytes(bytes, &iterator)
    case .array(let element, let elements):
      guard element.description != "y", elements.allSatisfy({ $0.type == element.description })
      else { throw .unspeakable("an array of different types") }
      try container("a", element.description, &iterator) { inner throws(BusError) in
        for element in elements { try append(element, &inner, depth + 1) }
      }
    case .dictionary(let key, let value, let entries):
      let types = "{\(key)\(value)}"
      guard isValid("a\(types)", dbus_signature_validate_single),
        entries.allSatisfy({
          $0.key.type == key.description && $0.value.type == value.description
        })
      else { throw .unspeakable("a dictionary of different types") }
      try container("a", types, &iterator) { inner throws(BusError) in
        for entry in entries {
          try container("e", nil, &inner) { pair throws(BusError) in
            try append(entry.key, &pair, depth + 1)
            try append(entry.value, &pair, depth + 1)
          }
        }
      }
    case .structure(let members):
      guard !members.isEmpty else { throw .unspeakable("an empty structure") }
      try container("r", nil, &iterator) { inner throws(BusError) in
        for member in members { try append(member, &inner, depth + 1) }
      }
    case .variant(let value):
      let type = value.type
      guard isValid(type, dbus_signature_validate_single) else { throw .unspeakable("a type") }
      try container("v", type, &iterator) { inner throws(BusError) in
        try append(value, &inner, depth + 1)
      }
    }
  }

  private static func code(_ type: Unicode.Scalar) -> CInt { CInt(type.value) }

  private static func basic<Basic: BitwiseCopyable>(
    _ type: Unicode.Scalar, _ value: Basic, _ iterator: inout DBusMessageIter
  ) throws(BusError) {
    let isDone = withUnsafeBytes(of: value) {
      dbus_message_iter_append_basic(&iterator, code(type), $0.baseAddress)
    }
    guard isDone != 0 else { throw .overloaded }
  }

  private static func text(
    _ type: Unicode.Scalar, _ text: String, _ iterator: inout DBusMessageIter
  ) throws(BusError) {
    guard text.utf8.count <= maximumBytes else { throw .tooLarge }
    guard isValid(text, dbus_validate_utf8) else { throw .unspeakable("a text") }
    let isDone = text.withCString { start in
      withUnsafePointer(to: start) {
        dbus_message_iter_append_basic(&iterator, code(type), $0)
      }
    }
    guard isDone != 0 else { throw .overloaded }
  }

  private static func bytes(
    _ bytes: [UInt8], _ iterator: inout DBusMessageIter
  ) throws(BusError) {
    guard bytes.count <= maximumBytes else { throw .tooLarge }
    try container("a", "y", &iterator) { inner throws(BusError) in
      let isDone = bytes.withUnsafeBufferPointer { buffer in
        // libdbus wants an address even for nothing.
        var start = buffer.baseAddress ?? UnsafePointer(bitPattern: 1)
        return dbus_message_iter_append_fixed_array(
          &inner, code("y"), &start, CInt(buffer.count))
      }
      guard isDone != 0 else { throw .overloaded }
    }
  }

  private static func container(
    _ type: Unicode.Scalar, _ contained: String?, _ iterator: inout DBusMessageIter,
    _ fill: (inout DBusMessageIter) throws(BusError) -> Void
  ) throws(BusError) {
    var inner = DBusMessageIter()
    guard dbus_message_iter_open_container(&iterator, code(type), contained, &inner) != 0 else {
      throw .overloaded
    }
    do {
      try fill(&inner)
    } catch {
      dbus_message_iter_abandon_container(&iterator, &inner)
      throw error
    }
    guard dbus_message_iter_close_container(&iterator, &inner) != 0 else { throw .overloaded }
  }
}
