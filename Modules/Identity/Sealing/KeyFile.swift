internal import CSodium

/// A key in a file of its own beside the identity file.
///
/// No protection against anybody who can read the home: for machines where nobody is there to type
/// a passphrase. Used only when asked for by name.
public struct KeyFile: SealingKey {
  private static let length = SecretBox.keyLength

  public init() {}

  public var kind: SealingKind { .keyFile }

  public func makeHeader() -> SealingHeader { .keyFile() }

  /// Makes the key file, unless there is one: a key that outlived a creation cut short is used.
  public func prepare(_: SealingHeader, in home: Home) throws(IdentityFileError) -> Bool {
    try IdentityFileError.filing { () throws(FileError) in
      // A creation that was cut off may have left the key under this name too.
      home.removeTemporary(for: .identityKey)
      guard try !home.contains(.identityKey) else { return false }
      Sodium.start()
      var key = [UInt8](repeating: 0, count: Self.length)
      defer { key.wipe() }
      randombytes_buf(&key, key.count)
      try home.writeTemporary(key, for: .identityKey)
      try home.placeTemporary(as: .identityKey)
      try home.sync()
      return true
    }
  }

  public func key(
    for header: SealingHeader, in home: Home
  ) throws(IdentityFileError) -> SecretBytes {
    guard header.kind == .keyFile else { throw .otherSealing(header.kind) }
    let path = home.path(of: .identityKey)
    var bytes: [UInt8]
    do throws(FileError) {
      bytes = try home.read(.identityKey, limit: Self.length)
    } catch {
      throw error == .missing(path: path) ? .noKeyFile(path: path) : .file(error)
    }
    let key = SecretBytes(consuming: &bytes)
    guard key.count == Self.length else {
      throw .badKeyFile(path: path)
    }
    return key
  }

  public func discard(_: SealingHeader, in home: Home) { try? home.remove(.identityKey) }
}
