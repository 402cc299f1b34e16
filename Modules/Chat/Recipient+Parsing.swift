internal import Wire

extension Recipient {
  /// Reads a number, or a fingerprint of 16 hexadecimal digits.
  ///
  /// Throws `badNumber` for anything else and `reservedNumber` for the numbers of examples.
  public init(parsing text: some StringProtocol) throws(ChatError) {
    if let fingerprint = Fingerprint(hex: text) {
      guard fingerprint != .everyone else { throw .badNumber(String(text)) }
      self = .fingerprint(fingerprint)
    } else if let number = try? Number(parsing: text) {
      self = .number(number)
    } else {
      throw .badNumber(String(text))
    }
    if number.isReserved { throw .reservedNumber(number) }
  }
}

extension ChatCommand {
  /// Refuses at once what no node could send: an empty text or one over the limit.
  func checked() throws(ChatError) -> ChatCommand {
    guard case .send(_, let text) = self else { return self }
    let limit = MessageContent.maximumTextLength
    let bytes = text.utf8.count
    if bytes == 0 { throw .empty }
    if bytes > limit { throw .tooLong(bytes: bytes, limit: limit) }
    return self
  }
}
