internal import CommandLine
internal import Identity
internal import Seal
internal import Wire

/// What an opened message says, as `-v` and the lines show it.
extension Opening {
  /// Behind a packet's line: who says what, as harmless text.
  var summary: String {
    guard case .opened(let message) = self else { return "" }
    let what =
      switch message.envelope.content {
      case .text(let text): DisplayText(text).inQuotes
      case .receipt(let id): "receipt for \(id)"
      case .callSignal(let signal): "call \(signal.word) \(signal.nonce)"
      }
    return " from \(message.fingerprint.number) \(what)"
  }

  /// What is wrong with it.
  var remark: String? {
    if case .refused(let error) = self { error.sentence } else { nil }
  }

  /// The fields of the plaintext, with their offsets in it.
  var fields: [PacketField] {
    guard case .opened(let message) = self else { return [] }
    let envelope = message.envelope
    var fields: [PacketField] = []
    var offset = 0
    func add(_ length: Int, _ name: String, _ value: String) {
      fields.append(PacketField(offset: offset, length: length, name: name, value: value))
      offset += length
    }
    let whose = "(\(message.fingerprint.number))"
    add(32, "signing key", envelope.sender.signing.hex + " " + whose)
    add(32, "agreement key", envelope.sender.agreement.hex)
    add(64, "signature", "holds")
    add(16, "message id", envelope.messageID.hex)
    add(1, "content type", "\(envelope.content.type) (\(envelope.content.word))")
    let length = envelope.content.bodyLength
    add(2, "body length", "\(length)")
    switch envelope.content {
    case .text(let text): add(length, "text", DisplayText(text).description)
    case .receipt(let id): add(16, "receipt for", id.hex)
    case .callSignal(let signal):
      add(1, "signal", signal.word)
      add(8, "nonce", "\(signal.nonce)")
      if let key = signal.ephemeralKey { add(32, "ephemeral key", key.hex) }
    }
    return fields
  }

  /// The same for `--json`.
  func add(to object: inout JSONObject) {
    let message: OpenedMessage
    switch self {
    case .refused(let error):
      object["notOpened"] = .string(error.sentence)
      return
    case .opened(let opened): message = opened
    }
    let envelope = message.envelope
    object["from"] = .string("\(message.fingerprint.number)")
    object["fromFingerprint"] = .string(message.fingerprint.hex)
    object["signingKey"] = .string(envelope.sender.signing.hex)
    object["agreementKey"] = .string(envelope.sender.agreement.hex)
    object["signature"] = .string(envelope.signature.hex)
    object["signatureHolds"] = true
    object["message"] = .string(envelope.messageID.hex)
    object["content"] = .string(envelope.content.word)
    switch envelope.content {
    case .text(let text): object["text"] = .string(text)
    case .receipt(let id): object["receiptFor"] = .string(id.hex)
    case .callSignal(let signal):
      object["signal"] = .string(signal.word)
      object["nonce"] = .string("\(signal.nonce)")
      object["ephemeralKey"] = signal.ephemeralKey.map { .string($0.hex) }
    }
  }
}
