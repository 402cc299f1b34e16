public import Identity
internal import Seal
public import Wire

/// The mesh's cryptography as it ships: our identity, libsodium and the system's randomness.
public struct SealedCryptography: MeshCryptography {
  private let identity: Identity
  /// Words not yet used: asking the system for each costs more than the rest of what they are for.
  private var words: [UInt64] = []

  public init(_ identity: Identity) { self.identity = identity }

  public var publicKeys: PublicKeys { identity.publicKeys }

  public func fingerprint(of keys: PublicKeys) -> Fingerprint { keys.fingerprint }

  public func isAuthentic(_ hello: Hello, id: PacketID, time: Timestamp) -> Bool {
    hello.isAuthentic(id: id, time: time)
  }

  public func makeHello(name: String, id: PacketID, time: Timestamp) -> Hello {
    identity.makeHello(name: name, id: id, time: time)
  }

  public mutating func seal(
    _ content: MessageContent, messageID: MessageID, to recipient: PublicKeys, packetID: PacketID,
    time: Timestamp
  ) -> [UInt8]? {
    SystemRandom.withBytes(count: MessageSeal.randomnessLength) { randomness in
      try? MessageSeal.seal(
        content, messageID: messageID, from: identity, to: recipient, packetID: packetID,
        time: time, randomness: randomness)
    }
  }

  public func open(_ payload: RawSpan, packetID: PacketID, time: Timestamp) -> OpenedMessage? {
    guard
      let opened = try? MessageSeal.open(payload, packetID: packetID, time: time, by: identity)
    else { return nil }
    return OpenedMessage(
      sender: opened.envelope.sender, messageID: opened.envelope.messageID,
      content: opened.envelope.content)
  }

  public mutating func random() -> UInt64 {
    if words.isEmpty { words = SystemRandom.words(32) }
    return words.removeLast()
  }
}
