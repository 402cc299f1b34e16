public import Wire

/// One message of a pinned person that was shown, as the disk remembers it.
public struct ReceivedRecord: Hashable, Sendable {
  public let sender: PublicKeys
  public let messageID: MessageID
  /// The time of the packet that brought it.
  public let time: Timestamp

  public init(sender: PublicKeys, messageID: MessageID, time: Timestamp) {
    self.sender = sender
    self.messageID = messageID
    self.time = time
  }
}
