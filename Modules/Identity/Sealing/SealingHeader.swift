internal import CSodium
internal import Wire

/// Where the key that seals an identity file comes from.
public enum SealingKind: UInt8, Sendable, CaseIterable {
  /// Argon2id over a passphrase.
  case passphrase = 1
  /// A file of random bytes beside it.
  case keyFile = 2
  /// The desktop's Secret Service.
  case keyring = 3
}

/// How dear Argon2id makes a guess at a passphrase.
public struct PassphraseCost: Hashable, Sendable {
  public let operations: UInt32
  public let memoryBytes: UInt64

  /// libsodium's moderate limits: 3 passes over 256 MiB, about half a second.
  public static let moderate = PassphraseCost(
    operations: UInt32(crypto_pwhash_argon2id_OPSLIMIT_MODERATE),
    memoryBytes: UInt64(crypto_pwhash_argon2id_MEMLIMIT_MODERATE))

  /// What the library allows at the least: for tests, which have no time for more.
  package static let lowest = PassphraseCost(
    operations: UInt32(crypto_pwhash_argon2id_OPSLIMIT_MIN),
    memoryBytes: UInt64(crypto_pwhash_argon2id_MEMLIMIT_MIN))

  /// The most that a file may ask for, libsodium's sensitive limits: a file that somebody made up
  /// must not take the machine's memory or its next hour.
  public static let highest = PassphraseCost(
    operations: UInt32(crypto_pwhash_argon2id_OPSLIMIT_SENSITIVE),
    memoryBytes: UInt64(crypto_pwhash_argon2id_MEMLIMIT_SENSITIVE))

  package init(operations: UInt32, memoryBytes: UInt64) {
    self.operations = operations
    self.memoryBytes = memoryBytes
  }

  var isWithinBounds: Bool {
    (Self.lowest.operations...Self.highest.operations).contains(operations)
      && (Self.lowest.memoryBytes...Self.highest.memoryBytes).contains(memoryBytes)
  }
}

/// The part of an identity file that is not sealed, which its seal covers.
///
/// | offset | size | field |
/// | --- | --- | --- |
/// | 0 | 16 | `airlink-identity` |
/// | 16 | 1 | version, 1 |
/// | 17 | 1 | where the key comes from: 1 passphrase, 2 key file, 3 keyring |
/// | 18 | 2 | zeros |
/// | 20 | 4 | Argon2id: operations; zero for the others |
/// | 24 | 8 | Argon2id: bytes of memory; zero for the others |
/// | 32 | 16 | Argon2id: salt; the keyring's name for the key; zeros for a key file |
public struct SealingHeader: Hashable, Sendable {
  static let magic = Array("airlink-identity".utf8)
  static let version: UInt8 = 1
  static let saltLength = Int(crypto_pwhash_argon2id_SALTBYTES)
  static let length = 48

  public let kind: SealingKind
  /// For a passphrase only.
  public let cost: PassphraseCost?
  /// 16 bytes.
  public let salt: [UInt8]

  /// Why bytes are no header.
  enum DecodeError: Error {
    case notAnIdentityFile, unknownVersion(UInt8), unknownKind(UInt8), absurdCost(PassphraseCost)
    case malformed
  }

  private init(kind: SealingKind, cost: PassphraseCost?, salt: [UInt8]) {
    self.kind = kind
    self.cost = cost
    self.salt = salt
  }

  package static func passphrase(_ cost: PassphraseCost) -> SealingHeader {
    SealingHeader(kind: .passphrase, cost: cost, salt: randomSalt())
  }

  package static func keyFile() -> SealingHeader {
    SealingHeader(kind: .keyFile, cost: nil, salt: [UInt8](repeating: 0, count: saltLength))
  }

  package static func keyring() -> SealingHeader {
    SealingHeader(kind: .keyring, cost: nil, salt: randomSalt())
  }

  private static func randomSalt() -> [UInt8] {
    Sodium.start()
    var salt = [UInt8](repeating: 0, count: saltLength)
    randombytes_buf(&salt, salt.count)
    return salt
  }

  var bytes: [UInt8] {
    var bytes = Self.magic + [Self.version, kind.rawValue, 0, 0]
    bytes.append(bigEndian: cost?.operations ?? 0)
    bytes.append(bigEndian: cost?.memoryBytes ?? 0)
    return bytes + salt
  }

  /// Reads the first 48 of `bytes`, of which there are that many.
  init(_ bytes: ArraySlice<UInt8>) throws(DecodeError) {
    guard bytes.starts(with: Self.magic) else { throw .notAnIdentityFile }
    let rest = Array(bytes.dropFirst(Self.magic.count))
    guard rest.count >= Self.length - Self.magic.count else { throw .malformed }
    guard rest[0] == Self.version else { throw .unknownVersion(rest[0]) }
    guard let kind = SealingKind(rawValue: rest[1]) else { throw .unknownKind(rest[1]) }
    let cost = PassphraseCost(
      operations: UInt32(truncatingIfNeeded: Self.integer(rest[4..<8])),
      memoryBytes: Self.integer(rest[8..<16]))
    self.kind = kind
    self.cost = kind == .passphrase ? cost : nil
    salt = Array(rest[16..<32])
    if kind == .passphrase, !cost.isWithinBounds { throw .absurdCost(cost) }
    guard self.bytes == Array(bytes.prefix(Self.length)) else { throw .malformed }
  }

  private static func integer(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}
