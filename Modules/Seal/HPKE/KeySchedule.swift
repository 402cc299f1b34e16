internal import Identity

extension HPKE {
  /// The public half of the key schedule, the same for every message with one info: mode ‖
  /// psk_id_hash ‖ info_hash (RFC 9180, section 5.1).
  package struct KeyScheduleContext: Sendable {
    /// 65 bytes.
    package let bytes: [UInt8]

    /// Base mode: mode 0, and the pre-shared key's id empty.
    package init(info: [UInt8]) {
      Sodium.start()
      var bytes = [UInt8](repeating: 0, count: 1 + 2 * HKDF.keyLength)
      bytes.withUnsafeMutableBytes { bytes in
        let pskIDHash = bytes.part(at: 1, count: HKDF.keyLength)
        let infoHash = bytes.part(at: 1 + HKDF.keyLength, count: HKDF.keyLength)
        labeledExtract(.encryption, salt: .none, label: "psk_id_hash", into: pskIDHash) { _ in }
        info.withUnsafeBytes { info in
          labeledExtract(.encryption, salt: .none, label: "info_hash", into: infoHash) {
            $0.put(info)
          }
        }
      }
      self.bytes = bytes
    }
  }

  /// Lends `body` the encryption context of a shared secret, and wipes it afterwards (KeySchedule,
  /// section 5.1).
  package static func withContext<Result, Failure: Error>(
    sharedSecret: UnsafeRawBufferPointer, _ schedule: KeyScheduleContext,
    _ body: (borrowing Context) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withWipedMemory(byteCount: Context.byteCount) { memory throws(Failure) in
      let context = Context(memory)
      // An empty pre-shared key is the input keying material of base mode.
      labeledExtract(
        .encryption, salt: sharedSecret, label: "secret", into: context.secret
      ) { _ in }
      context.derive("key", into: context.key, schedule)
      context.derive("base_nonce", into: context.baseNonce, schedule)
      return try body(context)
    }
  }
}
