internal import BLELink
internal import DBus
internal import EventLoop

/// A controller as bluetoothd shows it, and what we do with it.
@MainActor
final class AdapterState {
  let path: ObjectPath
  let address: BLEAddress
  /// The roles it can have at once or in turn; empty when bluetoothd does not say.
  let roles: Set<String>
  let hasAdvertising: Bool
  var isPowered: Bool
  /// Switched off by rfkill: powering it on would not help.
  var isBlocked: Bool
  var isDiscovering: Bool

  /// What it goes by while it can be used; nil before its application is registered.
  var id: AdapterID?
  /// Counts the times it was switched on: answers to an earlier time's calls are nobody's.
  var epoch = 0
  var queue = CommandQueue()
  var isRegistering = false
  var registrationFailures = 0
  var retry: EventLoop.Timer?
  /// Where our objects for it are; nil while there are none.
  var root: ObjectPath?
  var wantsScan = false
  var restTimer: EventLoop.Timer?
  var isAdvertised = false
  /// Whether somebody subscribed to our outbox there.
  var isSubscribed = false
  var outlet: OutletID?
  var notifier = Notifier()

  init?(_ path: ObjectPath, _ properties: [String: Value], hasAdvertising: Bool) {
    guard let text = properties["Address"]?.string, let address = BLEAddress(text) else {
      return nil
    }
    self.path = path
    self.address = address
    self.hasAdvertising = hasAdvertising
    roles = Set(properties["Roles"]?.strings ?? [])
    isPowered = properties["Powered"]?.bool ?? false
    isBlocked = properties["PowerState"]?.string == "off-blocked"
    isDiscovering = properties["Discovering"]?.bool ?? false
  }

  /// `hci0`.
  var name: String { path.name }

  /// The role `central-peripheral` is of connections; almost every controller advertises and scans
  /// at once, and where one does not, bluetoothd refuses and is asked again.
  func description() -> BLEAdapter {
    BLEAdapter(
      name: name, address: address,
      canAdvertise: hasAdvertising && (roles.isEmpty || roles.contains("peripheral")),
      canScan: roles.isEmpty || roles.contains("central"))
  }
}

/// Notifications of one controller's outbox that may go out now.
struct Notifier {
  var sent = 0
  var isResting = false
  /// Who was told that it is full.
  var waiting: Set<PathID> = []
}

/// A device as bluetoothd shows it, and the paths to it.
struct DeviceState {
  /// The path on which we are the client.
  struct Client {
    let id: PathID
    let inbox: ObjectPath
    let outbox: ObjectPath
    /// Whether its inbox takes writes with an answer too.
    let answers: Bool
    var unansweredChunks = 0
    var unansweredBytes = 0
    /// Bytes that are still to come of the packet under way.
    var remaining = 0
    /// Whether the last write was one without an answer, and not long ago.
    var isSettling = false
    /// Whether there was another since.
    var isSettlingAnew = false
    /// Whether the answer to a write is awaited, and nothing is sent meanwhile.
    var isAwaiting = false
    /// Who was told that it is full.
    var isWaitedFor = false
  }

  let adapter: ObjectPath
  let address: BLEAddress
  var isConnected: Bool
  var isResolved: Bool
  /// Whether it is known to have our service, or to advertise it.
  var isOurs: Bool
  /// Whether those above wait for it to be connected.
  var isAttempted = false
  var connectCall: BusClient.Token?
  /// Its services as far as they are ours.
  var services: Set<ObjectPath> = []
  var inboxes: [ObjectPath: RemoteCharacteristic] = [:]
  var outboxes: [ObjectPath: RemoteCharacteristic] = [:]
  /// The outbox that is being subscribed to.
  var subscribing: ObjectPath?
  var client: Client?
  var server: PathID?

  init?(_ properties: [String: Value]) {
    guard let adapter = properties["Adapter"]?.path, let text = properties["Address"]?.string
    else { return nil }
    let isRandom = properties["AddressType"]?.string == "random"
    guard let address = BLEAddress(text, isRandom ? .random : .public) else { return nil }
    self.adapter = adapter
    self.address = address
    isConnected = properties["Connected"]?.bool ?? false
    isResolved = properties["ServicesResolved"]?.bool ?? false
    isOurs = Self.hasService(properties) ?? false
  }

  /// Nil when its services are not said.
  static func hasService(_ properties: [String: Value]) -> Bool? {
    properties["UUIDs"]?.strings?.contains { isSameUUID($0, AirLinkUUID.service) }
  }
}

/// An inbox or outbox of a device.
struct RemoteCharacteristic {
  let service: ObjectPath
  let flags: Set<String>
  /// Nil when bluetoothd does not say.
  var mtu: Int?

  init?(_ properties: [String: Value]) {
    guard let service = properties["Service"]?.path else { return nil }
    self.service = service
    flags = Set(properties["Flags"]?.strings ?? [])
    mtu = properties["MTU"]?.integer
  }

  /// What one chunk may have: an ATT header is three bytes (Core 5.4, volume 3, part F, 3.4.5.3).
  var chunkLimit: Int? { mtu.map { max($0 - 3, 1) } }
}
