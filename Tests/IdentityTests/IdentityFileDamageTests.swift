import Foundation
import Testing
import Wire

@testable import Identity

@Suite("identity file that cannot be opened") struct IdentityFileDamageTests {
  private let scratch: Scratch
  private let home: Home
  private let whole: [UInt8]

  init() throws {
    scratch = try Scratch()
    home = try scratch.home()
    let ada = OpenedIdentity(identity: try .sample(1), name: "Ada")
    try IdentityFile.create(in: home, ada, with: passphrase("correct horse"))
    whole = try scratch.bytes("identity")
  }

  /// The error of opening `bytes`, after a look that they are still the same.
  private func refusal(_ bytes: [UInt8]) throws -> IdentityFileError? {
    try scratch.write(bytes, "identity")
    defer { #expect((try? scratch.bytes("identity")) == bytes, "the file was touched") }
    return openingError(in: home, with: passphrase("correct horse"))
  }

  @Test("cut short at any length it is refused as cut short, and untouched")
  func truncated() throws {
    let path = home.path(of: .identity)
    for length in 0..<whole.count {
      #expect(try refusal(Array(whole[..<length])) == .truncated(path: path, size: length))
    }
    #expect(try refusal(whole) == nil)
  }

  @Test("with any bit changed it is refused, before a passphrase is tried, and untouched")
  func bitFlips() throws {
    for bit in 0..<whole.count * 8 {
      var bytes = whole
      bytes[bit / 8] ^= 1 << (bit % 8)
      let error = try refusal(bytes)
      switch bit / 8 {
      case ..<16: #expect(error == .notAnIdentityFile(path: home.path(of: .identity)))
      case 16: #expect(error == .unknownVersion(bytes[16]))
      default: #expect(error == .damaged(path: home.path(of: .identity)))
      }
    }
  }

  @Test("bytes behind the end make it too large")
  func tooLong() throws {
    #expect(
      try refusal(whole + [0])
        == .file(.tooLarge(path: home.path(of: .identity), limit: IdentityFile.length)))
  }

  @Test("changed on purpose, with the checksum made good again, its seal refuses it")
  func forged() throws {
    for index in 32..<(whole.count - IdentityFile.checksumLength) {
      var bytes = whole
      bytes[index] ^= 1
      #expect(try refusal(bytes.withChecksum()) == .wrongPassphrase, "byte \(index)")
    }
  }

  @Test(
    "absurd Argon2id parameters are refused before any memory is taken",
    arguments: [
      (0, 8_192), (17, 8_192), (UInt32.max, 8_192), (1, 0), (1, 8_191), (1, (1 << 30) + 1),
      (3, UInt64.max), (UInt32.max, UInt64.max),
    ] as [(UInt32, UInt64)])
  func absurdCost(operations: UInt32, memory: UInt64) throws {
    var header = Array(whole[..<20])
    header.append(bigEndian: operations)
    header.append(bigEndian: memory)
    let bytes = (header + whole[32...]).withChecksum()
    let cost = PassphraseCost(operations: operations, memoryBytes: memory)
    #expect(try refusal(bytes) == .absurdCost(cost))
  }

  @Test("header fields that must be zero, and unknown sealings, are refused")
  func header() throws {
    var bytes = whole
    bytes[17] = 9
    #expect(try refusal(bytes.withChecksum()) == .unknownSealing(9))
    bytes = whole
    bytes[18] = 1
    #expect(try refusal(bytes.withChecksum()) == .damaged(path: home.path(of: .identity)))
    bytes = whole
    bytes[17] = SealingKind.keyFile.rawValue  // with a cost, which a key file has not
    #expect(try refusal(bytes.withChecksum()) == .damaged(path: home.path(of: .identity)))
  }

