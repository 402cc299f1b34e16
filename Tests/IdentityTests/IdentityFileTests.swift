import Foundation
import Testing
import Wire

@testable import Identity

@Suite("identity file") struct IdentityFileTests {
  private let scratch: Scratch
  private let home: Home
  private let ada: OpenedIdentity

  init() throws {
    scratch = try Scratch()
    home = try scratch.home()
    ada = OpenedIdentity(identity: try .sample(1), name: "Ada")
  }

  @Test("a file made with a passphrase opens with it, and holds keys and name")
  func passphraseRoundTrip() throws {
    try IdentityFile.create(in: home, ada, with: passphrase("correct horse"))
    let opened = try IdentityFile.open(in: home, with: passphrase("correct horse"))
    #expect(opened.identity.publicKeys == ada.identity.publicKeys)
    #expect(opened.identity.hasSameSecrets(as: ada.identity))
    #expect(opened.name == "Ada")
    #expect(try IdentityFile.kind(in: home) == .passphrase)
    #expect(try scratch.names == ["identity"])
    #expect(try mode("identity") == 0o600)
    #expect(try scratch.bytes("identity").count == IdentityFile.length)
  }

  @Test("a file made with a key file opens with it")
  func keyFileRoundTrip() throws {
    try IdentityFile.create(in: home, ada, with: KeyFile())
    #expect(try IdentityFile.open(in: home, with: KeyFile()).name == "Ada")
    #expect(try scratch.names == ["identity", "identity.key"])
    #expect(try mode("identity.key") == 0o600)
    #expect(try scratch.bytes("identity.key").count == 32)
  }

