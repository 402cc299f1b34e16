internal import CSodium
public import Wire

/// What two people compare to know that nobody stands between them (PROTOCOL, section 1).
///
/// The same for both, whoever works it out.
public struct SafetyNumber: Hashable, Sendable, CustomStringConvertible {
  public static let groupCount = 12
  private static let bytesPerGroup = 5
  private static let label = "airlink-safety-v1"

  /// Twelve groups of five digits.
  public let groups: [String]

  public init(_ a: PublicKeys, _ b: PublicKeys) {
    Sodium.start()
    var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha512_BYTES))
    let input = Array(Self.label.utf8) + min(a, b).bytes + max(a, b).bytes
    crypto_hash_sha512(&digest, input, UInt64(input.count))
    groups = (0..<Self.groupCount).map { group in
      let bytes = digest.dropFirst(group * Self.bytesPerGroup).prefix(Self.bytesPerGroup)
      let value = bytes.reduce(0 as UInt64) { $0 << 8 | UInt64($1) } % 100_000
      let digits = String(value)
      return String(repeating: "0", count: 5 - digits.count) + digits
    }
  }

  /// The groups with a space between any two.
  public var description: String { groups.joined(separator: " ") }
}
