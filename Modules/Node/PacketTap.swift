public import Wire

/// Who looks on while packets cross links, as for a capture.
///
/// A packet that was sent is one that a link took into its queue; a link that goes down, or sheds
/// what it took, may still lose it.
@MainActor
public protocol PacketTap: AnyObject {
  /// A packet that came in on the link of this name, before anything is done with it.
  func packetCameIn(_ packet: borrowing PacketView, link: String)
  /// Packets that it did not get, because it was behind.
  var leftOut: Int { get }
  /// A packet that a link took to send.
  func packetWentOut(_ packet: Packet, link: String)
}
