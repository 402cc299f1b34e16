internal import Link
internal import Wire

/// A link: the one or two paths to a device, and what waits to go out.
struct BLELinkState: Sendable {
  struct Path: Sendable {
    let id: PathID
    let role: BLEPath.Role
    let outlet: OutletID
    let mayReorder: Bool
    let upAt: Instant
    var chunkLimit: Int?
  }

  let id: LinkID
  let device: BLEDevice
  let upAt: Instant
  var client: Path?
  var server: Path?
  var queue: ChunkQueue
  /// The path of the packet that goes out now.
  var carrying: PathID?
  /// Whether a whole packet came.
  var isProved = false

  var paths: [Path] { [client, server].compactMap { $0 } }

  /// What the next packet goes out on: the device's inbox where we may write to it, which reaches
  /// nobody else and keeps the order; else our notifications.
  var preferred: Path? { client ?? server }

  /// What a packet under way goes on with, or the next begins on.
  var route: Path? {
    guard let carrying else { return preferred }
    return paths.first { $0.id == carrying } ?? preferred
  }
}

/// What the chunks of one or more paths go out through, one packet at a time.
struct Outlet: Sendable {
  let id: OutletID
  /// The smallest limit of those paths; nil where none is known.
  var chunkLimit: Int?
  /// Paths that are heard together.
  var paths: [PathID] = []
  /// The link whose packet is under way.
  var busyWith: LinkID?
  /// Set while the radio takes no more.
  var blockedSince: Instant?
  /// Set while time is left between two chunks.
  var pausedUntil: Instant?
  var sentAt: Instant?
  /// Whether the last chunk was a part of a packet.
  var lastWasPart = false
  /// When the packet under way began.
  var beganAt = Instant.zero
  var isReady = false
  /// Whose turn it is, of the paths.
  var turn = 0
}

/// What happened so far, for `/stats`.
struct BLECounters: Sendable {
  var packetsIn = 0
  var packetsOut = 0
  var bytesIn = 0
  var bytesOut = 0
  var chunksIn = 0
  var chunksOut = 0
  var shed = 0
  var shedVoice = 0
  var checksumFailures = 0
  var garbage = 0
  var stalls = 0
  /// Paths of devices that are not let in.
  var refused = 0
  var connects = 0
  var connectsFailed = 0
  var scansRenewed = 0
  var closed = LinkCloseCounters()
}
