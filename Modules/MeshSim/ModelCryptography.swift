internal import Identity
public import Mesh
public import Wire

/// A model of the mesh's cryptography: quick, from one seed, without a secret that would hold
/// outside the simulator.
///
/// It keeps the rules of the real thing. A payload opens only for its recipient, only under its
/// packet's id and time, and only with every byte as it was; a signature holds only for what its
/// person signed for this recipient. Marks are made under a key of each person's, and this type
/// lends its own person's key alone; attackers have packets and nothing else. Lengths are the real
/// ones, and fingerprints come from the real hash, so a world goes the same way with either.
public struct ModelCryptography: MeshCryptography {
  public let publicKeys: PublicKeys
  private let worldKey: UInt64
  private let ownKey: UInt64
  private var generator: SplitMix64

  /// The person of this number in the world of this key; randomness comes from `seed`.
  public init(person: UInt64, worldKey: UInt64, seed: UInt64) {
    publicKeys = Self.keys(of: person)
    self.worldKey = worldKey
    ownKey = Self.secret(of: publicKeys.signing, worldKey)
    generator = SplitMix64(seed: seed)
  }

  /// The public keys of a person.
  public static func keys(of person: UInt64) -> PublicKeys {
    func bytes(_ salt: UInt64) -> [UInt8] {
      var words = SplitMix64(seed: mixed(person, salt))
      var bytes: [UInt8] = []
      for _ in 0..<4 { bytes.append(bigEndian: words.next()) }
      return bytes
    }
    return PublicKeys(
      signing: SigningPublicKey(bytes(1)) ?? SigningPublicKey(),
      agreement: AgreementPublicKey(bytes(2)) ?? AgreementPublicKey())
  }

  /// What stands for the secret half of a key; asked for other people's to check alone.
  private static func secret(of key: some FixedBytes, _ worldKey: UInt64) -> UInt64 {
    mixed(key.firstWord, worldKey)
  }

  public func fingerprint(of keys: PublicKeys) -> Fingerprint { keys.fingerprint }

  public mutating func random() -> UInt64 { generator.next() }

  // MARK: Hellos

  public func makeHello(name: String, id: PacketID, time: Timestamp) -> Hello {
    Hello(
      keys: publicKeys, name: name,
      signature: Self.signature(ownKey, publicKeys, name, id, time))
  }

  public func isAuthentic(_ hello: Hello, id: PacketID, time: Timestamp) -> Bool {
    let key = Self.secret(of: hello.keys.signing, worldKey)
    return hello.signature == Self.signature(key, hello.keys, hello.name, id, time)
      && hello.keys.areIssuable
  }

  private static func signature(
    _ key: UInt64, _ keys: PublicKeys, _ name: String, _ id: PacketID, _ time: Timestamp
  ) -> Signature {
    var mark = Mark(key: key)
    mark.absorb(keys.signing)
    mark.absorb(keys.agreement)
    mark.absorb(id)
    mark.absorb(time.milliseconds)
    for byte in name.utf8 { mark.absorb(UInt64(byte)) }
    var bytes: [UInt8] = []
    for word in 0..<8 { bytes.append(bigEndian: mixed(mark.value, UInt64(word))) }
    return Signature(bytes) ?? Signature()
  }

  // MARK: Messages

  /// Before the body: a mark over all that follows ‖ 24 bytes of nothing in place of the
  /// encapsulated key, then the envelope as it is, its signature filled by the first word.
  private static let envelopeOffset = SealedPayload.encapsulatedKeyLength

