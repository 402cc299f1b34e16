/// The eight Crockford characters that name a call.
public struct CallNonce: Hashable, Sendable, CustomStringConvertible {
  /// Eight upper-case characters of the number's alphabet.
  public let characters: [UInt8]

  /// Nil unless these are eight upper-case characters of the alphabet.
  public init?(_ characters: some Collection<UInt8>) {
    guard characters.count == 8, characters.allSatisfy({ Number.alphabet.contains($0) }) else {
      return nil
    }
    self.characters = Array(characters)
  }

  /// The nonce that the low 40 bits of a random number make.
  public init(random: UInt64) {
    characters = (0..<8).map { Number.alphabet[Int(random >> (5 * UInt64($0)) & 31)] }
  }

  public var description: String { String(decoding: characters, as: UTF8.self) }
}

/// One signal of a call (PROTOCOL, section 7): signal 1 ‖ nonce 8 ‖ for invite and answer the
/// ephemeral X25519 key 32.
public enum CallSignal: Hashable, Sendable {
  case invite(CallNonce, AgreementPublicKey)
  case answer(CallNonce, AgreementPublicKey)
  case decline(CallNonce)
  case end(CallNonce)
  case deaf(CallNonce)

  /// Nil for an unknown signal, a length that is not exact, or a nonce outside the alphabet.
  public init?(body: RawSpan) {
    let bytes = unsafe body.withUnsafeBytes { unsafe Array($0) }
    guard bytes.count == 9 || bytes.count == 41, let nonce = CallNonce(bytes[1..<9]) else {
      return nil
    }
    switch (bytes[0], AgreementPublicKey(bytes.dropFirst(9))) {
    case (1, let key?): self = .invite(nonce, key)
    case (2, let key?): self = .answer(nonce, key)
    case (3, nil) where bytes.count == 9: self = .decline(nonce)
    case (4, nil) where bytes.count == 9: self = .end(nonce)
    case (5, nil) where bytes.count == 9: self = .deaf(nonce)
    default: return nil
    }
  }

  public var body: [UInt8] {
    switch self {
    case .invite(let nonce, let key): [1] + nonce.characters + key.bytes
    case .answer(let nonce, let key): [2] + nonce.characters + key.bytes
    case .decline(let nonce): [3] + nonce.characters
    case .end(let nonce): [4] + nonce.characters
    case .deaf(let nonce): [5] + nonce.characters
    }
  }

  public var nonce: CallNonce {
    switch self {
    case .invite(let nonce, _), .answer(let nonce, _), .decline(let nonce), .end(let nonce),
      .deaf(let nonce):
      nonce
    }
  }
}

/// A sealed voice frame: sequence 4 ‖ ciphertext ‖ tag 16 (PROTOCOL, section 7).
public enum VoiceFrame {
  public static let overhead = 20
  /// At least one byte of Opus; at most what a datagram takes.
  public static let lengths = (overhead + 1)...1_400
}
