import Identity
import Seal
import Testing
import Wire

@Suite struct MessageSealRefusalTests {
  private let alice: Identity
  private let bob: Identity
  private let mallory: Identity
  private let genuine: [UInt8]

  init() throws {
    alice = try .sample(1)
    bob = try .sample(2)
    mallory = try .sample(3)
    genuine = try sealing(.text("genuine"), from: alice, to: bob.publicKeys)
  }

  /// Opens a signed envelope that Alice's program would not make, at Bob's.
  private func openAtBob(_ envelope: RawEnvelope) throws -> Result<OpenedMessage, OpenError> {
    let signed = envelope.signed(by: alice, for: bob.publicKeys, at: now)
    return opening(
      try sealRaw(signed.plaintext, to: bob.publicKeys, id: .sample(7), time: now), by: bob)
  }

  @Test("any bit of the payload, the id or the time changed is refused")
  func anyBit() {
    for bit in 0..<(genuine.count * 8) {
      var changed = genuine
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(opening(changed, by: bob) == .failure(.notAuthentic), "bit \(bit) of the payload")
    }
    for bit in 0..<128 {
      var id = PacketID.sample(7).bytes
      id[bit / 8] ^= 1 << (bit % 8)
      let outcome = opening(genuine, id: PacketID(id) ?? PacketID(), by: bob)
      #expect(outcome == .failure(.notAuthentic), "bit \(bit) of the id")
    }
    for bit in 0..<64 {
      let time = Timestamp(milliseconds: now.milliseconds ^ 1 << bit)
      #expect(
        opening(genuine, time: time, by: bob) == .failure(.notAuthentic), "bit \(bit) of the time")
    }
  }

  @Test("nobody but the recipient opens it")
  func otherRecipients() {
    for other in [alice, mallory] {
      #expect(opening(genuine, by: other) == .failure(.notAuthentic))
    }
  }

  @Test("every length that no bucket makes is refused before any work")
  func lengths() {
    let buckets: Set = [304, 560, 1_072, 2_096, 4_144, 8_240]
    for length in 0...8_400 {
      let outcome = opening([UInt8](repeating: 9, count: length), by: bob)
      guard case .failure(let error) = outcome else {
        Issue.record("\(length) bytes of nothing opened")
        continue
      }
      #expect((error == .wrongLength) == !buckets.contains(length), "length \(length)")
    }
  }

  @Test("an encapsulated key of small order is refused", arguments: smallOrderPoints)
  func zeroSharedSecret(key: AgreementPublicKey) {
    let payload = key.bytes + genuine.dropFirst(32)
    #expect(opening(payload, by: bob) == .failure(.zeroSharedSecret))
  }

  @Test("an honest recipient's copy, sealed again to a third person, is refused")
  func passedOn() throws {
    let envelope = RawEnvelope(from: alice).signed(by: alice, for: bob.publicKeys, at: now)
    let plaintext = envelope.plaintext
    let passedOn = try sealRaw(plaintext, to: mallory.publicKeys, id: .sample(7), time: now)
    #expect(opening(passedOn, by: mallory) == .failure(.badSignature))
    let straight = try sealRaw(plaintext, to: bob.publicKeys, id: .sample(7), time: now)
    #expect(try opening(straight, by: bob).get().envelope.sender == alice.publicKeys)
  }

  @Test("an old message with a new time is refused")
  func redated() throws {
    let envelope = RawEnvelope(from: alice).signed(by: alice, for: bob.publicKeys, at: now)
    let later = now.advanced(by: .milliseconds(1))
    let payload = try sealRaw(
      envelope.plaintext, to: bob.publicKeys, id: .sample(7), time: later)
    #expect(opening(payload, time: later, by: bob) == .failure(.badSignature))
  }

  @Test("whatever the signature covers, changed after signing, is refused")
  func changedAfterSigning() throws {
    let signed = RawEnvelope(from: alice).signed(by: alice, for: bob.publicKeys, at: now)
    var changes: [(String, RawEnvelope)] = []
    var changed = signed
    changed.messageID = MessageID(PacketID.sample(8))
    changes.append(("message id", changed))
    changed = signed
    changed.body[0] ^= 1
    changes.append(("body", changed))
    changed = signed
    changed.body.append(0x20)
    changes.append(("body length", changed))
    changed = signed
    changed.sender = PublicKeys(
      signing: alice.publicKeys.signing, agreement: mallory.publicKeys.agreement)
    changes.append(("agreement key", changed))
    changed = signed
    changed.sender = mallory.publicKeys
    changes.append(("sender", changed))
    changed = RawEnvelope(from: alice, body: [UInt8](repeating: 65, count: 16))
      .signed(by: alice, for: bob.publicKeys, at: now)
    changed.type = 2
    changes.append(("content type", changed))
    changed = signed
    changed.signature = Signature()
    changes.append(("signature", changed))
    for (what, envelope) in changes {
      let payload = try sealRaw(
        envelope.plaintext, to: bob.publicKeys, id: .sample(7), time: now)
      #expect(opening(payload, by: bob) == .failure(.badSignature), "\(what)")
    }
  }

  @Test("another's signature under a sender's keys is refused")
  func forged() throws {
    let envelope = RawEnvelope(from: alice).signed(by: mallory, for: bob.publicKeys, at: now)
    let payload = try sealRaw(envelope.plaintext, to: bob.publicKeys, id: .sample(7), time: now)
    #expect(opening(payload, by: bob) == .failure(.badSignature))
  }

  @Test("a sender whose number is reserved is refused")
  func reservedNumber() {
    // Keys with such a number cost 2^40 hashes, so a number that can be had stands for it.
    let outcome = Result {
      () throws(OpenError) in
      try MessageSeal.open(
        genuine.span.bytes, packetID: .sample(7), time: now, by: bob,
        isReserved: { $0 == alice.fingerprint.number })
    }
    #expect(outcome == .failure(.reservedNumber))
  }

  @Test(
    "a larger bucket than needed is accepted", arguments: [256, 512, 1_024, 2_048, 4_096, 8_192])
  func largerBucket(bucket: Int) throws {
    var envelope = RawEnvelope(from: alice)
    envelope.bucket = bucket
    #expect(try openAtBob(envelope).get().envelope.content == .text("hello"))
  }

  @Test("padding with anything but zeros is refused, wherever it stands")
  func padding() throws {
    let envelope = RawEnvelope(from: alice).signed(by: alice, for: bob.publicKeys, at: now)
    for position in [147 + 5, 200, 255] {
      var plaintext = envelope.plaintext
      plaintext[position] = 0x80
      let payload = try sealRaw(plaintext, to: bob.publicKeys, id: .sample(7), time: now)
      #expect(opening(payload, by: bob) == .failure(.badEnvelope(.paddingNotZero)))
    }
  }

  @Test("a body longer than the plaintext is refused", arguments: [110, 255, 8_045, 65_535])
  func bodyTooLong(length: UInt16) throws {
    var envelope = RawEnvelope(from: alice)
    envelope.declaredLength = length
    #expect(try openAtBob(envelope) == .failure(.badEnvelope(.badLength)))
  }

  @Test("a content type of a later version is refused", arguments: [0, 4, 255] as [UInt8])
  func unknownContent(type: UInt8) throws {
    let envelope = RawEnvelope(from: alice, type: type)
    #expect(try openAtBob(envelope) == .failure(.badEnvelope(.unknownContent)))
  }

  private static let badBodies: [(UInt8, [UInt8])] = [
    (1, []), (1, [0xFF]), (1, [0xC0, 0x80]), (1, [0xED, 0xA0, 0x80]), (1, [0xE2, 0x82]),
    (2, []), (2, [UInt8](repeating: 1, count: 15)), (2, [UInt8](repeating: 1, count: 17)),
    (3, []), (3, [1]), (3, [3] + Array("7M2KQ9X".utf8)), (3, [3] + Array("7M2KQ9XDX".utf8)),
    (3, [1] + Array("7M2KQ9XD".utf8)), (3, [3] + Array("7m2kq9xd".utf8)),
    (3, [6] + Array("7M2KQ9XD".utf8)),
  ]

  @Test("a body that its content type does not have is refused", arguments: badBodies)
  func badBody(type: UInt8, body: [UInt8]) throws {
    let envelope = RawEnvelope(from: alice, type: type, body: body)
    #expect(try openAtBob(envelope) == .failure(.badEnvelope(.badBody)))
  }

  @Test("random payloads and random plaintexts open to nothing", arguments: propertySeeds)
  func noise(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<10 {
      let noise = random.bytes(304)
      #expect(opening(noise, by: bob) == .failure(.notAuthentic), "seed \(seed)")
      var plaintext = random.bytes(256)
      // Type and length that can be, so that reading gets as far as it goes.
      plaintext[144] = UInt8.random(in: 0...4, using: &random)
      plaintext[145] = 0
      plaintext[146] = UInt8.random(in: 0...109, using: &random)
      let payload = try sealRaw(plaintext, to: bob.publicKeys, id: .sample(7), time: now)
      guard case .failure = opening(payload, by: bob) else {
        Issue.record("noise opened, seed \(seed)")
        continue
      }
    }
  }
}
