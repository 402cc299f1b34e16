internal import CSodium
internal import Identity
public import Wire

/// The X25519 key pair that one side makes for one call, wiped when it is let go.
public final class CallKeyPair: Sendable {
  /// How many random words make one.
  static let words = X25519.length / 8

  public let publicKey: AgreementPublicKey
  private let secretKey: SecretBytes

  /// A pair from 32 bytes of `generator`, which is the system's except in tests and simulations.
  public init(using generator: inout some RandomNumberGenerator) {
    var secretKey = SecretBytes(count: X25519.length)
    var publicKey = AgreementPublicKey()
    secretKey.withUnsafeMutableBytes { secret in
      var writer = FieldWriter(secret)
      for _ in 0..<Self.words { writer.put(bigEndian: generator.next()) }
      withUnsafeMutableBytes(of: &publicKey) {
        X25519.publicKey(of: UnsafeRawBufferPointer(secret), into: $0)
      }
    }
    self.secretKey = secretKey
    self.publicKey = publicKey
  }

  fileprivate func exchange(
    with other: AgreementPublicKey, into result: UnsafeMutableRawBufferPointer
  ) throws(X25519.ZeroResult) {
    try secretKey.withUnsafeBytes { (secret) throws(X25519.ZeroResult) in
      try withUnsafeBytes(of: other) { (key) throws(X25519.ZeroResult) in
        try X25519.exchange(secret, with: key, into: result)
      }
    }
  }
}

/// Who is who in a call: all that its keys are bound to beside the secret.
public struct CallBinding: Hashable, Sendable {
  public let nonce: CallNonce
  public let caller: Fingerprint
  public let callee: Fingerprint
  public let callerKey: AgreementPublicKey
  public let calleeKey: AgreementPublicKey

  public init(
    nonce: CallNonce, caller: Fingerprint, callee: Fingerprint, callerKey: AgreementPublicKey,
    calleeKey: AgreementPublicKey
  ) {
    self.nonce = nonce
    self.caller = caller
    self.callee = callee
    self.callerKey = callerKey
    self.calleeKey = calleeKey
  }

  var info: [UInt8] {
    var info = nonce.characters
    info.append(caller)
    info.append(callee)
    info.append(callerKey)
    info.append(calleeKey)
    return info
  }
}

/// The two keys of a call, one for each direction, wiped when they are let go (PROTOCOL, section 7).
///
/// HKDF-SHA256 with the salt `airlink-call-v1` over what the two ephemeral keys come to. The first
/// 32 bytes seal from caller to callee, the last 32 from callee to caller.
public final class CallKeys: Sendable {
  private static let salt = Array("airlink-call-v1".utf8)
  private static let sequenceLength = 4

  private let keys: SecretBytes
  private let sealingOffset: Int

  /// The keys that our pair and the other side's key make; nil when they come to zeros, which no
  /// honest device's key does.
  public init?(own: CallKeyPair, other: AgreementPublicKey, isCaller: Bool, _ binding: CallBinding)
  {
    sealingOffset = isCaller ? 0 : ChaCha20Poly1305.keyLength
    var keys = SecretBytes(count: 2 * ChaCha20Poly1305.keyLength)
    let isMade = withWipedMemory(byteCount: X25519.length) { shared in
      do {
        try own.exchange(with: other, into: shared)
        try Self.salt.withUnsafeBytes { salt in
          try binding.info.withUnsafeBytes { info in
            try keys.withUnsafeMutableBytes { keys in
              try HKDF.derive(
                salt: salt, secret: UnsafeRawBufferPointer(shared), info: info, into: keys)
            }
          }
        }
        return true
      } catch {
        return false
      }
    }
    self.keys = keys
    guard isMade else { return nil }
  }

  /// One frame of ours: sequence ‖ ciphertext ‖ tag, 20 bytes longer than `opus`.
  ///
  /// A sequence is used once, for whoever sees two frames under one sees what differs.
  public func seal(_ opus: [UInt8], sequence: UInt32) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: opus.count + VoiceFrame.overhead) { frame, count in
      count = opus.count + VoiceFrame.overhead
      let frame = UnsafeMutableRawBufferPointer(frame)
      let head = frame.part(at: 0, count: Self.sequenceLength)
      var writer = FieldWriter(frame)
      writer.put(bigEndian: sequence)
      opus.withUnsafeBytes { writer.put($0) }
      let box = UnsafeMutableRawBufferPointer(rebasing: frame[Self.sequenceLength...])
      Self.withNonce(UnsafeRawBufferPointer(head)) { nonce in
        withKey(at: sealingOffset) { key in
          ChaCha20Poly1305.seal(
            inPlace: box, key: key, nonce: nonce, associatedData: UnsafeRawBufferPointer(head))
        }
      }
    }
  }

  /// What is in a frame of the other side's; nil when it was not sealed with their key.
  ///
  /// Whether it was had before is for a `ReplayWindow` to say.
  public func open(_ frame: RawSpan) -> (sequence: UInt32, opus: [UInt8])? {
    guard VoiceFrame.lengths.contains(frame.byteCount) else { return nil }
    return frame.withUnsafeBytes { frame in
      let head = UnsafeRawBufferPointer(rebasing: frame[..<Self.sequenceLength])
      let box = UnsafeRawBufferPointer(rebasing: frame[Self.sequenceLength...])
      var isOpen = false
      let opus = [UInt8](unsafeUninitializedCapacity: frame.count - VoiceFrame.overhead) {
        opus, count in
        count = opus.count
        isOpen = Self.withNonce(head) { nonce in
          withKey(at: ChaCha20Poly1305.keyLength - sealingOffset) { key in
            ChaCha20Poly1305.open(
              box, key: key, nonce: nonce, associatedData: head,
              into: UnsafeMutableRawBufferPointer(opus))
          }
        }
        if !isOpen { sodium_memzero(UnsafeMutableRawBufferPointer(opus).sodium, count) }
      }
      guard isOpen else { return nil }
      return (UInt32(bigEndian: head.loadUnaligned(as: UInt32.self)), opus)
    }
  }

  private func withKey<Result>(at offset: Int, _ body: (UnsafeRawBufferPointer) -> Result)
    -> Result
  {
    keys.withUnsafeBytes {
      body(UnsafeRawBufferPointer(rebasing: $0[offset..<(offset + ChaCha20Poly1305.keyLength)]))
    }
  }

  /// Eight zero bytes ‖ the sequence.
  private static func withNonce<Result>(
    _ sequence: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    withUnsafeTemporaryAllocation(byteCount: ChaCha20Poly1305.nonceLength, alignment: 8) { nonce in
      var writer = FieldWriter(nonce)
      writer.put(bigEndian: UInt64(0))
      writer.put(sequence)
      return body(UnsafeRawBufferPointer(nonce))
    }
  }
}
