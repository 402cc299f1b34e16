internal import Discovery

/// The interfaces of this machine and their addresses at one moment.
struct NetworkSnapshot: Hashable, Sendable {
  struct Address: Hashable, Sendable {
    let address: IPAddress
    /// How many bits the addresses of its network have in common.
    let prefixLength: Int
    /// Index of its interface.
    let interface: UInt32

    init(_ address: IPAddress, prefixLength: Int, interface: UInt32) {
      self.address = address
      self.prefixLength = prefixLength
      self.interface = interface
    }
  }

  var addresses: Set<Address>
  /// Indices of the interfaces that are up and have a carrier.
  var running: Set<UInt32>

  init(addresses: Set<Address> = [], running: Set<UInt32> = []) {
    self.addresses = addresses
    self.running = running
  }

  func hasAddress(_ address: IPAddress) -> Bool {
    address.isLoopback || addresses.contains { $0.address == address }
  }

  /// Whether a service found on the local network may say that it is at `address`.
  ///
  /// Anybody there can announce anything. What leads off the local network is refused: no neighbour
  /// makes us knock at a stranger's door on the internet. Private addresses may be behind a
  /// reflector, and are let through.
  func mayAnnounce(_ address: IPAddress) -> Bool {
    guard address.isUnicast else { return false }
    return address.isPrivate
      || addresses.contains {
        $0.prefixLength > 0 && address.isInPrefix(of: $0.address, length: $0.prefixLength)
      }
  }
}
