import Seal
import Testing
import Wire

private struct HPKEVector: Decodable {
  struct Encryption: Decodable {
    var pt, aad, nonce, ct: Hex
    var sequence_number: UInt64
  }
  struct Export: Decodable {
    var exporter_context, exported_value: Hex
    var L: Int
  }

  var mode: Int
  var info, ikmE, ikmR, skEm, skRm, pkEm, pkRm, enc, shared_secret: Hex
  var key_schedule_context, secret, key, base_nonce, exporter_secret: Hex
  var encryptions: [Encryption]
  var exports: [Export]
}

@Suite struct HPKETests {
  private static func check(_ file: VectorFile) throws {
    let vectors = try file.decode([HPKEVector].self).filter { $0.mode == 0 }
    #expect(vectors.count == 1)
    for vector in vectors {
      checkKeyPairs(vector)
      try checkEncapsulation(vector)
      checkContext(vector)
    }
  }

  private static func checkKeyPairs(_ vector: HPKEVector) {
    for (material, secretKey, publicKey) in [
      (vector.ikmE, vector.skEm, vector.pkEm), (vector.ikmR, vector.skRm, vector.pkRm),
    ] {
      let derived = lending(material.bytes) { parts in
        output(DHKEM.length) { DHKEM.deriveSecretKey(from: parts[0], into: $0) }
      }
      #expect(derived == secretKey.bytes)
      let itsPublicKey = lending(derived) { parts in
        output(DHKEM.length) { X25519.publicKey(of: parts[0], into: $0) }
      }
      #expect(itsPublicKey == publicKey.bytes)
    }
  }

  private static func checkEncapsulation(_ vector: HPKEVector) throws {
    let recipient = try #require(AgreementPublicKey(vector.pkRm.bytes))
    var encapsulated: [UInt8] = []
    let sent = try lending(vector.skEm.bytes) { parts in
      try output(DHKEM.length) { shared in
        encapsulated = try output(DHKEM.length) { encapsulated in
          try DHKEM.encapsulate(
            to: recipient, ephemeral: parts[0], encapsulated: encapsulated, sharedSecret: shared)
        }
      }
    }
    #expect(encapsulated == vector.enc.bytes)
    #expect(sent == vector.shared_secret.bytes)
    let received = try lending(encapsulated, vector.skRm.bytes) { parts in
      try output(DHKEM.length) {
        try DHKEM.decapsulate(
          parts[0], recipient: recipient, secretKey: parts[1], sharedSecret: $0)
      }
    }
    #expect(received == vector.shared_secret.bytes)
  }

  private static func checkContext(_ vector: HPKEVector) {
    let schedule = HPKE.KeyScheduleContext(info: vector.info.bytes)
    #expect(schedule.bytes == vector.key_schedule_context.bytes)
    lending(vector.shared_secret.bytes) { shared in
      HPKE.withContext(sharedSecret: shared[0], schedule) { context in
        #expect(Array(context.secret) == vector.secret.bytes)
        #expect(Array(context.key) == vector.key.bytes)
        #expect(Array(context.baseNonce) == vector.base_nonce.bytes)
        let exporterSecret = output(HKDF.keyLength) {
          context.derive("exp", into: $0, schedule)
        }
        #expect(exporterSecret == vector.exporter_secret.bytes)
        for encryption in vector.encryptions { check(encryption, in: context) }
        for export in vector.exports {
          let value = lending(export.exporter_context.bytes) { parts in
            output(export.L) { context.export(context: parts[0], schedule, into: $0) }
          }
          #expect(value == export.exported_value.bytes)
        }
      }
    }
  }

  private static func check(_ vector: HPKEVector.Encryption, in context: borrowing HPKE.Context) {
    let sequence = vector.sequence_number
    let sealed = lending(vector.aad.bytes) { parts in
      output(vector.ct.bytes.count) { memory in
        memory.copyBytes(from: vector.pt.bytes)
        context.seal(inPlace: memory, associatedData: parts[0], sequence: sequence)
      }
    }
    #expect(sealed == vector.ct.bytes, "sequence number \(sequence)")
    var holds = false
    let opened = lending(vector.ct.bytes, vector.aad.bytes) { parts in
      output(vector.pt.bytes.count) {
        holds = context.open(parts[0], associatedData: parts[1], sequence: sequence, into: $0)
      }
    }
    #expect(holds && opened == vector.pt.bytes, "sequence number \(sequence)")
    lending(vector.ct.bytes, vector.aad.bytes) { parts in
      _ = output(vector.pt.bytes.count) {
        holds = context.open(parts[0], associatedData: parts[1], sequence: sequence + 1, into: $0)
      }
    }
    #expect(!holds, "sequence number \(sequence) opens under the next one too")
  }

  @Test("base mode of RFC 9180, appendix A.2: keys, key schedule, encryptions, exports")
  func publishedVector() throws {
    try Self.check(.selected("rfc", "hpke-base.json"))
  }

  @Test("the whole published file", .publishedVectors)
  func wholeFile() throws {
    try Self.check(.published("hpke-x25519-chacha20poly1305.json"))
  }
}
