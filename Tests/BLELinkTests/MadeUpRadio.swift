import Wire

@testable import BLELink

/// A radio in the ether, with controllers that are switched on and off by tests.
@MainActor
final class MadeUpRadio: BLERadio {
  let name = "made-up"
  weak var observer: (any BLERadioObserver)?
  let statistics: [(name: String, value: Int)] = []

  private struct Controller {
    let description: BLEAdapter
    var isAdvertising = false
    var isScanning = false
  }

  struct Path {
    let id: PathID
    let description: BLEPath
    let own: BLEAddress
    var inFlight = 0
    var wasFull = false
    /// Nothing is handed over before this, or chunks would overtake each other.
    var lastArrival = Instant.zero
  }

  private let ether: Ether
  private var controllers: [AdapterID: Controller] = [:]
  private(set) var paths: [PathID: Path] = [:]
  /// Across all radios, so that no two name one thing alike.
  private var lastNumber: UInt64
  private var isStarted = false
  private var addresses: [BLEAddress] = []
  private var settings: [BLEAddress: BLEAdapter] = [:]
  /// What the policy asked for so far.
  private(set) var commands: [String] = []
  private(set) var longestChunk = 0

  init(_ ether: Ether, number: UInt64, _ adapters: [BLEAdapter]) {
    self.ether = ether
    lastNumber = number * 1_000_000
    for adapter in adapters {
      addresses.append(adapter.address)
      settings[adapter.address] = adapter
    }
  }

  func tell(_ news: @escaping @MainActor (any BLERadioObserver) -> Void) {
    ether.world.after(.zero) { [weak self] in
      if let observer = self?.observer, self?.isStarted == true { news(observer) }
    }
  }

  private func next() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  // MARK: Controllers

  func start() {
    isStarted = true
    for address in addresses { switchOn(address) }
  }

  func stop() {
    for address in addresses { switchOff(address, telling: false) }
    isStarted = false
  }

  func switchOn(_ address: BLEAddress) {
    guard isStarted, ether.ends[address] == nil, let description = settings[address] else { return }
    let id = AdapterID(UInt32(truncatingIfNeeded: next()))
    controllers[id] = Controller(description: description)
    ether.ends[address] = Ether.RadioEnd(radio: self, adapter: id)
    tell { $0.adapterUp(id, description) }
  }

  func switchOff(_ address: BLEAddress, telling: Bool = true) {
    guard let end = ether.ends[address] else { return }
    ether.dropAll(of: end, because: "switched off")
    ether.ends[address] = nil
    controllers[end.adapter] = nil
    paths = paths.filter { $0.value.own != address }
    if telling { tell { $0.adapterDown(end.adapter, because: "switched off") } }
  }

  func isHeard(_ adapter: AdapterID) -> Bool { controllers[adapter]?.isAdvertising ?? false }
  func scans(_ adapter: AdapterID) -> Bool { controllers[adapter]?.isScanning ?? false }

  func hasRoom(_ adapter: AdapterID) -> Bool {
    let count = ether.connections.count {
      $0.ends.contains(Ether.RadioEnd(radio: self, adapter: adapter))
    }
    return count < controllers[adapter]?.description.maximumConnections ?? 7
  }

  func endScan(_ address: BLEAddress) {
    guard let end = ether.ends[address], controllers[end.adapter]?.isScanning == true else {
      return
    }
    controllers[end.adapter]?.isScanning = false
    tell { $0.scanEnded(on: end.adapter) }
  }

  /// As `endScan`, but nobody is told.
  func endScanInSilence(_ address: BLEAddress) {
    if let end = ether.ends[address] { controllers[end.adapter]?.isScanning = false }
  }

  // MARK: Commands

  func setAdvertising(_ isOn: Bool, on adapter: AdapterID) {
    commands.append("advertise \(isOn)")
    controllers[adapter]?.isAdvertising = isOn
  }

  func setScanning(_ isOn: Bool, on adapter: AdapterID) {
    commands.append("scan \(isOn)")
    controllers[adapter]?.isScanning = isOn
  }

  func connect(to device: BLEDevice) {
    commands.append("connect")
    guard let own = controllers[device.adapter]?.description.address else { return }
    precondition(controllers[device.adapter]?.isScanning == false, "connecting while scanning")
    ether.connect(from: own, to: device.address)
  }

