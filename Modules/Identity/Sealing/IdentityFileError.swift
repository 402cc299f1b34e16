/// Why an identity file was not made or opened.
///
/// Whatever the reason, the file is as it was, to the byte.
public enum IdentityFileError: Error, Hashable, Sendable {
  case file(FileError)
  /// No identity there.
  case missing(path: String)
  /// An identity there, which is never replaced.
  case exists(path: String)
  /// Not what an identity file begins with.
  case notAnIdentityFile(path: String)
  /// Fewer bytes than an identity file has.
  case truncated(path: String, size: Int)
  /// Bytes behind the end, or other ones than were written.
  case damaged(path: String)
  case unknownVersion(UInt8)
  case unknownSealing(UInt8)
  /// Argon2id parameters over or under what is allowed.
  case absurdCost(PassphraseCost)
  /// The key does not open the file, which is whole.
  case wrongPassphrase
  case wrongKey(SealingKind)
  /// The file is sealed in this way, not in the one that was asked for.
  case otherSealing(SealingKind)
  /// The file is sealed in this way already.
  case sealedSoAlready(SealingKind)
  case emptyPassphrase
  case notEnoughMemory(bytes: UInt64)
  case noKeyFile(path: String)
  case badKeyFile(path: String)
  case noKeyring
  case keyring(String)
  case nameTooLong(limit: Int)
  /// What was written did not read back as the same.
  case notAsWritten(path: String)
}

extension IdentityFileError {
  /// Runs `body`, whose errors are those of a file.
  static func filing<Result>(
    _ body: () throws(FileError) -> Result
  ) throws(IdentityFileError) -> Result {
    do throws(FileError) { return try body() } catch { throw .file(error) }
  }
}

extension IdentityFileError: CustomStringConvertible {
  /// One sentence without its full stop.
  public var description: String {
    switch self {
    case .file(let error): error.description
    case .missing(let path): "there is no identity at \(path)"
    case .exists(let path): "there is an identity at \(path) already, and it is never overwritten"
    case .notAnIdentityFile(let path): "\(path) is no identity file"
    case .truncated(let path, let size):
      "\(path) is cut short: \(size) of \(IdentityFile.length) bytes are there"
    case .damaged(let path): "\(path) is damaged"
    case .unknownVersion(let version):
      "the identity file has version \(version), which this program does not know"
    case .unknownSealing(let kind):
      "the identity file is sealed in way \(kind), which this program does not know"
    case .absurdCost(let cost):
      "the identity file asks for \(cost.operations) passes over \(cost.memoryBytes) bytes to check"
        + " a passphrase, which is not within bounds"
    case .wrongPassphrase: "wrong passphrase"
    case .wrongKey(.keyFile): "the key file is not the one that seals the identity"
    case .wrongKey: "the key in the keyring is not the one that seals the identity"
    case .otherSealing(let kind): "the identity is sealed with \(kind.phrase)"
    case .sealedSoAlready(let kind): "the identity is sealed with \(kind.phrase) already"
    case .emptyPassphrase: "the passphrase is empty"
    case .notEnoughMemory(let bytes):
      "not enough memory to check the passphrase: it takes \(bytes >> 20) MiB"
    case .noKeyFile(let path): "the identity is sealed with a key file, and \(path) is not there"
    case .badKeyFile(let path): "\(path) is no key file: it does not hold 32 bytes"
    case .noKeyring: "this program cannot use the desktop's keyring"
    case .keyring(let reason): "the desktop's keyring gives no key: \(reason)"
    case .nameTooLong(let limit): "a name takes at most \(limit) bytes of UTF-8"
    case .notAsWritten(let path): "\(path) did not read back as it was written"
    }
  }

  /// What to do about it, where there is something to say.
  public var hint: String? {
    switch self {
    case .file(let error): error.hint
    case .missing: "make one: airlink-keytool create"
    case .exists: "show it: airlink-keytool show; or name another place with --home"
    case .truncated, .damaged, .notAnIdentityFile: "put back a copy of the file, if you have one"
    case .unknownVersion, .unknownSealing: "it was made by a newer AirLink: install that one"
    case .otherSealing(let kind): "say so: \(kind.option)"
    case .noKeyFile, .badKeyFile, .wrongKey(.keyFile):
      "put back the identity.key that was made with it"
    case .noKeyring: "use --passphrase-file FILE or --key-file"
    case .keyring: "see that a keyring runs and is unlocked, or use another way to seal"
    case .emptyPassphrase: "choose a passphrase of several words, or use --key-file"
    case .notAsWritten: "check the disk"
    default: nil
    }
  }
}

extension SealingKind {
  var phrase: String {
    switch self {
    case .passphrase: "a passphrase"
    case .keyFile: "a key file"
    case .keyring: "a key in the desktop's keyring"
    }
  }

  /// The option that asks for it.
  public var option: String {
    switch self {
    case .passphrase: "--passphrase-file FILE"
    case .keyFile: "--key-file"
    case .keyring: "--keyring"
    }
  }
}
