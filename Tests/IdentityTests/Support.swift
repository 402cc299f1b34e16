import Foundation
import Identity
import TestSupport
import Testing
import Wire

/// A directory of its own for one test, gone with it.
final class Scratch: Sendable {
  private let directory: ScratchDirectory
  var path: String { directory.path }

  init() throws { directory = try ScratchDirectory() }

  func home() throws -> Home { try Home(path: path + "/home", ifMissing: .create) }

  func bytes(_ name: String) throws -> [UInt8] {
    try Array(Data(contentsOf: URL(filePath: path + "/home/" + name)))
  }

  func write(_ bytes: [UInt8], _ name: String, mode: mode_t = 0o600) throws {
    let file = path + "/home/" + name
    try Data(bytes).write(to: URL(filePath: file))
    #expect(chmod(file, mode) == 0)
  }

  /// What stands in the home, lock files aside.
  var names: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: path + "/home")
        .filter { !$0.hasSuffix(".lock") }.sorted()
    }
  }
}

extension Identity {
  /// The identity whose seed's bytes are all `byte`.
  static func sample(_ byte: UInt8) throws -> Identity {
    try made(from: [UInt8](repeating: byte, count: Identity.seedLength))
  }

  static func made(from seed: [UInt8]) throws -> Identity {
    var seed = seed
    let identity = Identity(seed: SecretBytes(consuming: &seed))
    return try #require(identity)
  }
}

extension SecretBytes {
  var hex: String { withUnsafeBytes { Array($0).hex } }
}

/// A passphrase at a cost that tests can bear.
func passphrase(_ text: String) -> PassphraseKey {
  var bytes = Array(text.utf8)
  return PassphraseKey(SecretBytes(consuming: &bytes), cost: .lowest)
}

/// Why the identity file does not open; nil when it does.
func openingError(in home: Home, with key: any SealingKey) -> IdentityFileError? {
  do throws(IdentityFileError) {
    _ = try IdentityFile.open(in: home, with: key)
    return nil
  } catch {
    return error
  }
}

/// Keys that count as different people without being anybody's: the book never uses them.
func keys(_ value: UInt64) -> PublicKeys {
  var bytes = [UInt8](repeating: 0, count: 56)
  bytes.append(bigEndian: value)
  return PublicKeys(
    signing: SigningPublicKey(bytes[..<32]) ?? SigningPublicKey(),
    agreement: AgreementPublicKey(bytes[32...]) ?? AgreementPublicKey())
}

/// `Fixtures/identity`, worked out by other means (see its PROVENANCE.md).
struct Fixture: Decodable, Sendable {
  struct Person: Decodable, Sendable, CustomTestStringConvertible {
    let seed, name, signing, agreement, fingerprint, number, hello, card: String
    let storageKeys: [String: String]
    var testDescription: String { name }

    func identity() throws -> Identity { try .made(from: #require([UInt8](hex: seed))) }
  }

  let time: UInt64
  let packetID: String
  let people: [Person]
  /// Two people of one number.
  let twins: [Person]
  let safetyNumber, passphrase, passphraseFile, keyFile, keyFileFile: String

  static func load() throws -> Fixture {
    let root = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let url = root.appending(components: "Fixtures", "identity", "identity.json")
    return try JSONDecoder().decode(Fixture.self, from: Data(contentsOf: url))
  }
}
