public import Wire

/// What a node tells a person or a program: the events of the JSON contract.
public enum ChatEvent: Hashable, Sendable {
  case ready(Ready)
  case link(LinkStatus)
  case peer(Peer)
  case message(IncomingMessage)
  case state(DeliveryStatus)
  case call(CallStatus)
  case quality(CallQuality)
  /// Answers `peers`.
  case peers([Peer], ref: String?)
  /// Answers `links`.
  case links([LinkStatus], ref: String?)
  /// Answers `stats`.
  case stats([Statistic], ref: String?)
  /// Answers `verify`.
  case safety(SafetyNumber, ref: String?)
  case warning(ChatWarning)
  /// A command that was refused, or a line that was none.
  case error(ChatError, ref: String?)
}

/// The node stands: who we are and where we listen.
public struct Ready: Hashable, Sendable {
  public let fingerprint: Fingerprint
  public let name: String
  /// The TCP port that is listened on; 0 when none is.
  public let port: UInt16
  /// Whether the identity lasts for this run only.
  public let temporary: Bool

  public init(fingerprint: Fingerprint, name: String, port: UInt16, temporary: Bool) {
    self.fingerprint = fingerprint
    self.name = name
    self.port = port
    self.temporary = temporary
  }
}

/// A link that is up or went down.
public struct LinkStatus: Hashable, Sendable {
  public let isUp: Bool
  /// Unique in this run: `wifi-3`.
  public let link: String
  /// `wifi` or `ble`.
  public let transport: String
  /// Who sits at the other end, once a hello claimed it.
  public let number: Number?
  /// Where the other end is, in the transport's own words; shown to people, not to programs.
  public let remote: String?

  public init(
    isUp: Bool, link: String, transport: String, number: Number? = nil, remote: String? = nil
  ) {
    self.isUp = isUp
    self.link = link
    self.transport = transport
    self.number = number
    self.remote = remote
  }
}

/// A person as the node knows one.
public struct Peer: Hashable, Sendable {
  public let fingerprint: Fingerprint
  /// As its owner sent it: any characters at all.
  public let name: String
  /// Whether a link ends at this person's device.
  public let isDirect: Bool
  /// Whether this is the first that was heard of these keys in this run.
  public let isNew: Bool
  /// When the newest hello arrived; nil for someone known from disk and not heard in this run.
  public let heard: Timestamp?
  /// Whether our user has compared the safety number with this person.
  public let isVerified: Bool
  public let isBlocked: Bool
  /// Whether the number belongs to other keys, which were not accepted in favour of these.
  public let contradictsPin: Bool

  public var number: Number { fingerprint.number }

  public init(
    fingerprint: Fingerprint, name: String, isDirect: Bool, isNew: Bool, heard: Timestamp?,
    isVerified: Bool = false, isBlocked: Bool = false, contradictsPin: Bool = false
  ) {
    self.fingerprint = fingerprint
    self.name = name
    self.isDirect = isDirect
    self.isNew = isNew
    self.heard = heard
    self.isVerified = isVerified
    self.isBlocked = isBlocked
    self.contradictsPin = contradictsPin
  }
}

/// A text that came for us.
public struct IncomingMessage: Hashable, Sendable {
  public let id: MessageID
  public let from: Fingerprint
  /// The sender's name as last heard; empty when no hello was.
  public let name: String
  public let text: String
  /// When it was written, by the sender's clock.
  public let time: Timestamp

  public init(id: MessageID, from: Fingerprint, name: String, text: String, time: Timestamp) {
    self.id = id
    self.from = from
    self.name = name
    self.text = text
    self.time = time
  }
}

/// Where a message of our own stands.
public struct DeliveryStatus: Hashable, Sendable {
  /// The states a message goes through.
  public enum State: Hashable, Sendable {
    /// No link took it yet.
    case waiting
    /// It went out on a link, and no receipt has come.
    case sent
    /// The recipient's receipt has come.
    case delivered
    case failed(Reason)
  }

  /// Why a message was given up.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// 24 hours without a receipt.
    case patience
    /// Every receiver refuses it now: it is over six hours old.
    case tooOld = "too-old"
    /// The recipient's number shows up with other keys.
    case keysChanged = "keys-changed"
    /// The node stops, and what waits lives in its memory.
    case stopped
  }

  public let id: MessageID
  /// The mark of the `send` that made the message.
  public let ref: String?
  public let state: State

  public init(id: MessageID, ref: String? = nil, state: State) {
    self.id = id
    self.ref = ref
    self.state = state
  }
}

/// One figure of `/stats`.
public struct Statistic: Hashable, Sendable {
  /// Dotted words, smallest last: `outbox.bytes`.
  public let name: String
  public let value: Int
  /// The bound on a queue, table or buffer; nil for a counter.
  public let limit: Int?

  public init(name: String, value: Int, limit: Int? = nil) {
    self.name = name
    self.value = value
    self.limit = limit
  }
}

/// What two people compare to know that nobody sits between them (PROTOCOL, section 1).
public struct SafetyNumber: Hashable, Sendable {
  public let peer: Fingerprint
  /// Twelve groups of five digits, with spaces between.
  public let digits: String
  public let isVerified: Bool

  public init(peer: Fingerprint, digits: String, isVerified: Bool) {
    self.peer = peer
    self.digits = digits
    self.isVerified = isVerified
  }
}