  @Test(
    "a wrong passphrase is told from damage", arguments: ["", "Correct horse", "correct horse\n"])
  func wrongPassphrase(text: String) throws {
    #expect(throws: IdentityFileError.wrongPassphrase) {
      try IdentityFile.open(in: home, with: passphrase(text))
    }
    #expect(try scratch.bytes("identity") == whole)
  }

  @Test("asking for another sealing than the file's says which one it is")
  func otherSealing() throws {
    #expect(throws: IdentityFileError.otherSealing(.passphrase)) {
      try IdentityFile.open(in: home, with: KeyFile())
    }
    #expect(throws: IdentityFileError.otherSealing(.passphrase)) {
      try IdentityFile.open(in: home, with: KeyringKey(TestKeyring()))
    }
  }

  @Test("a key file that is missing, short, long or another's is told")
  func keyFiles() throws {
    let scratch = try Scratch()
    let home = try scratch.home()
    let path = home.path(of: .identityKey)
    try IdentityFile.create(
      in: home, OpenedIdentity(identity: .sample(1), name: ""), with: KeyFile())
    let error = { openingError(in: home, with: KeyFile()) }
    try scratch.write([UInt8](repeating: 1, count: 31), "identity.key")
    #expect(error() == .badKeyFile(path: path))
    try scratch.write([UInt8](repeating: 1, count: 33), "identity.key")
    #expect(error() == .file(.tooLarge(path: path, limit: 32)))
    try scratch.write([UInt8](repeating: 1, count: 32), "identity.key")
    #expect(error() == .wrongKey(.keyFile))
    #expect(chmod(path, 0o640) == 0)
    #expect(error() == .file(.tooOpen(path: path, mode: 0o640, allowed: 0o600)))
    #expect(unlink(path) == 0)
    #expect(error() == .noKeyFile(path: path))
  }

  @Test("no file is no identity")
  func missing() throws {
    let home = try Scratch().home()
    #expect(throws: IdentityFileError.missing(path: home.path(of: .identity))) {
      try IdentityFile.open(in: home, with: passphrase("one"))
    }
  }

  @Test(
    "permissions wider than 0600 are refused",
    arguments: [0o601, 0o602, 0o604, 0o610, 0o620, 0o640, 0o644, 0o666, 0o700, 0o4600] as [mode_t])
  func permissions(mode: mode_t) throws {
    try scratch.write(whole, "identity", mode: mode)
    let path = home.path(of: .identity)
    #expect(throws: IdentityFileError.file(.tooOpen(path: path, mode: mode, allowed: 0o600))) {
      try IdentityFile.open(in: home, with: passphrase("correct horse"))
    }
    try scratch.write(whole, "identity", mode: 0o400)
    #expect(try IdentityFile.open(in: home, with: passphrase("correct horse")).name == "Ada")
  }

  @Test("a symbolic link, a named pipe or a directory in its place is refused at once")
  func noOrdinaryFile() throws {
    let path = home.path(of: .identity)
    let error = { openingError(in: home, with: passphrase("correct horse")) }
    #expect(rename(path, path + ".real") == 0)
    #expect(symlink(path + ".real", path) == 0)
    #expect(error() == .file(.symbolicLink(path: path)))
    #expect(unlink(path) == 0)
    #expect(mkfifo(path, 0o600) == 0)
    #expect(error() == .file(.notRegularFile(path: path)))
    #expect(unlink(path) == 0)
    #expect(mkdir(path, 0o700) == 0)
    #expect(error() == .file(.notRegularFile(path: path)))
  }

  @Test("another user's file is refused", .enabled(if: geteuid() == 0, "needs root for chown"))
  func wrongOwner() throws {
    let path = home.path(of: .identity)
    #expect(chown(path, 12_345, 12_345) == 0)
    #expect(throws: IdentityFileError.file(.wrongOwner(path: path, owner: 12_345))) {
      try IdentityFile.open(in: home, with: passphrase("correct horse"))
    }
  }

  @Test("every error has a sentence")
  func sentences() {
    let errors: [IdentityFileError] = [
      .file(.system(call: "open", path: "/x", code: ENOSPC)), .missing(path: "/x"),
      .exists(path: "/x"), .notAnIdentityFile(path: "/x"), .truncated(path: "/x", size: 3),
      .damaged(path: "/x"), .unknownVersion(2), .unknownSealing(9), .absurdCost(.highest),
      .wrongPassphrase, .wrongKey(.keyFile), .wrongKey(.keyring), .otherSealing(.keyFile),
      .sealedSoAlready(.keyFile), .emptyPassphrase, .notEnoughMemory(bytes: 1 << 30),
      .noKeyFile(path: "/x"), .badKeyFile(path: "/x"), .noKeyring, .keyring("locked"),
      .nameTooLong(limit: 64), .notAsWritten(path: "/x"),
    ]
    #expect(Set(errors.map(\.description)).count == errors.count)
    #expect(errors.allSatisfy { !$0.description.contains("\n") && !$0.description.hasSuffix(".") })
    #expect(errors[0].description == "cannot open /x: No space left on device")
  }
}

extension [UInt8] {
  /// An identity file's bytes with the checksum that goes with them.
  fileprivate func withChecksum() -> [UInt8] {
    let body = self[..<(count - IdentityFile.checksumLength)]
    return body + SealedIdentity.checksum(body)
  }
}
