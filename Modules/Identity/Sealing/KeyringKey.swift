internal import CSodium

/// The desktop's keyring (freedesktop Secret Service), as far as an identity needs it.
public protocol SecretService: Sendable {
  /// Finds out whether there is a keyring that can be used, before anything is made that needs it.
  func prepare() throws
  /// The secret kept under `name`; nil when there is none.
  func secret(named name: [UInt8]) throws -> SecretBytes?
  /// Keeps a secret under `name`.
  func store(_ secret: borrowing SecretBytes, named name: [UInt8]) throws
  func remove(named name: [UInt8]) throws
}

extension SecretService {
  public func prepare() throws {}
}

/// A random key that the desktop's keyring keeps, under the name in the file's header.
public struct KeyringKey: SealingKey {
  private let service: (any SecretService)?

  /// Through `service`; without one every use says that there is no keyring.
  public init(_ service: (any SecretService)?) { self.service = service }

  public var kind: SealingKind { .keyring }

  /// Finds out whether the keyring can be used, before anything is made that needs it.
  public func check() throws(IdentityFileError) {
    guard let service else { throw .noKeyring }
    do { try service.prepare() } catch { throw .keyring("\(error)") }
  }

  public func makeHeader() -> SealingHeader { .keyring() }

  public func prepare(_ header: SealingHeader, in home: Home) throws(IdentityFileError) -> Bool {
    guard let service else { throw .noKeyring }
    var key = SecretBytes(count: SecretBox.keyLength)
    key.withUnsafeMutableBytes { randombytes_buf($0.sodium, $0.count) }
    do {
      try service.store(key, named: header.salt)
    } catch {
      throw .keyring("\(error)")
    }
    return true
  }

  public func key(
    for header: SealingHeader, in home: Home
  ) throws(IdentityFileError) -> SecretBytes {
    guard header.kind == .keyring else { throw .otherSealing(header.kind) }
    guard let service else { throw .noKeyring }
    let stored: SecretBytes?
    do {
      stored = try service.secret(named: header.salt)
    } catch {
      throw .keyring("\(error)")
    }
    guard let key = stored, key.count == SecretBox.keyLength else {
      throw .keyring("it holds no key for this identity")
    }
    return key
  }

  public func discard(_ header: SealingHeader, in home: Home) {
    try? service?.remove(named: header.salt)
  }
}