  @Test("a file made with a keyring opens with it, and without one says what else there is")
  func keyringRoundTrip() throws {
    let service = TestKeyring()
    try IdentityFile.create(in: home, ada, with: KeyringKey(service))
    #expect(try IdentityFile.open(in: home, with: KeyringKey(service)).name == "Ada")
    #expect(throws: IdentityFileError.noKeyring) {
      try IdentityFile.open(in: home, with: KeyringKey(nil))
    }
    #expect(throws: IdentityFileError.keyring("it holds no key for this identity")) {
      try IdentityFile.open(in: home, with: KeyringKey(TestKeyring()))
    }
    let hint = try #require(IdentityFileError.noKeyring.hint)
    #expect(hint.contains("--passphrase-file") && hint.contains("--key-file"))
  }

  @Test("files made by other means open")
  func fixture() throws {
    let fixture = try Fixture.load()
    try scratch.write(#require([UInt8](hex: fixture.passphraseFile)), "identity")
    let opened = try IdentityFile.open(in: home, with: passphrase(fixture.passphrase))
    #expect(opened.identity.fingerprint.hex == fixture.people[0].fingerprint)
    #expect(opened.name == fixture.people[0].name)
    try scratch.write(#require([UInt8](hex: fixture.keyFileFile)), "identity")
    try scratch.write(#require([UInt8](hex: fixture.keyFile)), "identity.key")
    let other = try IdentityFile.open(in: home, with: KeyFile())
    #expect(other.identity.hasSameSecrets(as: opened.identity))
  }

  @Test("an identity that is there is never replaced")
  func neverReplaced() throws {
    try IdentityFile.create(in: home, ada, with: passphrase("one"))
    let before = try scratch.bytes("identity")
    let eve = OpenedIdentity(identity: try .sample(2), name: "Eve")
    for key in [passphrase("two"), KeyFile()] as [any SealingKey] {
      #expect(throws: IdentityFileError.exists(path: home.path(of: .identity))) {
        try IdentityFile.create(in: home, eve, with: key)
      }
    }
    #expect(try scratch.bytes("identity") == before)
    #expect(try scratch.names == ["identity"])
  }

  @Test(
    "whatever stands in the identity's place is left there", arguments: ["file", "link", "dir"])
  func placeTaken(what: String) throws {
    let path = home.path(of: .identity)
    switch what {
    case "file": try scratch.write([], "identity")
    case "link": #expect(symlink("/nowhere", path) == 0)
    default: #expect(mkdir(path, 0o700) == 0)
    }
    #expect(throws: IdentityFileError.exists(path: path)) {
      try IdentityFile.create(in: home, ada, with: passphrase("one"))
    }
    #expect(try scratch.names == ["identity"])
  }

  @Test("an empty passphrase and a name over 64 bytes are refused, and nothing is written")
  func refusals() throws {
    #expect(throws: IdentityFileError.emptyPassphrase) {
      try IdentityFile.create(in: home, ada, with: passphrase(""))
    }
    let long = OpenedIdentity(identity: ada.identity, name: String(repeating: "é", count: 33))
    #expect(throws: IdentityFileError.nameTooLong(limit: 64)) {
      try IdentityFile.create(in: home, long, with: passphrase("one"))
    }
    #expect(throws: IdentityFileError.noKeyring) {
      try IdentityFile.create(in: home, ada, with: KeyringKey(nil))
    }
    #expect(try scratch.names == [])
  }

  @Test("of many creations at once exactly one wins, and what it made opens")
  func createdAtOnce() throws {
    for round in 0..<40 {
      let scratch = try Scratch()
      let winners = Winners()
      DispatchQueue.concurrentPerform(iterations: 4) { index in
        let byte = UInt8(round * 4 + index + 1)
        let key: any SealingKey = round.isMultiple(of: 2) ? KeyFile() : passphrase("\(byte)")
        do {
          try IdentityFile.create(
            in: scratch.home(), OpenedIdentity(identity: .sample(byte), name: "\(byte)"), with: key)
          winners.add(byte)
        } catch {
          let path = scratch.path + "/home/identity"
          #expect(error as? IdentityFileError == .exists(path: path))
        }
      }
      let byte = try #require(winners.all.first)
      #expect(winners.all.count == 1)
      let key: any SealingKey = round.isMultiple(of: 2) ? KeyFile() : passphrase("\(byte)")
      let opened = try IdentityFile.open(in: scratch.home(), with: key)
      #expect(try opened.identity.hasSameSecrets(as: .sample(byte)))
      let expected = round.isMultiple(of: 2) ? ["identity", "identity.key"] : ["identity"]
      #expect(try scratch.names == expected)
    }
  }

  @Test("a creation that was cut off before the file had its name leaves room for the next")
  func cutOff() throws {
    try scratch.write(Array("half an identity".utf8), "identity.tmp")
    try scratch.write([UInt8](repeating: 9, count: 5), "identity.key.tmp")
    try IdentityFile.create(in: home, ada, with: KeyFile())
    #expect(try scratch.names == ["identity", "identity.key"])
    #expect(try IdentityFile.open(in: home, with: KeyFile()).name == "Ada")
  }

  @Test("a creation cut off after its key file was made uses that key file")
  func cutOffAfterKeyFile() throws {
    let key = [UInt8](repeating: 5, count: 32)
    try scratch.write(key, "identity.key")
    #expect(link(home.path(of: .identityKey), home.path(of: .identityKey) + ".tmp") == 0)
    try IdentityFile.create(in: home, ada, with: KeyFile())
    #expect(try scratch.bytes("identity.key") == key)
    #expect(try scratch.names == ["identity", "identity.key"])
    #expect(try IdentityFile.open(in: home, with: KeyFile()).name == "Ada")
  }

  @Test("the moderate cost is libsodium's, and a new passphrase file carries it")
  func moderateCost() throws {
    #expect(PassphraseCost.moderate == PassphraseCost(operations: 3, memoryBytes: 256 << 20))
    let header = PassphraseKey(SecretBytes(count: 1)).makeHeader()
    #expect(header.cost == .moderate)
    #expect(header.salt != PassphraseKey(SecretBytes(count: 1)).makeHeader().salt)
  }

  private func mode(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(
      atPath: scratch.path + "/home/" + name)
    return try #require(attributes[.posixPermissions] as? Int)
  }
}

private final class Winners: @unchecked Sendable {
  private let lock = NSLock()
  private var bytes: [UInt8] = []

  func add(_ byte: UInt8) { lock.withLock { bytes.append(byte) } }
  var all: [UInt8] { lock.withLock { bytes } }
}

/// A keyring in memory.
final class TestKeyring: SecretService, @unchecked Sendable {
  private let lock = NSLock()
  private var secrets: [[UInt8]: [UInt8]] = [:]

  var count: Int { lock.withLock { secrets.count } }

  func secret(named name: [UInt8]) throws -> SecretBytes? {
    guard var bytes = lock.withLock({ secrets[name] }) else { return nil }
    return SecretBytes(consuming: &bytes)
  }

  func store(_ secret: borrowing SecretBytes, named name: [UInt8]) throws {
    let bytes = secret.withUnsafeBytes { Array($0) }
    lock.withLock { secrets[name] = bytes }
  }

  func remove(named name: [UInt8]) throws { lock.withLock { secrets[name] = nil } }
}
