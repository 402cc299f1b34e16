internal import Capture
internal import CommandLine
internal import Identity
internal import Wire

/// What `--json` prints: one object a line, its fields as airlink-packetdump(1) lists them.
struct JSONPrinter {
  /// Whether the packet's bytes are wanted too.
  let bytes: Bool

  func object(
    _ facts: PacketFacts, _ view: borrowing PacketView, _ opening: Opening?, link: String,
    firstLink: String
  ) -> JSONObject {
    let header = facts.header
    var object = place("packet", facts.crossing, link: link)
    object["size"] = .count(header.packetLength)
    object["version"] = .count(header.version)
    object["kind"] = .string(header.kind.word)
    object["hopLimit"] = .count(header.hopLimit)
    object["flags"] = .count(header.flags)
    object["payloadLength"] = .count(header.payloadLength)
    object["crc"] = .string(view.bytes.extracting(8..<12).hex)
    object["sent"] = .string(RFC3339.format(milliseconds: header.time.milliseconds))
    object["sentMilliseconds"] = .count(header.time.milliseconds)
    object["ageMilliseconds"] = facts.ageMilliseconds.map(JSONValue.integer)
    object["id"] = .string(header.id.hex)
    object["destination"] = .string(header.destination.hex)
    object["to"] = .string(
      header.destination == .everyone ? "everyone" : "\(header.destination.number)")
    object["copy"] = .count(facts.sighting.copy)
    if facts.isCopy {
      object["firstLink"] = .string(firstLink)
      object["hopsSinceFirst"] = .count(facts.hopsSinceFirst)
    }
    let fields = PacketFields(view, age: facts.ageMilliseconds)
    object["refused"] = facts.refused.map { .string($0) }
    if facts.refusal == nil {
      addPayload(view, fields, to: &object)
      opening?.add(to: &object)
    }
    if !fields.remarks.isEmpty { object["remarks"] = .array(fields.remarks.map { .string($0) }) }
    if bytes { object["bytes"] = .string(view.bytes.hex) }
    return object
  }

  func object(
    _ frame: CallFrame, _ crossing: Crossing, _ bytes: RawSpan, link: String
  ) -> JSONObject {
    var object = place("frame", crossing, link: link)
    object["size"] = .count(frame.byteCount)
    object["sequence"] = .count(frame.sequence)
    object["ciphertextLength"] = .count(frame.byteCount - VoiceFrame.overhead)
    object["tag"] = .string(bytes.extracting(last: SealedPayload.tagLength).hex)
    if self.bytes { object["bytes"] = .string(bytes.hex) }
    return object
  }

  func object(_ loss: Loss, _ crossing: Crossing, link: String) -> JSONObject {
    var object = place("lost", crossing, link: link)
    object["code"] = .string(loss.code)
    object["bytes"] = .count(loss.bytes)
    object["message"] = .string(loss.sentence)
    return object
  }

  private func place(_ event: String, _ crossing: Crossing, link: String) -> JSONObject {
    var object: JSONObject = ["event": .string(event), "record": .count(crossing.record)]
    object["time"] = crossing.time.flatMap { UInt64(exactly: $0.nanoseconds) }.map {
      .string(RFC3339.format(milliseconds: $0 / 1_000_000))
    }
    object["timeNanoseconds"] = crossing.time.map { .integer($0.nanoseconds) }
    object["link"] = .string(link)
    object["direction"] = crossing.direction.map { .string($0.rawValue) }
    return object
  }

  private func addPayload(
    _ view: borrowing PacketView, _ fields: PacketFields, to object: inout JSONObject
  ) {
    let payload = view.payload
    switch view.header.kind {
    case .hello:
      guard let hello = fields.hello else { return }
      object["signingKey"] = .string(hello.keys.signing.hex)
      object["agreementKey"] = .string(hello.keys.agreement.hex)
      object["name"] = .string(hello.name)
      object["signature"] = .string(hello.signature.hex)
      object["signatureHolds"] = fields.signatureHolds.map(JSONValue.bool)
      object["fingerprint"] = .string(hello.keys.fingerprint.hex)
      object["number"] = .string("\(hello.keys.fingerprint.number)")
    case .sealed:
      let length = SealedPayload.encapsulatedKeyLength
      object["encapsulatedKey"] = .string(payload.extracting(first: length).hex)
      object["ciphertextLength"] = .count(payload.byteCount - length)
    case .voice:
      object["sequence"] = .count(payload.load(0, as: UInt32.self) ?? 0)
      object["ciphertextLength"] = .count(payload.byteCount - VoiceFrame.overhead)
      object["tag"] = .string(payload.extracting(last: SealedPayload.tagLength).hex)
    case .unknown: break
    }
  }
}
