public import Wire

/// The people we have pinned and the numbers we have blocked, without I/O.
public struct ContactBook: Hashable, Sendable {
  public static let maximumContacts = 4_096
  public static let maximumBlocked = 4_096
  public static let maximumNameLength = Hello.maximumNameLength

  private var people: [Number: Contact] = [:]
  /// Whose numbers those are: every message asks, and a number costs two hashes.
  private var numbers: [PublicKeys: Number] = [:]
  private var blocked: Set<Number> = []

  /// Nobody.
  public init() {}

  public func contact(_ number: Number) -> Contact? { people[number] }

  public func standing(of keys: PublicKeys) -> Standing {
    if numbers[keys] != nil { return .pinned }
    guard let contact = people[keys.fingerprint.number] else { return .unknown }
    return .contradicts(contact.keys)
  }

  /// Whether nothing of this number is to be shown or answered, whoever has it.
  public func isBlocked(_ number: Number) -> Bool { blocked.contains(number) }

  /// Everyone pinned, by name without regard to case, then by number.
  public var contacts: [Contact] {
    people.values.map { (key: $0.name.lowercased(), contact: $0) }
      .sorted { ($0.key, $0.contact.number) < ($1.key, $1.contact.number) }
      .map(\.contact)
  }

  /// Every blocked number, in order.
  public var blockedNumbers: [Number] { blocked.sorted() }

  /// Makes one change; on an error the book is as before.
  public mutating func apply(_ change: ContactChange) throws(ContactError) {
    switch change {
    case .pin(let keys, let name):
      if standing(of: keys) == .unknown { try put(Contact(keys: keys, name: name)) }
    case .accept(let keys, let name):
      if standing(of: keys) != .pinned { try put(Contact(keys: keys, name: name)) }
    case .verify(let keys):
      if let number = numbers[keys] { people[number]?.isVerified = true }
    case .rename(let keys, let name):
      guard let number = numbers[keys] else { return }
      try Self.check(name)
      people[number]?.name = name
    case .block(let number):
      guard blocked.count < Self.maximumBlocked || blocked.contains(number) else {
        throw .tooManyBlocked(limit: Self.maximumBlocked)
      }
      blocked.insert(number)
    case .unblock(let number): blocked.remove(number)
    }
  }

  private mutating func put(_ contact: Contact) throws(ContactError) {
    try Self.check(contact.name)
    guard contact.keys.areIssuable else { throw .reservedNumber(contact.number) }
    guard people.count < Self.maximumContacts || people[contact.number] != nil else {
      throw .tooManyContacts(limit: Self.maximumContacts)
    }
    if let former = people.updateValue(contact, forKey: contact.number) {
      numbers[former.keys] = nil
    }
    numbers[contact.keys] = contact.number
  }

  private static func check(_ name: String) throws(ContactError) {
    guard name.utf8.count <= maximumNameLength else {
      throw .nameTooLong(limit: maximumNameLength)
    }
  }
}
