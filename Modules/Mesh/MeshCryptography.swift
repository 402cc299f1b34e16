public import Wire

/// A message that opened and whose signature holds.
public struct OpenedMessage: Hashable, Sendable {
  public let sender: PublicKeys
  public let messageID: MessageID
  public let content: MessageContent

  public init(sender: PublicKeys, messageID: MessageID, content: MessageContent) {
    self.sender = sender
    self.messageID = messageID
    self.content = content
  }
}

/// The port through which cryptography and randomness come into the mesh.
///
/// The node puts its identity and libsodium behind it; the simulator puts a named model and one
/// seed there.
public protocol MeshCryptography: RandomNumberGenerator, Sendable {
  /// Our own public keys.
  var publicKeys: PublicKeys { get }
  func fingerprint(of keys: PublicKeys) -> Fingerprint
  /// Whether a hello's signature holds for the packet it came in.
  func isAuthentic(_ hello: Hello, id: PacketID, time: Timestamp) -> Bool
  /// Our own hello, signed for a packet of this id and time.
  func makeHello(name: String, id: PacketID, time: Timestamp) -> Hello
  /// The sealed payload for a packet of this id and time; nil when `recipient` has keys that
  /// nothing can be sealed to.
  mutating func seal(
    _ content: MessageContent, messageID: MessageID, to recipient: PublicKeys, packetID: PacketID,
    time: Timestamp
  ) -> [UInt8]?
  /// What is in a sealed payload; nil when it does not open for us or is not its sender's.
  func open(_ payload: RawSpan, packetID: PacketID, time: Timestamp) -> OpenedMessage?
  /// The next random word: unguessable in the node, from the seed in the simulator.
  mutating func random() -> UInt64
}

extension MeshCryptography {
  public mutating func next() -> UInt64 { random() }

  mutating func randomPacketID() -> PacketID {
    var bytes: [UInt8] = []
    bytes.append(bigEndian: random())
    bytes.append(bigEndian: random())
    return PacketID(bytes) ?? PacketID()
  }

  /// A random duration from `range`.
  mutating func random(in range: ClosedRange<Duration>) -> Duration {
    let width = (range.upperBound - range.lowerBound).wholeNanoseconds
    guard width > 0 else { return range.lowerBound }
    return range.lowerBound + .nanoseconds(Int64(random() % UInt64(width + 1)))
  }
}
