public import Wire

/// Names this run of a node on the local network: 16 hexadecimal digits, random.
///
/// Of two that see each other the one with the lower id dials (PROTOCOL, section 8).
public struct InstanceID: FixedBytes {
  private var word: UInt64 = 0
  public init() {}

  public init(value: UInt64) { word = value.bigEndian }

  /// Reads an instance name as it came from the network: exactly 16 hexadecimal digits.
  public init?(serviceName: String) {
    guard serviceName.utf8.count == 16 else { return nil }
    self.init(hex: serviceName)
  }
}
