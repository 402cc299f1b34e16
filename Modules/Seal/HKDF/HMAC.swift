internal import CSodium
internal import Identity

/// HMAC-SHA256 (RFC 2104) over parts that are given one after another.
struct HMAC: ~Copyable {
  static let codeLength = 32

  // Points at a variable of `authenticate`, within whose call alone it is used. libsodium wipes the
  // state when it makes the code.
  private let state: UnsafeMutablePointer<crypto_auth_hmacsha256_state>

  /// Writes the code of all that `feed` puts in, under a key of any length, to `code`'s 32 bytes.
  ///
  /// `code` may be the key's own memory, or a part that was put in.
  static func authenticate(
    key: UnsafeRawBufferPointer, into code: UnsafeMutableRawBufferPointer,
    _ feed: (borrowing HMAC) -> Void
  ) {
    Sodium.start()
    precondition(code.count == codeLength, "an HMAC-SHA256 code is 32 bytes")
    var state = crypto_auth_hmacsha256_state()
    withUnsafeMutablePointer(to: &state) { state in
      _ = crypto_auth_hmacsha256_init(state, key.sodium, key.count)
      feed(HMAC(state: state))
      _ = crypto_auth_hmacsha256_final(state, code.sodium)
    }
  }

  func put(_ bytes: UnsafeRawBufferPointer) {
    _ = crypto_auth_hmacsha256_update(state, bytes.sodium, UInt64(bytes.count))
  }

  func put(_ bytes: UnsafeMutableRawBufferPointer) { put(UnsafeRawBufferPointer(bytes)) }

  /// The text's bytes, without a terminator.
  func put(_ label: StaticString) {
    label.withUTF8Buffer { put(UnsafeRawBufferPointer($0)) }
  }

  /// The integer, most significant byte first.
  func put(bigEndian value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.bigEndian) { put($0) }
  }
}
