import Foundation
import Testing
import Wire

@testable import Identity

@Suite("identity file sealed anew") struct IdentityFileResealTests {
  private let scratch: Scratch
  private let home: Home
  private let ada: OpenedIdentity

  init() throws {
    scratch = try Scratch()
    home = try scratch.home()
    ada = OpenedIdentity(identity: try .sample(1), name: "Ada")
  }

  @Test("the keys and the name stay, the old passphrase opens nothing any more")
  func passphrases() throws {
    try IdentityFile.create(in: home, ada, with: passphrase("old"))
    let before = try scratch.bytes("identity")
    try IdentityFile.reseal(in: home, from: passphrase("old"), to: passphrase("new"))
    #expect(try scratch.bytes("identity") != before)
    #expect(try scratch.names == ["identity"])
    #expect(throws: IdentityFileError.wrongPassphrase) {
      try IdentityFile.open(in: home, with: passphrase("old"))
    }
    let opened = try IdentityFile.open(in: home, with: passphrase("new"))
    #expect(opened.identity.hasSameSecrets(as: ada.identity))
    #expect(opened.name == "Ada")
  }

  @Test("every way leads to every other, and leaves no key of the old one behind")
  func everyWay() throws {
    let keyring = TestKeyring()
    let ways: [any SealingKey] = [passphrase("one"), KeyFile(), KeyringKey(keyring)]
    for old in ways {
      for new in ways where old.kind != new.kind {
        let scratch = try Scratch()
        let home = try scratch.home()
        try IdentityFile.create(in: home, ada, with: old)
        try IdentityFile.reseal(in: home, from: old, to: new)
        #expect(try IdentityFile.kind(in: home) == new.kind)
        let opened = try IdentityFile.open(in: home, with: new)
        #expect(opened.identity.hasSameSecrets(as: ada.identity))
        let expected = new.kind == .keyFile ? ["identity", "identity.key"] : ["identity"]
        #expect(try scratch.names == expected)
        if new.kind == .keyring { new.discard(try header(scratch), in: home) }
        #expect(keyring.count == 0)
      }
    }
  }

  private func header(_ scratch: Scratch) throws -> SealingHeader {
    try SealingHeader(scratch.bytes("identity")[...])
  }

  @Test("refused with a wrong passphrase, an empty new one or no keyring, it changes nothing")
  func refused() throws {
    try IdentityFile.create(in: home, ada, with: passphrase("old"))
    let before = try scratch.bytes("identity")
    #expect(throws: IdentityFileError.wrongPassphrase) {
      try IdentityFile.reseal(in: home, from: passphrase("wrong"), to: KeyFile())
    }
    #expect(throws: IdentityFileError.emptyPassphrase) {
      try IdentityFile.reseal(in: home, from: passphrase("old"), to: passphrase(""))
    }
    #expect(throws: IdentityFileError.noKeyring) {
      try IdentityFile.reseal(in: home, from: passphrase("old"), to: KeyringKey(nil))
    }
    #expect(try scratch.bytes("identity") == before)
    #expect(try scratch.names == ["identity"])
  }

  @Test("a new seal that does not open again never takes the old one's place")
  func unreadableNewSeal() throws {
    try IdentityFile.create(in: home, ada, with: passphrase("old"))
    let before = try scratch.bytes("identity")
    #expect(throws: IdentityFileError.wrongKey(.keyring)) {
      try IdentityFile.reseal(in: home, from: passphrase("old"), to: FickleKey())
    }
    #expect(try scratch.bytes("identity") == before)
    #expect(try scratch.names == ["identity"])
  }

  @Test("from a key file to a key file is refused")
  func keyFileToKeyFile() throws {
    try IdentityFile.create(in: home, ada, with: KeyFile())
    #expect(throws: IdentityFileError.sealedSoAlready(.keyFile)) {
      try IdentityFile.reseal(in: home, from: KeyFile(), to: KeyFile())
    }
    #expect(try IdentityFile.open(in: home, with: KeyFile()).name == "Ada")
  }
}

/// Gives another key each time: what it seals never opens.
private struct FickleKey: SealingKey {
  var kind: SealingKind { .keyring }
  func makeHeader() -> SealingHeader { .keyring() }
  func key(for: SealingHeader, in: Home) throws(IdentityFileError) -> SecretBytes {
    Identity.generate().storageKey("fickle")
  }
}
