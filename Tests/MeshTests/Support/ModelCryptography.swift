import Identity
import Mesh
import Wire

/// A model of the mesh's cryptography: quick, from one seed, with people who are mere numbers.
///
/// Nothing in it is secret, and whoever holds a value may speak as its person. What it keeps of the
/// real thing: a payload opens only for its recipient and under its packet's id and time, and a
/// signature holds only for what its person signed. Numbers and fingerprints are those that the
/// real hash gives to the model's keys; people who share one were found by search (`triplets`).
struct ModelCryptography: MeshCryptography {
  /// Keys of three people with one number, found by trying 2^29 of them.
  static let triplets: [UInt64] = [41_651_448, 117_476_577, 439_446_788]

  let person: UInt64
  /// Fingerprints other than those of the hash, of the same numbers.
  var fingerprints: [PublicKeys: Fingerprint] = [:]
  private var generator: SplitMix64

  /// The person of this number, whose randomness comes from `seed`.
  init(_ person: UInt64, seed: UInt64 = 0) {
    self.person = person
    // Drawn once each, so that no stream is another one moved on.
    var seeds = SplitMix64(seed: seed)
    var people = SplitMix64(seed: ~person)
    generator = SplitMix64(seed: seeds.next() ^ people.next())
  }

  /// A person nothing can be sealed to.
  static let unusable: UInt64 = .max

  static func keys(of person: UInt64) -> PublicKeys {
    var bytes: [UInt8] = []
    bytes.append(bigEndian: person)
    bytes.append(contentsOf: repeatElement(0, count: 24))
    return PublicKeys(
      signing: SigningPublicKey(bytes) ?? SigningPublicKey(),
      agreement: AgreementPublicKey(bytes) ?? AgreementPublicKey())
  }

  var publicKeys: PublicKeys { Self.keys(of: person) }

  func fingerprint(of keys: PublicKeys) -> Fingerprint { fingerprints[keys] ?? keys.fingerprint }

  mutating func random() -> UInt64 { generator.next() }

  // MARK: Hellos

  func makeHello(name: String, id: PacketID, time: Timestamp) -> Hello {
    Hello(
      keys: publicKeys, name: name,
      signature: Self.signature(of: publicKeys, Array(name.utf8), id, time))
  }

  func isAuthentic(_ hello: Hello, id: PacketID, time: Timestamp) -> Bool {
    hello.signature == Self.signature(of: hello.keys, Array(hello.name.utf8), id, time)
      && hello.keys.areIssuable
  }

  private static func signature(
    of keys: PublicKeys, _ content: [UInt8], _ id: PacketID, _ time: Timestamp
  ) -> Signature {
    let mark = mark(keys.bytes + content + id.bytes, time)
    return Signature(Array(repeatElement(mark, count: 8).joined())) ?? Signature()
  }

  /// FNV-1a over eight bytes at a time and a time: it stands for a signature.
  private static func mark(_ bytes: [UInt8], _ time: Timestamp) -> [UInt8] {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325 ^ time.milliseconds ^ UInt64(bytes.count)
    let padded = bytes + [UInt8](repeating: 0, count: 7)
    padded.withUnsafeBytes { padded in
      var offset = 0
      while offset < bytes.count {
        let word = padded.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        hash = (hash ^ word) &* 0x100_0000_01b3
        hash ^= hash >> 29
        offset += 8
      }
    }
    var mark: [UInt8] = []
    mark.append(bigEndian: hash)
    return mark
  }

  // MARK: Messages

  /// Where the body begins: recipient 64 ‖ packet id 16 ‖ time 8 ‖ nonce 8 ‖ sender 64 ‖ message
  /// id 16 ‖ mark 8 ‖ type 1 ‖ length 2.
  private static let bodyOffset = 187

  mutating func seal(
    _ content: MessageContent, messageID: MessageID, to recipient: PublicKeys, packetID: PacketID,
    time: Timestamp
  ) -> [UInt8]? {
    let body = Self.body(of: content)
    guard recipient != Self.keys(of: Self.unusable),
      let bucket = SealedPayload.bucket(holding: Envelope.headerLength + body.count)
    else { return nil }
    var bytes = recipient.bytes + packetID.bytes
    bytes.append(bigEndian: time.milliseconds)
    bytes.append(bigEndian: random())
    bytes += publicKeys.bytes + messageID.bytes
    bytes += Self.mark(publicKeys.bytes + recipient.bytes + messageID.bytes + body, time)
    bytes.append(content.type)
    bytes.append(bigEndian: UInt16(body.count))
    bytes += body
    let length = bucket + SealedPayload.overhead
    return bytes + [UInt8](repeating: 0, count: length - bytes.count)
  }

  func open(_ payload: RawSpan, packetID: PacketID, time: Timestamp) -> OpenedMessage? {
    let bytes = payload.withUnsafeBytes { Array($0) }
    var stamp: [UInt8] = packetID.bytes
    stamp.append(bigEndian: time.milliseconds)
    guard bytes.count >= Self.bodyOffset, Array(bytes[..<88]) == publicKeys.bytes + stamp,
      let signing = SigningPublicKey(bytes[96..<128]),
      let agreement = AgreementPublicKey(bytes[128..<160]),
      let messageID = MessageID(bytes[160..<176])
    else { return nil }
    let sender = PublicKeys(signing: signing, agreement: agreement)
    let end = Self.bodyOffset + Int(bytes[185]) << 8 + Int(bytes[186])
    guard end <= bytes.count, sender.areIssuable else { return nil }
    let body = Array(bytes[Self.bodyOffset..<end])
    let signed = sender.bytes + publicKeys.bytes + messageID.bytes + body
    guard Array(bytes[176..<184]) == Self.mark(signed, time),
      let content = Self.content(type: bytes[184], body: body)
    else { return nil }
    return OpenedMessage(sender: sender, messageID: messageID, content: content)
  }

  private static func body(of content: MessageContent) -> [UInt8] {
    switch content {
    case .text(let text): Array(text.utf8)
    case .receipt(let id): id.bytes
    case .callSignal(let signal): signal.body
    }
  }

  private static func content(type: UInt8, body: [UInt8]) -> MessageContent? {
    switch type {
    case 1: String(validating: body, as: UTF8.self).map { .text($0) }
    case 2: MessageID(body).map { .receipt($0) }
    case 3: CallSignal(body: body.span.bytes).map { .callSignal($0) }
    default: nil
    }
  }
}
