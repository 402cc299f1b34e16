internal import CommandLine
internal import Identity
internal import Seal
internal import Wire

/// Sealing and opening a text that fills half of its bucket, against the bare libsodium calls.
enum SealCases {
  static func seal(bucket: Int) -> Subject {
    Subject(
      summary: "seal a text into a \(bucket)-byte bucket", limit: "the bare libsodium calls"
    ) { duration in
      let setup = try Setup(bucket: bucket)
      let times = Turns(
        subject: { count in for _ in 0..<count { keep(try? setup.seal()) } },
        limit: { setup.bare.seal($0) }
      ).measure(for: duration)
      return Measurement(subject: times.subject, limit: times.limit)
    }
  }

  static func open(bucket: Int) -> Subject {
    Subject(
      summary: "open a text out of a \(bucket)-byte bucket", limit: "the bare libsodium calls"
    ) { duration in
      let setup = try Setup(bucket: bucket)
      let payload = try setup.seal()
      let times = Turns(
        subject: { count in for _ in 0..<count { keep(try? setup.open(payload)) } },
        limit: { setup.bare.open($0) }
      ).measure(for: duration)
      return Measurement(subject: times.subject, limit: times.limit)
    }
  }

  /// Two people, a text between them, and the same by the bare calls.
  private struct Setup {
    let sender: Identity
    let recipient: Identity
    let content: MessageContent
    let bare: BareMessage
    let id = PacketID([UInt8](repeating: 7, count: 16)) ?? PacketID()
    let time = Timestamp(milliseconds: 1_764_489_600_000)
    let randomness = [UInt8](repeating: 9, count: MessageSeal.randomnessLength)

    init(bucket: Int) throws {
      let seeds = [1, 2].map { [UInt8](repeating: $0, count: Identity.seedLength) }
      sender = try Self.identity(seeds[0])
      recipient = try Self.identity(seeds[1])
      // Over half of the bucket, so that no smaller one would do.
      let text = [UInt8](repeating: 0x61, count: max(60, bucket / 2))
      content = .text(String(decoding: text[..<(bucket == 256 ? 60 : text.count)], as: UTF8.self))
      bare = BareMessage(
        senderSeed: seeds[0], recipientSeed: seeds[1], text: content.body, bucket: bucket, id: id,
        time: time, randomness: randomness)
      bare.seal(1)
      // Else the two would not do the same work.
      guard try seal() == bare.payload.content, try open(bare.payload.content) == content else {
        throw Failure("the bare calls make another payload than Seal")
      }
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
  }
}
