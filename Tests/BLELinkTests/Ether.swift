import Wire

@testable import BLELink

/// The air between made-up radios: who hears whom, which connections there are, and what becomes of
/// chunks.
@MainActor
final class Ether {
  /// How the stack of all radios here behaves.
  struct Manners {
    /// As bluetoothd: one outlet for all notifications of a controller, which reach every
    /// subscriber, and may overtake each other.
    var isLikeBluetoothd = true
    /// Bytes that a chunk may have; nil: the stack does not say, and takes 180.
    var chunkLimit: Int? = 510
    /// Chunks under way before a path is full.
    var window = 6
    /// Chunks of a hundred that get lost.
    var loss = 0
    /// How long a chunk is under way, in milliseconds.
    var latency = 5...15
    /// Attempts of a hundred that fail although somebody is there.
    var failedAttempts = 10
    /// Of a hundred times that both sides connect at once, how often both fail.
    var collisions = 50
    /// Whether a device finds the other's service: not every central is a peripheral too.
    var clientPaths = 100
  }

  /// An LE connection: at most one for two addresses.
  @MainActor
  final class Connection {
    let ends: [RadioEnd]
    var isOver = false
    init(_ ends: [RadioEnd]) { self.ends = ends }
  }

  /// One side of a connection.
  struct RadioEnd: Equatable {
    let radio: MadeUpRadio
    let adapter: AdapterID
    static func == (a: Self, b: Self) -> Bool { a.radio === b.radio && a.adapter == b.adapter }
  }

  let world: VirtualWorld
  var manners: Manners
  private(set) var connections: [Connection] = []
  var ends: [BLEAddress: RadioEnd] = [:]
  /// Attempts under way, by who makes them and to whom.
  private var attempts: [(from: BLEAddress, to: BLEAddress)] = []

  init(_ world: VirtualWorld, _ manners: Manners = Manners()) {
    self.world = world
    self.manners = manners
  }

  // MARK: Hearing

  /// Every scanner hears every advertiser ten times a second.
  func start() {
    for (address, end) in ends.sorted(by: { $0.key < $1.key }) where end.radio.isHeard(end.adapter)
    {
      for (other, scanner) in ends.sorted(by: { $0.key < $1.key }) where other != address {
        if scanner.radio !== end.radio, scanner.radio.scans(scanner.adapter), world.chance(70) {
          scanner.radio.tell {
            $0.sighted(BLEDevice(scanner.adapter, address), rssi: -60)
          }
        }
      }
    }
    world.after(.milliseconds(100)) { [weak self] in self?.start() }
  }

  // MARK: Connecting

  func connection(_ a: BLEAddress, _ b: BLEAddress) -> Connection? {
    guard let one = ends[a], let two = ends[b] else { return nil }
    return connections.first { $0.ends.contains(one) && $0.ends.contains(two) }
  }

  func connect(from: BLEAddress, to: BLEAddress) {
    attempts.append((from, to))
    world.after(world.milliseconds(30...400)) { [weak self] in self?.decide(from, to) }
  }

  func cancel(from: BLEAddress, to: BLEAddress) {
    attempts.removeAll { $0.from == from && $0.to == to }
  }

  private func decide(_ from: BLEAddress, _ to: BLEAddress) {
    guard attempts.contains(where: { $0.from == from && $0.to == to }) else { return }
    let isCrossing = attempts.contains { $0.from == to && $0.to == from }
    cancel(from: from, to: to)
    if connection(from, to) != nil { return }
    guard let one = ends[from], let two = ends[to] else { return fail(from, to) }
    if isCrossing, world.chance(manners.collisions) {
      cancel(from: to, to: from)
      fail(to, from)
      return fail(from, to)
    }
    guard two.radio.isHeard(two.adapter), !world.chance(manners.failedAttempts),
      one.radio.hasRoom(one.adapter), two.radio.hasRoom(two.adapter)
    else { return fail(from, to) }
    let connection = Connection([one, two])
    connections.append(connection)
    for (end, other) in [(one, to), (two, from)] {
      guard world.chance(manners.clientPaths) || end == one else { continue }
      world.after(world.milliseconds(20...300)) {
        guard !connection.isOver else { return }
        end.radio.bringUp(.client, end.adapter, other)
        let peer = connection.ends.first { $0 != end }
        let own = end == one ? from : to
        self.world.after(self.world.milliseconds(0...50)) {
          guard !connection.isOver, let peer else { return }
          peer.radio.bringUp(.server, peer.adapter, own)
        }
      }
    }
  }

  private func fail(_ from: BLEAddress, _ to: BLEAddress) {
    guard let end = ends[from] else { return }
    end.radio.tell {
      $0.connectEnded(BLEDevice(end.adapter, to), because: .unreachable("nobody answered"))
    }
  }

  // MARK: Losing

  func drop(_ connection: Connection, because reason: String) {
    guard !connection.isOver else { return }
    connection.isOver = true
    connections.removeAll { $0 === connection }
    let addresses = connection.ends.map { end in ends.first { $0.value == end }?.key }
    for (end, other) in zip(connection.ends, addresses.reversed()) {
      if let other { end.radio.takeDown(end.adapter, other, because: reason) }
    }
  }

  func dropAll(of end: RadioEnd, because reason: String) {
    for connection in connections where connection.ends.contains(end) {
      drop(connection, because: reason)
    }
    if let address = ends.first(where: { $0.value == end })?.key {
      attempts.removeAll { $0.from == address }
    }
  }
}
