internal import Identity
public import Mesh
public import Wire

/// The real cryptography with the simulator's randomness: what it decides is the same as with the
/// model, from the same seed, and every byte on the way is real.
public struct SeededCryptography: MeshCryptography {
  private var sealed: SealedCryptography
  private var generator: SplitMix64

  /// The person of this number; nil never, for the seed has the length of a seed.
  public init?(person: UInt64, worldKey: UInt64, seed: UInt64) {
    var words = SplitMix64(seed: mixed(person, worldKey))
    var bytes: [UInt8] = []
    while bytes.count < Identity.seedLength { bytes.append(bigEndian: words.next()) }
    guard let identity = Identity(seed: SecretBytes(consuming: &bytes)) else { return nil }
    sealed = SealedCryptography(identity)
    generator = SplitMix64(seed: seed)
  }

  public var publicKeys: PublicKeys { sealed.publicKeys }

  public func fingerprint(of keys: PublicKeys) -> Fingerprint { sealed.fingerprint(of: keys) }

  public func isAuthentic(_ hello: Hello, id: PacketID, time: Timestamp) -> Bool {
    sealed.isAuthentic(hello, id: id, time: time)
  }

  public func makeHello(name: String, id: PacketID, time: Timestamp) -> Hello {
    sealed.makeHello(name: name, id: id, time: time)
  }

  public mutating func seal(
    _ content: MessageContent, messageID: MessageID, to recipient: PublicKeys, packetID: PacketID,
    time: Timestamp
  ) -> [UInt8]? {
    sealed.seal(content, messageID: messageID, to: recipient, packetID: packetID, time: time)
  }

  public func open(_ payload: RawSpan, packetID: PacketID, time: Timestamp) -> OpenedMessage? {
    sealed.open(payload, packetID: packetID, time: time)
  }

  public mutating func random() -> UInt64 { generator.next() }
}
