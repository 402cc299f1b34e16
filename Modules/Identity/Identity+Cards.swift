public import Wire

extension Identity {
  /// The hello that announces these keys under `name`, at most 64 bytes of UTF-8.
  public func makeHello(name: String, id: PacketID, time: Timestamp) -> Hello {
    let unsigned = Hello.unsignedPayload(keys: publicKeys, name: name)
    let signed = Hello.signedBytes(id: id, time: time, unsignedPayload: unsigned)
    return Hello(keys: publicKeys, name: name, signature: sign(signed))
  }

  /// The contact card of these keys under `name`, at most 64 bytes of UTF-8.
  public func makeCard(name: String, time: Timestamp) -> ContactCard {
    let unsigned = Hello.unsignedPayload(keys: publicKeys, name: name)
    let signed = ContactCard.signedBytes(time: time, unsignedPayload: unsigned)
    return ContactCard(
      hello: Hello(keys: publicKeys, name: name, signature: sign(signed)), time: time)
  }
}

extension PublicKeys {
  /// Whether anybody may have these keys: their number is not reserved, nor is their fingerprint
  /// the one that means everyone.
  public var areIssuable: Bool {
    let fingerprint = fingerprint
    return fingerprint != .everyone && !fingerprint.number.isReserved
  }
}

extension Hello {
  /// Whether the hello of a packet with this id and time was signed by its keys, and these are
  /// nobody's reserved number.
  public func isAuthentic(id: PacketID, time: Timestamp) -> Bool {
    let unsigned = Self.unsignedPayload(keys: keys, name: name)
    let signed = Self.signedBytes(id: id, time: time, unsignedPayload: unsigned)
    return signature.isValid(for: signed, by: keys.signing) && keys.areIssuable
  }
}

extension ContactCard {
  /// Whether the card was signed by its keys, and these are nobody's reserved number.
  public var isAuthentic: Bool { isSigned && hello.keys.areIssuable }

  /// Whether the card was signed by its keys.
  public var isSigned: Bool {
    let unsigned = Hello.unsignedPayload(keys: hello.keys, name: hello.name)
    let signed = Self.signedBytes(time: time, unsignedPayload: unsigned)
    return hello.signature.isValid(for: signed, by: hello.keys.signing)
  }
}
