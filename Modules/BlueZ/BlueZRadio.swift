public import BLELink
public import DBus
internal import EventLoop

/// Controllers that bluetoothd drives, by its interface on the system bus: no privileges, and others
/// may use the same controllers.
///
/// Everything here follows what bluetoothd says of its objects. A bluetoothd that is restarted, a
/// controller that is switched off or comes back, is begun with anew.
@MainActor
public final class BlueZRadio: BLERadio {
  public let name = "bluez"
  public weak var observer: (any BLERadioObserver)?

  /// Told, in place of the observer, what is missing as long as nothing was there: for a node that
  /// uses Bluetooth where there is some, and does not miss it where there is none.
  public var remark: (@MainActor (String) -> Void)?

  private let address: BusAddress
  /// The one controller to be used; any when nil.
  let wanted: String?
  let limits: BlueZLimits
  var bus: BusClient?
  /// bluetoothd's unique name; nil while it is not on the bus.
  private(set) var owner: String?
  /// Whether bluetoothd's objects are known: before that its signals say nothing.
  private(set) var isReady = false
  private var objectsCall: BusClient.Token?
  var adapters: [ObjectPath: AdapterState] = [:]
  var devices: [ObjectPath: DeviceState] = [:]
  /// Where a device of those above is on the bus.
  var places: [BLEDevice: ObjectPath] = [:]
  /// Whose path it is.
  var paths: [PathID: ObjectPath] = [:]
  var told: [BLETrouble.Code: BLETrouble] = [:]
  /// Whether no adapter was there for long enough to say so; nil while there is one.
  var isMissingAdapter: Bool?
  var failedRegistrations: [ObjectPath: BLETrouble] = [:]
  private var lastAdapter: UInt32 = 0
  private var lastPath: UInt64 = 0
  private var lastOutlet: UInt64 = 0
  var counters = BlueZCounters()

  /// Uses the controller called `adapter`, `hci0` or its address, or all when nil.
  public convenience init(adapter: String? = nil, on bus: BusAddress = .system) {
    self.init(adapter: adapter, on: bus, limits: BlueZLimits())
  }

  init(adapter: String?, on bus: BusAddress, limits: BlueZLimits) {
    wanted = adapter
    address = bus
    self.limits = limits
  }

  public func start() {
    guard bus == nil else { return }
    let bus = BusClient(address)
    self.bus = bus
    // Four rules, however many devices there are.
    for interface in [BlueZ.adapter, BlueZ.device, BlueZ.characteristic] {
      _ = bus.subscribe(
        SignalRule(
          sender: BlueZ.service, interface: BlueZ.properties, member: "PropertiesChanged",
          firstArgument: interface)
      ) { [weak self] in self?.propertiesChanged($0) }
    }
    for member in ["InterfacesAdded", "InterfacesRemoved"] {
      _ = bus.subscribe(
        SignalRule(sender: BlueZ.service, interface: BlueZ.objectManager, member: member)
      ) { [weak self] in self?.interfacesChanged($0) }
    }
    _ = bus.subscribe(
      SignalRule(
        sender: "org.freedesktop.login1", interface: "org.freedesktop.login1.Manager",
        member: "PrepareForSleep")
    ) { [weak self] signal in
      if signal.arguments.first?.bool == false { self?.systemResumed() }
    }
    _ = bus.watchName(BlueZ.service) { [weak self] in self?.ownerChanged($0) }
    _ = bus.watchState { [weak self] in self?.busChanged($0) }
  }

  public func stop() {
    guard let bus else { return }
    for (path, device) in devices where device.client != nil || device.server != nil {
      bus.call(to(path, BlueZ.device, "Disconnect")) { _ in }
    }
    for (path, device) in devices where device.isAttempted && device.client == nil {
      bus.call(to(path, BlueZ.device, "Disconnect")) { _ in }
    }
    observer = nil
    for adapter in Array(adapters.values) { remove(adapter, because: "stopping") }
    (devices, places, paths, told, failedRegistrations) = ([:], [:], [:], [:], [:])
    // What is registered goes with the connection.
    bus.stop()
    self.bus = nil
    owner = nil
    isReady = false
  }

  public func systemResumed() {
    guard owner != nil else { return }
    readObjects()
  }

  public var statistics: [(name: String, value: Int)] {
    [
      ("bluez-running", owner == nil ? 0 : 1),
      ("bluez-adapters", adapters.count),
      ("bluez-devices", devices.count),
      ("bluez-devices-limit", limits.devices),
      ("bluez-refused-writes", counters.refusedWrites),
      ("bluez-failed-writes", counters.failedWrites),
    ] + (bus?.statistics.map { (name: "bus-\($0.name)", value: $0.value) } ?? [])
  }

  // MARK: Names

