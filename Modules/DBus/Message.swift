internal import CDBus

/// One message of libdbus, for as long as this is kept.
@MainActor
final class Message {
  enum Kind { case methodCall, methodReturn, error, signal, other }

  let raw: OpaquePointer

  /// Keeps a message that libdbus shows.
  init(keeping raw: OpaquePointer) {
    self.raw = raw
    dbus_message_ref(raw)
  }

  /// Takes over a message that libdbus made.
  init?(_ raw: OpaquePointer?) {
    guard let raw else { return nil }
    self.raw = raw
  }

  isolated deinit { dbus_message_unref(raw) }

  var kind: Kind {
    switch dbus_message_get_type(raw) {
    case 1: .methodCall
    case 2: .methodReturn
    case 3: .error
    case 4: .signal
    default: .other
    }
  }

  /// The unique name of who sent it, put in by the bus.
  var sender: String { text(dbus_message_get_sender) ?? "" }
  var path: ObjectPath? { text(dbus_message_get_path).flatMap(ObjectPath.init) }
  var interface: String { text(dbus_message_get_interface) ?? "" }
  var member: String { text(dbus_message_get_member) ?? "" }
  var errorName: String { text(dbus_message_get_error_name) ?? "" }
  var wantsReply: Bool { dbus_message_get_no_reply(raw) == 0 }

  private func text(_ field: (OpaquePointer?) -> UnsafePointer<CChar>?) -> String? {
    field(raw).map { String(cString: $0) }
  }

  /// What it says.
  ///
  /// - Throws: `BusError.tooLarge`.
  func arguments() throws(BusError) -> [Value] { try MessageReader.arguments(of: raw) }

  /// Its error, with the text that errors carry as their first argument.
  var error: BusError {
    let message = (try? arguments())?.first?.string ?? ""
    return .refused(name: errorName, message: message)
  }

  // MARK: Making

  static func methodCall(_ call: MethodCall) throws(BusError) -> Message {
    guard isValid(call.destination, dbus_validate_bus_name) else {
      throw .unspeakable("a bus name")
    }
    try check(interface: call.interface, member: call.member)
    let made = Message(
      dbus_message_new_method_call(
        call.destination, call.path.description, call.interface, call.member))
    guard let message = made else { throw .overloaded }
    dbus_message_set_auto_start(message.raw, call.startsService ? 1 : 0)
    try MessageWriter.append(call.arguments, to: message.raw)
    return message
  }

  static func signal(
    _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [Value],
    to destination: String?
  ) throws(BusError) -> Message {
    try check(interface: interface, member: member)
    guard let message = Message(dbus_message_new_signal(path.description, interface, member))
    else { throw .overloaded }
    if let destination {
      guard isValid(destination, dbus_validate_bus_name) else { throw .unspeakable("a bus name") }
      guard dbus_message_set_destination(message.raw, destination) != 0 else { throw .overloaded }
    }
    try MessageWriter.append(arguments, to: message.raw)
    return message
  }

  private static func check(interface: String, member: String) throws(BusError) {
    guard isValid(interface, dbus_validate_interface) else { throw .unspeakable("an interface") }
    guard isValid(member, dbus_validate_member) else { throw .unspeakable("a member") }
  }

  /// The answer to this method call; nil when there is no memory.
  func reply(_ result: Result<[Value], MethodError>) -> Message? {
    switch result {
    case .success(let values):
      guard let reply = Message(dbus_message_new_method_return(raw)) else { return nil }
      do {
        try MessageWriter.append(values, to: reply.raw)
        return reply
      } catch {
        return self.reply(.failure(MethodError(.failed, "\(error)")))
      }
    case .failure(let error):
      let isName = isValid(error.name, dbus_validate_error_name)
      let name = isName ? error.name : MethodError.Kind.failed.rawValue
      let text = isValid(error.message, dbus_validate_utf8) ? error.message : ""
      return Message(dbus_message_new_error(raw, name, text))
    }
  }
}
