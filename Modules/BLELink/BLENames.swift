/// A controller while it can be used.
///
/// One that was switched off or unplugged and comes back is a new one: the number is never used
/// again in this run.
public struct AdapterID: Hashable, Comparable, Sendable {
  public let rawValue: UInt32

  public init(_ rawValue: UInt32) { self.rawValue = rawValue }

  public static func < (a: AdapterID, b: AdapterID) -> Bool { a.rawValue < b.rawValue }
}

/// Somebody whom a controller of ours hears or is connected to: their address, seen from there.
///
/// Two controllers of ours that hear the same address see two of these; the policy uses one.
public struct BLEDevice: Hashable, Sendable {
  public let adapter: AdapterID
  public let address: BLEAddress

  public init(_ adapter: AdapterID, _ address: BLEAddress) {
    self.adapter = adapter
    self.address = address
  }
}

/// One of the two ways on which chunks cross between us and a device.
///
/// The number is never used again in this run: a path that went down and is there again is a new
/// one, and what was under way on the old one is lost.
public struct PathID: Hashable, Comparable, Sendable {
  public let rawValue: UInt64

  public init(_ rawValue: UInt64) { self.rawValue = rawValue }

  public static func < (a: PathID, b: PathID) -> Bool { a.rawValue < b.rawValue }
}

/// What the chunks of a path go out through; two paths with one outlet are heard by both devices.
public struct OutletID: Hashable, Sendable {
  public let rawValue: UInt64

  public init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

/// The service's and characteristics' UUIDs, as text (PROTOCOL, section 8).
public enum AirLinkUUID {
  public static let service = "6815884a-e285-42a0-b190-844d55a9d41d"
  /// Write without response, and write.
  public static let inbox = "bcbb5819-8047-490d-8780-e8c57ca9b403"
  /// Notify.
  public static let outbox = "2de34279-9563-4552-a5e9-792ece6967ef"
}

/// A controller, as its backend found it.
public struct BLEAdapter: Hashable, Sendable {
  /// As the system calls it now: `hci0`.
  ///
  /// It may have another name when it comes back.
  public let name: String
  public let address: BLEAddress
  /// Whether it can be found by others and take their connections.
  public let canAdvertise: Bool
  /// Whether it can find others and connect to them.
  public let canScan: Bool
  /// Whether it can advertise and scan at once; otherwise the policy lets it do both in turn.
  public let canDoBothAtOnce: Bool
  /// Connections it holds at once; nil when it does not say.
  public let maximumConnections: Int?

  public init(
    name: String, address: BLEAddress, canAdvertise: Bool = true, canScan: Bool = true,
    canDoBothAtOnce: Bool = true, maximumConnections: Int? = nil
  ) {
    self.name = name
    self.address = address
    self.canAdvertise = canAdvertise
    self.canScan = canScan
    self.canDoBothAtOnce = canDoBothAtOnce
    self.maximumConnections = maximumConnections
  }
}

/// A path, as its backend found it.
public struct BLEPath: Hashable, Sendable {
  /// Our part in GATT on this path, whoever made the connection under it.
  public enum Role: Hashable, Sendable {
    /// We write to the device's inbox and have subscribed to its outbox.
    case client
    /// The device writes to our inbox, or has subscribed to our outbox, which we notify.
    case server
  }

  public let device: BLEDevice
  public let role: Role
  /// Bytes that one chunk may have: the ATT MTU less its header of 3; nil when the stack is silent.
  ///
  /// The policy never goes over 510, whatever this says.
  public let chunkLimit: Int?
  /// Shared by paths that are notified together, as all of role `server` are on one controller of
  /// bluetoothd; otherwise its own.
  public let outlet: OutletID
  /// Whether chunks sent close together may arrive in another order, as bluetoothd's do.
  ///
  /// The policy then leaves time between the chunks of one packet.
  public let mayReorder: Bool

  public init(
    device: BLEDevice, role: Role, chunkLimit: Int?, outlet: OutletID, mayReorder: Bool
  ) {
    self.device = device
    self.role = role
    self.chunkLimit = chunkLimit
    self.outlet = outlet
    self.mayReorder = mayReorder
  }
}