  public mutating func seal(
    _ content: MessageContent, messageID: MessageID, to recipient: PublicKeys, packetID: PacketID,
    time: Timestamp
  ) -> [UInt8]? {
    let body = Self.body(of: content)
    guard let bucket = SealedPayload.bucket(holding: Envelope.headerLength + body.count) else {
      return nil
    }
    let length = bucket + SealedPayload.overhead
    var bytes: [UInt8] = []
    bytes.reserveCapacity(length)
    bytes.append(contentsOf: repeatElement(0, count: Self.envelopeOffset))
    bytes.append(publicKeys.signing)
    bytes.append(publicKeys.agreement)
    bytes.append(
      bigEndian: Self.mark(ownKey, publicKeys, recipient, messageID, time, content.type, body))
    bytes.append(contentsOf: repeatElement(0, count: Signature.byteCount - 8))
    bytes.append(messageID)
    bytes.append(content.type)
    bytes.append(bigEndian: UInt16(body.count))
    bytes += body
    bytes.append(contentsOf: repeatElement(0, count: length - bytes.count))
    let seal = Self.seal(
      over: bytes.span.bytes, Self.secret(of: recipient.agreement, worldKey), packetID, time)
    for (index, shift) in stride(from: 56, through: 0, by: -8).enumerated() {
      bytes[index] = UInt8(truncatingIfNeeded: seal >> UInt64(shift))
    }
    return bytes
  }

  public func open(_ payload: RawSpan, packetID: PacketID, time: Timestamp) -> OpenedMessage? {
    guard payload.byteCount >= Self.envelopeOffset + Envelope.headerLength else { return nil }
    let key = Self.secret(of: publicKeys.agreement, worldKey)
    func word(_ offset: Int) -> UInt64 {
      UInt64(bigEndian: payload.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    guard word(0) == Self.seal(over: payload, key, packetID, time) else { return nil }
    let plain = payload.extracting(
      Self.envelopeOffset..<(payload.byteCount - SealedPayload.tagLength))
    guard let envelope = try? Envelope(padded: plain), envelope.sender.areIssuable else {
      return nil
    }
    let signed = Self.mark(
      Self.secret(of: envelope.sender.signing, worldKey), envelope.sender, publicKeys,
      envelope.messageID, time, envelope.content.type, Self.body(of: envelope.content))
    guard word(Self.envelopeOffset + PublicKeys.byteCount) == signed else { return nil }
    return OpenedMessage(
      sender: envelope.sender, messageID: envelope.messageID, content: envelope.content)
  }

  /// Over everything behind the mark's own place.
  private static func seal(
    over payload: RawSpan, _ key: UInt64, _ id: PacketID, _ time: Timestamp
  ) -> UInt64 {
    var mark = Mark(key: key)
    mark.absorb(id)
    mark.absorb(time.milliseconds)
    var offset = 8
    while offset + 8 <= payload.byteCount {
      mark.absorb(payload.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    return mark.value
  }

  private static func mark(
    _ key: UInt64, _ sender: PublicKeys, _ recipient: PublicKeys, _ id: MessageID,
    _ time: Timestamp, _ type: UInt8, _ body: [UInt8]
  ) -> UInt64 {
    var mark = Mark(key: key)
    mark.absorb(id)
    mark.absorb(time.milliseconds)
    mark.absorb(sender.agreement)
    mark.absorb(recipient.signing)
    mark.absorb(recipient.agreement)
    mark.absorb(UInt64(type) << 32 | UInt64(body.count))
    for byte in body { mark.absorb(UInt64(byte)) }
    return mark.value
  }

  private static func body(of content: MessageContent) -> [UInt8] {
    switch content {
    case .text(let text): Array(text.utf8)
    case .receipt(let id): id.bytes
    case .callSignal(let signal): signal.body
    }
  }
}

/// What stands for a signature, or for an authenticated cipher's tag.
private struct Mark {
  private(set) var value: UInt64

  init(key: UInt64) { value = key }

  @inline(__always)
  mutating func absorb(_ word: UInt64) {
    value = (value ^ word) &* 0x9E37_79B9_7F4A_7C15
    value ^= value >> 29
  }

  mutating func absorb(_ bytes: some FixedBytes) {
    withUnsafeBytes(of: bytes) { bytes in
      var offset = 0
      while offset + 8 <= bytes.count {
        absorb(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        offset += 8
      }
    }
  }
}

extension FixedBytes {
  /// The first eight bytes, as they lie.
  var firstWord: UInt64 {
    withUnsafeBytes(of: self) { $0.count < 8 ? 0 : $0.loadUnaligned(as: UInt64.self) }
  }
}
