/// The contacts of a home, in a file that is sealed for the identity they belong to.
///
/// airlink-keytool and a running node share it: every change reads the file anew under a lock, and
/// puts the next one in its place whole. Beside it, in a file of their own, are kept the cards that
/// contradict a contact, until they are accepted.
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

  private let home: Home
  private let patience: Duration
  private let contacts: SealedFile
  let contradictions: SealedFile

  /// The contacts that `identity` keeps in `home`; a change waits for at most `patience` until
  /// another process has made its own.
  public init(home: Home, identity: Identity, patience: Duration = .seconds(5)) {
    self.home = home
    self.patience = patience
    contacts = SealedFile(
      .contacts, magic: "airlink-contacts", maximumContents: ContactBook.maximumEncodedLength,
      in: home, for: identity)
    contradictions = SealedFile(
      .contradictions, magic: "airlink-newcards", maximumContents: Contradictions.maximumLength,
      in: home, for: identity)
  }

  /// The largest contacts file there can be.
  var maximumFileSize: Int { contacts.maximumSize }

  /// Reads the contacts; an empty book when there is no file yet.
  public func load() throws(Failure) -> ContactBook {
    guard let bytes = try load(contacts) else { return ContactBook() }
    guard let book = ContactBook(encoded: bytes) else {
      throw .unreadable(path: home.path(of: .contacts))
    }
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
    if book != old { try save(book.encoded, in: contacts) }
    lock.release()
    return book
  }

  func lock() throws(Failure) -> HomeLock {
    do throws(FileError) {
      return try HomeLock(home, .contactsLock, patience: patience)
    } catch {
      throw .file(error)
    }
  }

  /// What a file of the store holds; nil when there is none.
  func load(_ file: SealedFile) throws(Failure) -> [UInt8]? {
    let contents: SealedFile.Contents
    do throws(FileError) { contents = try file.load() } catch { throw .file(error) }
    switch contents {
    case .none: return nil
    case .bytes(let bytes): return bytes
    case .unreadable: throw .unreadable(path: home.path(of: file.name))
    }
  }

  func save(_ contents: [UInt8], in file: SealedFile) throws(Failure) {
    do throws(FileError) { try file.save(contents) } catch { throw .file(error) }
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
    case .unreadable(let path): "put back a copy of it, or begin anew: mv \(path) \(path).damaged"
    }
  }
}
