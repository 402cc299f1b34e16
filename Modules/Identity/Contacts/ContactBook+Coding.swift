internal import Wire

/// The book as bytes, before they are sealed.
///
/// | size | field |
/// | --- | --- |
/// | 4 | contacts m, at most 4,096 |
/// | m × (66 + n) | signing key 32, agreement key 32, verified 1 (0 or 1), name length n 1, name |
/// | 4 | blocked numbers b, at most 4,096 |
/// | b × 8 | the number as an integer below 2^40 |
///
/// Contacts stand in order of their numbers, blocked numbers ascending, none of either twice.
extension ContactBook {
  private static let contactLength = PublicKeys.byteCount + 2
  /// The largest book.
  static let maximumEncodedLength =
    8 + maximumContacts * (contactLength + maximumNameLength) + maximumBlocked * 8

  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    let contacts = contacts.sorted { $0.number < $1.number }
    bytes.append(bigEndian: UInt32(contacts.count))
    for contact in contacts {
      bytes.append(contact.keys.signing)
      bytes.append(contact.keys.agreement)
      bytes.append(contact.isVerified ? 1 : 0)
      bytes.append(UInt8(contact.name.utf8.count))
      bytes.append(contentsOf: contact.name.utf8)
    }
    bytes.append(bigEndian: UInt32(blockedNumbers.count))
    for number in blockedNumbers { bytes.append(bigEndian: number.value) }
    return bytes
  }

  /// Reads what `encoded` wrote; nil for anything else.
  init?(encoded bytes: [UInt8]) {
    self.init()
    var rest = bytes[...]
    guard let contacts = rest.takeUInt32(), contacts <= Self.maximumContacts else { return nil }
    for _ in 0..<contacts {
      guard let signing = SigningPublicKey(rest.take(32)),
        let agreement = AgreementPublicKey(rest.take(32)),
        let verified = rest.popFirst(), verified <= 1,
        let length = rest.popFirst(), Int(length) <= rest.count,
        let name = String(validating: rest.take(Int(length)), as: UTF8.self)
      else { return nil }
      let keys = PublicKeys(signing: signing, agreement: agreement)
      guard standing(of: keys) == .unknown, (try? apply(.pin(keys, name: name))) != nil else {
        return nil
      }
      if verified == 1 { try? apply(.verify(keys)) }
    }
    guard let blocked = rest.takeUInt32(), blocked <= Self.maximumBlocked,
      rest.count == Int(blocked) * 8
    else { return nil }
    while let high = rest.takeUInt32(), let low = rest.takeUInt32() {
      // A number is the first 40 bits of a fingerprint.
      let number = Fingerprint(value: UInt64(high) << 56 | UInt64(low) << 24).number
      guard high < 1 << 8, !isBlocked(number) else { return nil }
      try? apply(.block(number))
    }
  }
}

extension ArraySlice<UInt8> {
  /// The next `count` bytes, or as many as there are.
  fileprivate mutating func take(_ count: Int) -> ArraySlice<UInt8> {
    defer { self = dropFirst(count) }
    return prefix(count)
  }

  fileprivate mutating func takeUInt32() -> UInt32? {
    guard count >= 4 else { return nil }
    return take(4).reduce(0) { $0 << 8 | UInt32($1) }
  }
}