  func nextAdapterID() -> AdapterID {
    lastAdapter += 1
    return AdapterID(lastAdapter)
  }

  func nextPathID() -> PathID {
    lastPath += 1
    return PathID(lastPath)
  }

  func nextOutletID() -> OutletID {
    lastOutlet += 1
    return OutletID(lastOutlet)
  }

  /// A call to bluetoothd, which the bus need not start for it.
  func to(
    _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [Value] = []
  ) -> MethodCall {
    MethodCall(BlueZ.service, path, interface, member, arguments, startsService: false)
  }

  // MARK: bluetoothd comes and goes

  private func busChanged(_ state: BusClient.State) {
    if case .absent = state { ownerChanged(nil) }
    updateTroubles()
  }

  private func ownerChanged(_ new: String?) {
    if owner != nil, new != owner { forgetAll(because: "bluetoothd went away") }
    owner = new
    if new != nil { readObjects() }
    updateTroubles()
  }

  private func forgetAll(because reason: String) {
    isReady = false
    if let objectsCall { bus?.cancel(objectsCall) }
    objectsCall = nil
    for adapter in adapters.values.sorted(by: { $0.path.description < $1.path.description }) {
      remove(adapter, because: reason)
    }
    (devices, places, paths, failedRegistrations) = ([:], [:], [:], [:])
  }

  /// Asks for all objects, and makes what is known here agree with them.
  func readObjects() {
    guard let bus, objectsCall == nil else { return }
    objectsCall = bus.call(
      to("/", BlueZ.objectManager, "GetManagedObjects"), timeout: limits.callTimeout
    ) { [weak self] result in
      guard let self else { return }
      self.objectsCall = nil
      guard self.owner != nil else { return }
      if case .success(let values) = result, let entries = values.first?.entries {
        self.isReady = true
        self.agree(with: entries)
      } else {
        EventLoop.main.after(self.limits.objectsPause) { [weak self] in
          if self?.owner != nil { self?.readObjects() }
        }
      }
      self.updateTroubles()
    }
  }

  private func agree(with entries: [Value.Entry]) {
    let all = entries.compactMap { entry -> (path: ObjectPath, interfaces: [String: Value])? in
      guard let path = entry.key.path, let interfaces = entry.value.properties else { return nil }
      return (path, interfaces)
    }
    let present = Set(all.map(\.path))
    for path in devices.keys where !present.contains(path) { removeDevice(path) }
    for path in adapters.keys where !present.contains(path) { removeAdapter(path) }
    // A path comes before those below it.
    for object in all.sorted(by: { $0.path.description < $1.path.description }) {
      added(object.path, object.interfaces)
    }
  }

  // MARK: Objects come, change and go

  private func interfacesChanged(_ signal: Signal) {
    guard isReady, signal.arguments.count == 2, let path = signal.arguments[0].path else { return }
    if signal.member == "InterfacesAdded" {
      if let interfaces = signal.arguments[1].properties { added(path, interfaces) }
    } else if let names = signal.arguments[1].strings {
      removed(path, Set(names))
    }
    updateTroubles()
  }

  private func added(_ path: ObjectPath, _ interfaces: [String: Value]) {
    if let properties = interfaces[BlueZ.adapter]?.properties {
      addAdapter(
        path, properties, hasAdvertising: interfaces[BlueZ.advertisingManager] != nil)
    }
    if let properties = interfaces[BlueZ.device]?.properties { addDevice(path, properties) }
    if let properties = interfaces[BlueZ.gattService]?.properties { addService(path, properties) }
    if let properties = interfaces[BlueZ.characteristic]?.properties {
      addCharacteristic(path, properties)
    }
  }

  private func removed(_ path: ObjectPath, _ interfaces: Set<String>) {
    if interfaces.contains(BlueZ.adapter) { removeAdapter(path) }
    if interfaces.contains(BlueZ.device) { removeDevice(path) }
    if interfaces.contains(BlueZ.gattService) { removeService(path) }
    if interfaces.contains(BlueZ.characteristic) { removeCharacteristic(path) }
  }

  private func propertiesChanged(_ signal: Signal) {
    guard isReady, signal.arguments.count >= 2, let interface = signal.arguments[0].string,
      let changed = signal.arguments[1].properties
    else { return }
    switch interface {
    case BlueZ.adapter:
      adapterChanged(signal.path, changed)
      updateTroubles()
    case BlueZ.device: deviceChanged(signal.path, changed)
    case BlueZ.characteristic: characteristicChanged(signal.path, changed)
    default: break
    }
  }
}

struct BlueZCounters {
  /// Applications shown so far: each has a path that none had before.
  var applications = 0
  /// Writes to our inbox that were not by bluetoothd, or not as it should be.
  var refusedWrites = 0
  /// Writes of ours that bluetoothd refused.
  var failedWrites = 0
}
