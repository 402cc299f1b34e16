internal import ATT

/// For the fuzzer: what a controller may send, without one.
package enum HCIFuzz {
  /// Reads an event as the radio does.
  ///
  /// - Returns: the rule that was broken, in words.
  package static func read(_ packet: [UInt8]) -> String? {
    let event = HCIEvent(packet, service: AirLinkAttributes.standard.service.longBytes)
    guard case .sighted(let found) = event else { return nil }
    // A report that names the service has 9 bytes, 18 of data, and the RSSI.
    return found.count * 28 > packet.count ? "more reports than bytes" : nil
  }
}
