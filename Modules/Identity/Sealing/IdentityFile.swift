internal import CSodium
internal import Glibc

/// A person's identity on the disk, sealed, written once and never overwritten (PROTOCOL,
/// section 1).
///
/// | offset | size | field |
/// | --- | --- | --- |
/// | 0 | 48 | `SealingHeader` |
/// | 48 | 24 | nonce |
/// | 72 | 129 | seed 64, name length n 1, name n, zeros: XChaCha20-Poly1305 with the header as associated data |
/// | 201 | 16 | tag |
/// | 217 | 16 | BLAKE2b over all before |
///
/// The last field tells damage from a wrong passphrase before any passphrase is tried. It proves
/// nothing against somebody who changes the file on purpose; the seal does that.
public enum IdentityFile {
  static let checksumLength = 16
  static let contentsLength = Identity.seedLength + 1 + ContactBook.maximumNameLength
  public static let length =
    SealingHeader.length + SecretBox.overhead + contentsLength + checksumLength

  /// How the identity file of `home` is sealed; every check that needs no key is made.
  public static func kind(in home: Home) throws(IdentityFileError) -> SealingKind {
    try SealedIdentity(read(from: home), path: home.path(of: .identity)).header.kind
  }

  /// Refuses where anything stands in the place of an identity in the home at `path`, before a
  /// home is made there or anybody is asked for a passphrase.
  public static func refuseExisting(at path: String) throws(IdentityFileError) {
    let path = path.hasSuffix("/") ? path + "identity" : path + "/identity"
    var status = stat()
    if lstat(path, &status) == 0 { throw .exists(path: path) }
  }

  /// Opens the identity file of `home`.
  public static func open(
    in home: Home, with key: any SealingKey
  ) throws(IdentityFileError) -> OpenedIdentity {
    let sealed = try SealedIdentity(read(from: home), path: home.path(of: .identity))
    return try sealed.open(with: key, in: home)
  }

  /// Seals `identity` under `key` in a new file; refuses where anything stands in its place.
  public static func create(
    in home: Home, _ opened: OpenedIdentity, with key: any SealingKey
  ) throws(IdentityFileError) {
    let path = home.path(of: .identity)
    guard opened.name.utf8.count <= ContactBook.maximumNameLength else {
      throw .nameTooLong(limit: ContactBook.maximumNameLength)
    }
    try refuseExisting(in: home)
    let lock = try lock(home)
    try refuseExisting(in: home)
    let header = key.makeHeader()
    let prepared = try key.prepare(header, in: home)
    do throws(IdentityFileError) {
      try writeTemporary(opened, header, key, in: home)
      do throws(FileError) { try home.placeTemporary(as: .identity) } catch {
        throw error == .exists(path: path) ? .exists(path: path) : .file(error)
      }
    } catch {
      if prepared { key.discard(header, in: home) }
      throw error
    }
    try IdentityFileError.filing { () throws(FileError) in try home.sync() }
    lock.release()
  }

  /// Seals the same keys in another way: the new file is written beside the old one, opened again
  /// and compared, and only then takes its place.
  public static func reseal(
    in home: Home, from old: any SealingKey, to new: any SealingKey
  ) throws(IdentityFileError) {
    if old.kind == .keyFile, new.kind == .keyFile { throw .sealedSoAlready(.keyFile) }
    let lock = try lock(home)
    let sealed = try SealedIdentity(read(from: home), path: home.path(of: .identity))
    let opened = try sealed.open(with: old, in: home)
    let header = new.makeHeader()
    let prepared = try new.prepare(header, in: home)
    do throws(IdentityFileError) {
      try writeTemporary(opened, header, new, in: home)
      try IdentityFileError.filing { () throws(FileError) in
        try home.renameTemporary(to: .identity)
      }
    } catch {
      if prepared { new.discard(header, in: home) }
      throw error
    }
    // From here on the new key is the only one to the file that has the name; the old one goes
    // once that is on the disk for good.
    try IdentityFileError.filing { () throws(FileError) in try home.sync() }
    old.discard(sealed.header, in: home)
    lock.release()
  }

  private static func read(from home: Home) throws(IdentityFileError) -> [UInt8] {
    do throws(FileError) {
      return try home.read(.identity, limit: length)
    } catch {
      let path = home.path(of: .identity)
      throw error == .missing(path: path) ? .missing(path: path) : .file(error)
    }
  }

  private static func refuseExisting(in home: Home) throws(IdentityFileError) {
    let exists = try IdentityFileError.filing { () throws(FileError) in try home.contains(.identity)
    }
    if exists { throw .exists(path: home.path(of: .identity)) }
  }

  /// Writes the sealed identity beside its place, reads it back and opens it as a later run will.
  private static func writeTemporary(
    _ opened: OpenedIdentity, _ header: SealingHeader, _ key: any SealingKey, in home: Home
  ) throws(IdentityFileError) {
    let bytes = SealedIdentity.seal(opened, header, key: try key.key(for: header, in: home))
    let written = try IdentityFileError.filing { () throws(FileError) in
      try home.writeTemporary(bytes, for: .identity)
      return try home.readTemporary(for: .identity, limit: length)
    }
    let path = home.path(of: home.temporaryName(.identity))
    do throws(IdentityFileError) {
      let again = try SealedIdentity(written, path: path).open(with: key, in: home)
      guard again.name == opened.name, again.identity.hasSameSecrets(as: opened.identity) else {
        throw .notAsWritten(path: path)
      }
    } catch {
      home.removeTemporary(for: .identity)
      throw error
    }
  }

  private static func lock(_ home: Home) throws(IdentityFileError) -> HomeLock {
    do throws(FileError) {
      return try HomeLock(home, .identityLock, patience: HomeLock.patience)
    } catch {
      throw .file(error)
    }
  }
}

/// An identity with the name its person goes by.
public struct OpenedIdentity: Sendable {
  public let identity: Identity
  /// At most 64 bytes of UTF-8, any characters.
  public let name: String

  public init(identity: Identity, name: String) {
    self.identity = identity
    self.name = name
  }
}
