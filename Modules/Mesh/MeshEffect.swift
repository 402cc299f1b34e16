public import CallSignal
public import Identity
public import Outbox
public import Wire

/// What the mesh wants done, in this order.
public enum MeshEffect: Hashable, Sendable {
  /// Queue the packet on each of these links; what a link sheds is lost.
  case send(Packet, on: [LinkID])
  case close(LinkID, because: LinkFault)
  /// Show a message that came for us. Its receipt is an effect behind this one.
  case show(ReceivedText)
  /// Remember on disk that this message was shown: the effect comes behind its `show`, so that a
  /// node killed in between shows a message again rather than never.
  case remember(ReceivedRecord)
  /// A message of our own came into another state.
  case state(MessageID, MessageState)
  /// Someone is new, came near, went away or has another name.
  case person(Person, isNew: Bool)
  /// A link's other end claimed to be someone.
  case claimed(LinkID, Fingerprint)
  /// Keep a change of the contacts on disk. The mesh's own book has it already.
  case contacts(ContactChange)
  case warning(MeshWarning)
  /// Tell where the call stands.
  case call(CallReport)
  /// Play this sound of the other side's; frames are numbered in the order they were spoken.
  case play(sequence: UInt32, opus: [UInt8])
  /// Publish the direct road of our call under this name. The invite is an effect behind this one.
  case offerDirectRoad(CallNonce)
  /// Look for the direct road of this name, and tell by `directAddress` when it is found.
  case joinDirectRoad(CallNonce)
  /// Give the direct road up, offered or joined.
  case leaveDirectRoad
  /// Send the frame down the direct road, as a datagram of its own.
  case sendDirectly([UInt8])
}

/// Why the mesh wants a link closed.
public enum LinkFault: Hashable, Sendable {
  /// A newer link to the same person at the same host is up.
  case replaced
  /// It sent packets that no honest relay lets pass.
  case misbehaved
}

/// A text that came for us.
public struct ReceivedText: Hashable, Sendable {
  public let id: MessageID
  public let sender: PublicKeys
  public let fingerprint: Fingerprint
  /// As last heard; empty when no hello of this person was.
  public let name: String
  public let text: String
  /// When it was written, by the sender's clock.
  public let time: Timestamp
}

/// What the user has to be told.
public enum MeshWarning: Hashable, Sendable {
  /// Our clock seems to be behind by this much; ahead when it is negative.
  case clock(behind: Duration)
  /// Other keys than the pinned ones claim a number.
  case keysChanged(kept: Fingerprint, seen: Fingerprint, name: String)
  /// A message's time is six hours ago: no receiver takes it any more.
  case ageLimit(MessageID)
  /// Nothing has been heard from the other side of a call for 5 s.
  case callQuiet(Fingerprint)
}

/// Someone as the mesh knows them.
public struct Person: Hashable, Sendable {
  public let keys: PublicKeys
  public let fingerprint: Fingerprint
  public let name: String
  /// Whether a link's other end claims to be theirs.
  public let isDirect: Bool
  public let isPinned: Bool
  public let isVerified: Bool
  public let isBlocked: Bool
  /// Whether the number is pinned with other keys.
  public let contradictsPin: Bool
  /// The time of the newest hello heard in this run.
  public let heard: Timestamp?

  public var number: Number { fingerprint.number }
}

/// Why a command cannot be carried out.
public enum MeshRefusal: Error, Hashable, Sendable {
  /// No keys are known for the number.
  case unknownNumber(Number)
  /// Several keys claim the number.
  case ambiguous(Number, [Fingerprint])
  /// Other keys claim the pinned number, and the user has not yet decided.
  case keysChanged(Number)
  case blocked(Number)
  case isSelf
  case empty
  /// The text's size and the most that a message carries, in bytes of UTF-8.
  case tooLong(bytes: Int, limit: Int)
  case outboxFull(messages: Int, limit: Int)
  /// The book of contacts is full.
  case contactsFull
  /// There is a call already.
  case busy
  /// There is no call that this could be about.
  case noCall
  /// Nothing can be sealed to the keys that claim the number.
  case unusableKeys(Number)
}

/// Both clocks at one moment.
public struct Moment: Hashable, Sendable {
  public let instant: Instant
  public let wallClock: Timestamp

  public init(instant: Instant, wallClock: Timestamp) {
    self.instant = instant
    self.wallClock = wallClock
  }
}
