internal import Wire

/// Texts of our own that wait for their receipt, to be sealed again; as many as the outbox holds.
struct OwnTexts: Sendable {
  private struct Text: Sendable {
    let text: String
    var packet: PacketID
  }

  private var texts: [MessageID: Text] = [:]
  /// Which message the packet last sealed for it carries.
  private var messages: [PacketID: MessageID] = [:]

  var count: Int { texts.count }

  subscript(id: MessageID) -> String? { texts[id]?.text }

  func message(in packet: PacketID) -> MessageID? { messages[packet] }

  mutating func add(_ text: String, _ id: MessageID) {
    texts[id] = Text(text: text, packet: PacketID(id))
    messages[PacketID(id)] = id
  }

  /// The message was sealed again, under this packet id.
  mutating func resealed(_ id: MessageID, as packet: PacketID) {
    guard let before = texts[id]?.packet else { return }
    messages[before] = nil
    messages[packet] = id
    texts[id]?.packet = packet
  }

  mutating func remove(_ id: MessageID) {
    if let text = texts.removeValue(forKey: id) { messages[text.packet] = nil }
  }
}
