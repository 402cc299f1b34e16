internal import Identity
internal import Mesh
internal import Wire

/// A place in the plane, in metres.
struct Place: Hashable, Sendable {
  var x = 0.0
  var y = 0.0

  func squaredDistance(to other: Place) -> Double {
    let (dx, dy) = (x - other.x, y - other.y)
    return dx * dx + dy * dy
  }
}

/// What a device is in the world.
enum Role: UInt8, CaseIterable {
  case honest, flooder, replayer, forger, blackHole, relabeller
}

/// One device: the very mesh that ships, and what surrounds it.
struct Device<Cryptography: MeshCryptography> {
  /// A link as this end knows it.
  struct End {
    let id: LinkID
    /// Its place among the world's links.
    let link: Int
  }

  var mesh: Mesh<Cryptography>
  let role: Role
  var place: Place
  var target: Place
  /// Metres a second, towards the target.
  var speed = 0.0
  var restsUntil: Int64 = 0
  /// Links that are up, oldest first.
  var ends: [End] = []
  /// Links up or being set up, by radio.
  var linkCounts: [Int]
  var nextLink: UInt32 = 1
  /// When its wake is in the queue; another wake than that is an old one.
  var wakeAt = Int64.max
  /// Milliseconds that its clock is ahead.
  var clockOffset: Int64 = 0
  var clockDriftPPM: Int64 = 0
  var life = 0
  var isRunning = true
  var hasRadio = true
  /// What its disk remembers of messages shown.
  var journal: [ReceivedRecord] = []
  /// Packets taken in, in this life.
  var received: UInt64 = 0
  /// Steps until its bounds are looked at again.
  var untilBounds = 0

  var isOnAir: Bool { isRunning && hasRadio }

  // Through the device in place: its mesh is some kilobytes of value, and reading it through an array
  // of devices would copy all of it.

  /// When the mesh wants to be woken, in nanoseconds.
  mutating func deadline() -> Int64? { mesh.deadline?.nanoseconds }

  mutating func takeEffects() -> [MeshEffect] { mesh.takeEffects() }

  mutating func receive(_ packet: Packet, from link: LinkID, at moment: Moment) {
    mesh.receive(packet.view, from: link, at: moment)
    while mesh.hasWork { mesh.work(at: moment) }
  }

  mutating func wake(at moment: Moment) { mesh.wake(at: moment) }

  mutating func fingerprint() -> Fingerprint { mesh.ownFingerprint }

  /// The statistic that is over its bound, if one is.
  mutating func overBound() -> MeshStatistic? {
    mesh.statistics.first { $0.value > $0.limit ?? .max }
  }

  func link(of id: LinkID) -> Int? {
    // A handful; the newest are asked for most.
    ends.last { $0.id == id }?.link
  }
}

/// A link between two devices, up or being set up.
struct Link {
  var devices: (Int, Int)
  var ids = (LinkID(0), LinkID(0))
  var radio: Int
  var generation: UInt32
  var isUp = false
  var isUsed = true
  /// When the last byte handed in at each end has left, and when its packet arrives.
  var busyUntil: (Int64, Int64) = (0, 0)
  var lastArrival: (Int64, Int64) = (0, 0)

  func other(than device: Int) -> Int { devices.0 == device ? devices.1 : devices.0 }
}
