public import Wire

/// Why a message cannot be sealed.
public enum SealError: Error, Hashable, Sendable {
  /// A text of no bytes.
  case textEmpty
  /// A text of this many bytes, over the `MessageContent.maximumTextLength` that fit.
  case textTooLong(Int)
  /// The recipient's agreement key gives no secret: no honest device makes such a key.
  case badRecipientKey
}

/// Why a sealed payload is not opened; it is then dropped whole and counted under this.
public enum OpenError: Error, Hashable, Sendable, CaseIterable {
  /// A length that no bucket makes.
  case wrongLength
  /// The exchange came to zeros: the encapsulated key is a point of small order.
  case zeroSharedSecret
  /// The ciphertext does not hold: made for other keys, another id or time, or changed on the way.
  case notAuthentic
  /// It opened, but what was inside is no envelope.
  case badEnvelope(Envelope.DecodeError)
  /// The sender's keys make a number that is never issued.
  case reservedNumber
  /// Signed by other keys, for another recipient, or at another time.
  case badSignature

  public static var allCases: [OpenError] {
    [.wrongLength, .zeroSharedSecret, .notAuthentic]
      + Envelope.DecodeError.allCases.map { .badEnvelope($0) } + [.reservedNumber, .badSignature]
  }
}
