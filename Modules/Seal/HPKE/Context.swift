internal import Identity

extension HPKE {
  /// What seals and opens under one shared secret (RFC 9180, sections 5.2 and 5.3).
  ///
  /// It lies in memory that `withContext` lends and wipes. AirLink seals one text a context, under
  /// sequence number 0; the others, and the exporter, are here because the RFC's vectors prove them.
  package struct Context: ~Copyable {
    private typealias AEAD = ChaCha20Poly1305
    static let byteCount = HKDF.keyLength + AEAD.keyLength + AEAD.nonceLength

    package let secret: UnsafeMutableRawBufferPointer
    package let key: UnsafeMutableRawBufferPointer
    package let baseNonce: UnsafeMutableRawBufferPointer

    init(_ memory: UnsafeMutableRawBufferPointer) {
      secret = memory.part(at: 0, count: HKDF.keyLength)
      key = memory.part(at: HKDF.keyLength, count: AEAD.keyLength)
      baseNonce = memory.part(at: HKDF.keyLength + AEAD.keyLength, count: AEAD.nonceLength)
    }

    /// LabeledExpand of the context's secret: key, base nonce, exporter secret.
    package func derive(
      _ label: StaticString, into output: UnsafeMutableRawBufferPointer,
      _ schedule: KeyScheduleContext
    ) {
      labeledExpand(
        .encryption, UnsafeRawBufferPointer(secret), label: label, into: output
      ) { hmac in schedule.bytes.withUnsafeBytes { hmac.put($0) } }
    }

    /// Seals all but the last 16 bytes of `memory` where they lie, and writes the tag to those.
    package func seal(
      inPlace memory: UnsafeMutableRawBufferPointer, associatedData: UnsafeRawBufferPointer,
      sequence: UInt64 = 0
    ) {
      withNonce(sequence) { nonce in
        AEAD.seal(
          inPlace: memory, key: UnsafeRawBufferPointer(key), nonce: nonce,
          associatedData: associatedData)
      }
    }

    /// Opens `ciphertext`, its tag at the end, into the 16 bytes fewer of `plaintext`.
    ///
    /// False, and nothing of use written, when the tag does not hold.
    package func open(
      _ ciphertext: UnsafeRawBufferPointer, associatedData: UnsafeRawBufferPointer,
      sequence: UInt64 = 0, into plaintext: UnsafeMutableRawBufferPointer
    ) -> Bool {
      withNonce(sequence) { nonce in
        AEAD.open(
          ciphertext, key: UnsafeRawBufferPointer(key), nonce: nonce,
          associatedData: associatedData, into: plaintext)
      }
    }

    /// Export (section 5.3): fills `output`, of at most 8,160 bytes.
    package func export(
      context: UnsafeRawBufferPointer, _ schedule: KeyScheduleContext,
      into output: UnsafeMutableRawBufferPointer
    ) {
      withWipedMemory(byteCount: HKDF.keyLength) { exporterSecret in
        derive("exp", into: exporterSecret, schedule)
        labeledExpand(
          .encryption, UnsafeRawBufferPointer(exporterSecret), label: "sec", into: output
        ) { $0.put(context) }
      }
    }

    /// ComputeNonce (section 5.2): the base nonce with the sequence number over its end.
    private func withNonce<Result>(
      _ sequence: UInt64, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
      withWipedMemory(byteCount: AEAD.nonceLength) { nonce in
        nonce.copyMemory(from: UnsafeRawBufferPointer(baseNonce))
        withUnsafeBytes(of: sequence.bigEndian) { sequence in
          for index in sequence.indices { nonce[4 + index] ^= sequence[index] }
        }
        return body(UnsafeRawBufferPointer(nonce))
      }
    }
  }
}
