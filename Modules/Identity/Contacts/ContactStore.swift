internal import CSodium

/// The contacts of a home, in a file that is sealed for the identity they belong to.
///
/// airlink-keytool and a running node share it: every change reads the file anew under a lock, and
/// puts the next one in its place whole.
///
/// | offset | size | field |
/// | --- | --- | --- |
/// | 0 | 16 | `airlink-contacts` |
/// | 16 | 1 | version, 1 |
/// | 17 | 7 | zeros |
/// | 24 | 24 | nonce |
/// | 48 | n | the book, sealed by XChaCha20-Poly1305 with bytes 0…23 as associated data |
/// | 48 + n | 16 | tag |
public struct ContactStore: Sendable {
  /// Why the contacts cannot be read or changed.
  public enum Failure: Error, Hashable, Sendable {
    case file(FileError)
    /// A change the book refuses; nothing was written.
    case contact(ContactError)
    /// The file is no contacts file of this version, was damaged, or belongs to another identity.
    /// It is left as it is.
    case unreadable(path: String)
  }

  static let header = Array("airlink-contacts".utf8) + [1, 0, 0, 0, 0, 0, 0, 0]
  static let maximumFileSize =
    header.count + SecretBox.overhead + ContactBook.maximumEncodedLength

  private let home: Home
  private let identity: Identity
  private let patience: Duration

  /// The contacts that `identity` keeps in `home`; a change waits for at most `patience` until
  /// another process has made its own.
  public init(home: Home, identity: Identity, patience: Duration = .seconds(5)) {
    self.home = home
    self.identity = identity
    self.patience = patience
  }

  /// Reads the contacts; an empty book when there is no file yet.
  public func load() throws(Failure) -> ContactBook {
    let bytes: [UInt8]
    do throws(FileError) {
      guard try home.contains(.contacts) else { return ContactBook() }
      bytes = try home.read(.contacts, limit: Self.maximumFileSize)
    } catch {
      throw .file(error)
    }
    guard let book = open(bytes) else { throw .unreadable(path: home.path(of: .contacts)) }
    return book
  }

  /// Makes the changes, all or none, to what the file holds now, and gives what it holds then.
  ///
  /// The file is not written when they change nothing.
  @discardableResult
  public func update(_ changes: [ContactChange]) throws(Failure) -> ContactBook {
    let lock = try lock()
    let old = try load()
    var book = old
    for change in changes {
      do throws(ContactError) { try book.apply(change) } catch { throw .contact(error) }
    }
    if book != old { try save(book) }
    lock.release()
    return book
  }

  private func lock() throws(Failure) -> HomeLock {
    do throws(FileError) {
      return try HomeLock(home, .contactsLock, patience: patience)
    } catch {
      throw .file(error)
    }
  }

  private func open(_ bytes: [UInt8]) -> ContactBook? {
    let header = Self.header
    guard bytes.starts(with: header), bytes.count >= header.count + SecretBox.overhead else {
      return nil
    }
    var plaintext = [UInt8](repeating: 0, count: bytes.count - header.count - SecretBox.overhead)
    let opened = bytes.withUnsafeBytes { bytes in
      plaintext.withUnsafeMutableBytes { plaintext in
        SecretBox.open(
          UnsafeRawBufferPointer(rebasing: bytes[header.count...]), associatedData: header,
          key: identity.storageKey("contacts"), into: plaintext)
      }
    }
    defer { plaintext.wipe() }
    return opened ? ContactBook(encoded: plaintext) : nil
  }

  private func save(_ book: ContactBook) throws(Failure) {
    var plaintext = book.encoded
    let sealed = plaintext.withUnsafeBytes {
      SecretBox.seal($0, associatedData: Self.header, key: identity.storageKey("contacts"))
    }
    plaintext.wipe()
    do throws(FileError) {
      try home.writeTemporary(Self.header + sealed, for: .contacts)
      try home.replaceWithTemporary(.contacts)
    } catch {
      throw .file(error)
    }
  }
}

extension ContactStore.Failure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .file(let error): error.description
    case .contact(let error): error.description
    case .unreadable(let path): "\(path) is damaged, or belongs to another identity"
    }
  }

  public var hint: String? {
    switch self {
    case .file(let error): error.hint
    case .contact: nil
    case .unreadable(let path):
      "put back a copy of it, or begin with no contacts: mv \(path) \(path).damaged"
    }
  }
}