  func disconnect(from device: BLEDevice) {
    commands.append("disconnect")
    guard let own = controllers[device.adapter]?.description.address else { return }
    ether.cancel(from: own, to: device.address)
    if let connection = ether.connection(own, device.address) {
      ether.drop(connection, because: "asked for")
    }
  }

  func forget(_ device: BLEDevice) { commands.append("forget") }
  func systemResumed() {}

  // MARK: Paths

  func bringUp(_ role: BLEPath.Role, _ adapter: AdapterID, _ other: BLEAddress) {
    guard let own = controllers[adapter]?.description.address,
      !paths.values.contains(where: {
        $0.description.device == BLEDevice(adapter, other) && $0.description.role == role
      })
    else { return }
    let isShared = role == .server && ether.manners.isLikeBluetoothd
    let id = PathID(next())
    let path = BLEPath(
      device: BLEDevice(adapter, other), role: role, chunkLimit: ether.manners.chunkLimit,
      outlet: OutletID(isShared ? UInt64(adapter.rawValue) : id.rawValue), mayReorder: isShared)
    paths[id] = Path(id: id, description: path, own: own)
    tell { $0.pathUp(id, path) }
  }

  func takeDown(_ adapter: AdapterID, _ other: BLEAddress, because reason: String) {
    let device = BLEDevice(adapter, other)
    for path in paths.values.filter({ $0.description.device == device }).sorted(by: {
      $0.id < $1.id
    }) {
      paths[path.id] = nil
      tell { $0.pathDown(path.id, because: reason) }
    }
  }

  /// One path alone goes down, its connection stays.
  func loseOnePath(_ path: PathID) {
    guard let gone = paths.removeValue(forKey: path) else { return }
    tell { $0.pathDown(gone.id, because: "the service is gone") }
  }

  func send(_ chunk: RawSpan, on id: PathID) -> ChunkOutcome {
    guard let path = paths[id] else { return .gone }
    let manners = ether.manners
    precondition(
      (1...min(manners.chunkLimit ?? 180, 510)).contains(chunk.byteCount), "a chunk of wrong size")
    longestChunk = max(longestChunk, chunk.byteCount)
    let outlet = path.description.outlet
    let busy = paths.values.filter { $0.description.outlet == outlet }.reduce(0) {
      $0 + $1.inFlight
    }
    if busy >= manners.window {
      paths[id]?.wasFull = true
      return .full
    }
    let bytes = chunk.withUnsafeBytes { Array($0) }
    paths[id]?.inFlight += 1
    var arrival = ether.world.now + ether.world.milliseconds(manners.latency)
    if !path.description.mayReorder { arrival = max(arrival, path.lastArrival) }
    paths[id]?.lastArrival = arrival
    let hearers =
      path.description.mayReorder
      ? paths.values.filter { $0.description.outlet == outlet }.sorted { $0.id < $1.id } : [path]
    ether.world.after(arrival - ether.world.now) { [weak self] in
      self?.arrive(bytes, from: id, at: hearers)
    }
    return .taken
  }

  private func arrive(_ bytes: [UInt8], from id: PathID, at hearers: [Path]) {
    if paths[id] != nil {
      paths[id]?.inFlight -= 1
      let outlet = paths[id]?.description.outlet
      for path in paths.values where path.description.outlet == outlet && path.wasFull {
        paths[path.id]?.wasFull = false
        tell { $0.pathWritable(path.id) }
      }
    }
    for path in hearers where paths[path.id] != nil && !ether.world.chance(ether.manners.loss) {
      ether.ends[path.description.device.address]?.radio.hear(
        bytes, from: path.own, role: path.description.role == .client ? .server : .client)
    }
  }

  private func hear(_ bytes: [UInt8], from other: BLEAddress, role: BLEPath.Role) {
    let find = {
      self.paths.values.first {
        $0.description.device.address == other && $0.description.role == role
      }
    }
    // What is written to us shows who is there, if nothing has before.
    if role == .server, find() == nil,
      let end = ether.ends.values.first(where: { $0.radio === self })
    {
      bringUp(.server, end.adapter, other)
    }
    guard let path = find() else { return }
    tell { $0.received(bytes.span.bytes, on: path.id) }
  }
}
