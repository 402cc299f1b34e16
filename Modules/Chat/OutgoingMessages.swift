internal import Wire

/// A message of our own as the transcript knows it.
struct OutgoingMessage: Hashable, Sendable {
  /// Counts the messages of this run.
  let place: Int
  let to: Recipient
  /// The recipient as shown when it was written.
  let label: StyledText
  let text: String
  var id: MessageID?
  var state: DeliveryStatus.State?

  var tag: String { "#\(place)" }
}

/// The messages of our own whose state may still change, oldest out first.
struct OutgoingMessages: Sendable {
  /// More than any outbox holds.
  static let capacity = 4_096

  private var byRef: [String: OutgoingMessage] = [:]
  private var refs: [MessageID: String] = [:]
  private var order: [String] = []
  private var count = 0

  subscript(id: MessageID) -> OutgoingMessage? { refs[id].flatMap { byRef[$0] } }

  /// Notes a message that is about to be handed to the node, and returns the ref to hand it with.
  mutating func add(to: Recipient, label: StyledText, text: String) -> String {
    count += 1
    let ref = "m\(count)"
    byRef[ref] = OutgoingMessage(place: count, to: to, label: label, text: text)
    order.append(ref)
    if order.count > Self.capacity { remove(order.removeFirst()) }
    return ref
  }

  /// Takes in a state; nil when nothing changed.
  ///
  /// - Returns: the message and whether this is its first state.
  mutating func update(_ status: DeliveryStatus) -> (message: OutgoingMessage, isFirst: Bool)? {
    guard let ref = status.ref ?? refs[status.id], var message = byRef[ref],
      message.state != status.state
    else { return nil }
    let isFirst = message.state == nil
    message.id = status.id
    message.state = status.state
    byRef[ref] = message
    refs[status.id] = ref
    return (message, isFirst)
  }

  func isKnown(_ status: DeliveryStatus) -> Bool {
    (status.ref ?? refs[status.id]).map { byRef[$0] != nil } ?? false
  }

  /// Forgets a message that the node refused, and returns it.
  mutating func refuse(_ ref: String) -> OutgoingMessage? {
    guard let message = byRef[ref], message.state == nil else { return nil }
    order.removeAll { $0 == ref }
    remove(ref)
    return message
  }

  private mutating func remove(_ ref: String) {
    if let id = byRef.removeValue(forKey: ref)?.id { refs[id] = nil }
  }
}
