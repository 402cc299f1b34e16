import Identity
import Seal
import Testing
import Wire

private struct File<Group: Decodable>: Decodable {
  var numberOfTests: Int
  var testGroups: [Group]
}

private struct Group<Case: Decodable>: Decodable {
  var tests: [Case]
}

private struct X25519Case: Decodable {
  var tcId: Int
  var result: String
  var `public`, `private`, shared: Hex
}

private struct Ed25519Group: Decodable {
  struct Key: Decodable { var pk: Hex }
  struct Case: Decodable {
    var tcId: Int
    var result: String
    var msg, sig: Hex
  }
  var publicKey: Key
  var tests: [Case]
}

private struct AEADCase: Decodable {
  var tcId: Int
  var result: String
  var key, iv, aad, msg, ct, tag: Hex
}

private struct HKDFCase: Decodable {
  var tcId: Int
  var result: String
  var ikm, salt, info, okm: Hex
  var size: Int
}

/// The values of the Wycheproof project: what implementations got wrong before.
@Suite struct WycheproofTests {
  /// A way to check one file, and how many cases the selection and the whole file have.
  struct Subject: Sendable, CustomTestStringConvertible {
    var name: String
    var selected: Int
    var all: Int
    /// Returns how many cases it went through.
    var check: @Sendable (VectorFile) throws -> Int
    var testDescription: String { name }
  }

  static let subjects = [
    Subject(name: "x25519", selected: 43, all: 518, check: checkX25519),
    Subject(name: "ed25519", selected: 19, all: 151, check: checkEd25519),
    Subject(name: "chacha20_poly1305", selected: 15, all: 325, check: checkAEAD),
    Subject(name: "hkdf_sha256", selected: 12, all: 86, check: checkHKDF),
  ]

  @Test("the selection in the project", arguments: subjects)
  func selection(_ subject: Subject) throws {
    let file = VectorFile.selected("wycheproof", "\(subject.name).json")
    #expect(try subject.check(file) == subject.selected)
  }

  @Test("the whole published files", .publishedVectors, arguments: subjects)
  func wholeFiles(_ subject: Subject) throws {
    let file = try VectorFile.published("wycheproof-\(subject.name).json")
    #expect(try subject.check(file) >= subject.all)
  }

  @Sendable private static func checkX25519(_ file: VectorFile) throws -> Int {
    let cases = try file.decode(File<Group<X25519Case>>.self)
      .testGroups.flatMap(\.tests)
    for vector in cases {
      let result: [UInt8]? = lending(vector.private.bytes, vector.public.bytes) { keys in
        try? output(X25519.length) { memory throws(X25519.ZeroResult) in
          try X25519.exchange(keys[0], with: keys[1], into: memory)
        }
      }
      // Acceptable or not: a result of zeros is refused, everything else agrees.
      let expected = vector.shared.bytes.allSatisfy { $0 == 0 } ? nil : vector.shared.bytes
      #expect(result == expected, "case \(vector.tcId)")
    }
    return cases.count
  }

  @Sendable private static func checkEd25519(_ file: VectorFile) throws -> Int {
    let groups = try file.decode(File<Ed25519Group>.self).testGroups
    for group in groups {
      let key = try #require(SigningPublicKey(group.publicKey.pk.bytes))
      for vector in group.tests {
        // A signature of another length does not become one.
        let holds = Signature(vector.sig.bytes)?.isValid(for: vector.msg.bytes, by: key) ?? false
        #expect(holds == (vector.result == "valid"), "case \(vector.tcId)")
      }
    }
    return groups.map(\.tests.count).reduce(0, +)
  }

  @Sendable private static func checkAEAD(_ file: VectorFile) throws -> Int {
    let cases = try file.decode(File<Group<AEADCase>>.self)
      .testGroups.flatMap(\.tests)
    for vector in cases {
      let box = vector.ct.bytes + vector.tag.bytes
      lending(box, vector.key.bytes, vector.iv.bytes, vector.aad.bytes) { parts in
        var holds = false
        let opened = output(vector.msg.bytes.count) {
          holds = ChaCha20Poly1305.open(
            parts[0], key: parts[1], nonce: parts[2], associatedData: parts[3], into: $0)
        }
        #expect(holds == (vector.result == "valid"), "case \(vector.tcId)")
        guard holds else { return }
        #expect(opened == vector.msg.bytes, "case \(vector.tcId)")
        let sealed = output(box.count) { memory in
          memory.copyBytes(from: vector.msg.bytes)
          ChaCha20Poly1305.seal(
            inPlace: memory, key: parts[1], nonce: parts[2], associatedData: parts[3])
        }
        #expect(sealed == box, "case \(vector.tcId)")
      }
    }
    return cases.count
  }

  @Sendable private static func checkHKDF(_ file: VectorFile) throws -> Int {
    let cases = try file.decode(File<Group<HKDFCase>>.self)
      .testGroups.flatMap(\.tests)
    for vector in cases {
      let result: [UInt8]? = lending(vector.salt.bytes, vector.ikm.bytes, vector.info.bytes) {
        parts in
        try? output(vector.size) { memory throws(HKDF.OutputTooLong) in
          try HKDF.derive(salt: parts[0], secret: parts[1], info: parts[2], into: memory)
        }
      }
      #expect(result == (vector.result == "valid" ? vector.okm.bytes : nil), "case \(vector.tcId)")
    }
    return cases.count
  }
}
