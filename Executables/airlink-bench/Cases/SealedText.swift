internal import CommandLine
internal import Identity
internal import Seal
internal import Wire

/// Two people and a text between them.
struct SealedText: Sendable {
  let sender: Identity
  let recipient: Identity
  let content: MessageContent
  private let seeds: [[UInt8]]
  private let bucket: Int
  let id = PacketID([UInt8](repeating: 7, count: 16)) ?? PacketID()
  let time = Timestamp(milliseconds: 1_764_489_600_000)
  let randomness = [UInt8](repeating: 9, count: MessageSeal.randomnessLength)

  init(bucket: Int) throws {
    self.bucket = bucket
    seeds = [1, 2].map { [UInt8](repeating: $0, count: Identity.seedLength) }
    sender = try Self.identity(seeds[0])
    recipient = try Self.identity(seeds[1])
    // Over half of the bucket, so that no smaller one would do.
    let text = [UInt8](repeating: 0x61, count: max(60, bucket / 2))
    content = .text(String(decoding: text[..<(bucket == 256 ? 60 : text.count)], as: UTF8.self))
  }

  /// The same text by the bare calls.
  func bare() throws -> BareMessage {
    let bare = BareMessage(
      senderSeed: seeds[0], recipientSeed: seeds[1], text: content.body, bucket: bucket, id: id,
      time: time, randomness: randomness)
    bare.seal(1)
    // Else the two would not do the same work.
    guard try seal() == bare.payload.content, try open(bare.payload.content) == content else {
      throw Failure("the bare calls make another payload than Seal")
    }
    return bare
  }

  private static func identity(_ seed: [UInt8]) throws -> Identity {
    var seed = seed
    guard let identity = Identity(seed: SecretBytes(consuming: &seed)) else {
      throw Failure("no identity of this seed")
    }
    return identity
  }

  func seal() throws(SealError) -> [UInt8] {
    try MessageSeal.seal(
      content, messageID: MessageID(id), from: sender, to: recipient.publicKeys, packetID: id,
      time: time, randomness: randomness.span.bytes)
  }

  func open(_ payload: [UInt8]) throws(OpenError) -> MessageContent {
    try MessageSeal.open(payload.span.bytes, packetID: id, time: time, by: recipient)
      .envelope.content
  }

  /// One seal and one open, so many times: what a confirmed text costs either side.
  func sealAndOpen(_ count: Int) {
    for _ in 0..<count { keep(try? open(seal())) }
  }
}
