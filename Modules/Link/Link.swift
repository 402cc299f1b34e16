public import Wire

/// What a link is, to those who look at it: never to those who route over it.
public struct LinkDescription: Hashable, Sendable {
  /// Unique in this run, as shown to people: `wifi-3`.
  public let name: String
  /// `wifi` or `ble`.
  public let transport: String
  /// Where the other end is, in the transport's own words: an address, a device.
  public let remote: String
  /// Equal for two links that certainly end at one host (its address without the port); two links
  /// of one person to one host are one too many.
  public let host: String

  public init(name: String, transport: String, remote: String, host: String) {
    self.name = name
    self.transport = transport
    self.remote = remote
    self.host = host
  }
}

/// How a link carries what it carries, as far as its radio lets one choose.
public struct LinkDetails: Hashable, Sendable {
  /// Our part on it: `client`, `server` or both, `client+server`.
  public let role: String
  /// Bytes that go out in one piece.
  public let chunkSize: Int
  /// Pieces that wait to go out, and how many may before the next packet is shed.
  public let queuedChunks: Int
  public let queuedChunksLimit: Int

  public init(role: String, chunkSize: Int, queuedChunks: Int, queuedChunksLimit: Int) {
    self.role = role
    self.chunkSize = chunkSize
    self.queuedChunks = queuedChunks
    self.queuedChunksLimit = queuedChunksLimit
  }
}

/// Why a link goes down, as the one who closes it sees it.
public enum LinkCloseReason: Hashable, Sendable {
  /// The other end, the radio or the network went away; in the transport's own words.
  case lost(String)
  /// A newer link to the same device took its place.
  case replaced
  /// The other end broke the rules of reassembly or of fair share.
  case misbehaved(String)
  /// This program is done with it.
  case stopping
}

/// What became of a packet handed to a link.
public enum SendOutcome: Hashable, Sendable {
  case queued
  /// The link's queue is full: the whole packet was shed and counted.
  case shed
  /// There is no such link (any more).
  case noLink
}

/// What a transport tells the one that runs it, all on the main actor.
@MainActor
public protocol LinkObserver: AnyObject {
  func linkCameUp(_ link: LinkID, _ description: LinkDescription)
  func linkWentDown(_ link: LinkID, because reason: LinkCloseReason)
  /// One whole packet with a CRC that holds. The view lasts for the call.
  func link(_ link: LinkID, received packet: borrowing PacketView)
  /// Something the user should know once: a daemon that went away, a port that is taken.
  func transportNotice(_ transport: String, _ notice: String)
}

/// A radio's plug-in: takes whole packets, gives whole packets, says when links come and go.
@MainActor
public protocol LinkTransport: AnyObject {
  /// `wifi` or `ble`.
  var name: String { get }
  /// Begins to find and accept peers.
  func start() throws
  /// Queues one whole packet on a link, or sheds it whole.
  @discardableResult
  func send(_ packet: Packet, on link: LinkID) -> SendOutcome
  /// Who is at the other end of a link, by their own signed hello.
  ///
  /// A claim, never for trust: by it a transport knows two links to one peer for what they are.
  func linkClaimed(_ link: LinkID, by peer: Fingerprint)
  /// Closes one link at once.
  func close(_ link: LinkID, because reason: LinkCloseReason)
  /// How a link carries what it carries; nil where there is nothing to tell.
  func details(of link: LinkID) -> LinkDetails?
  /// The system has woken from suspend: whatever waited to be tried again is tried now.
  func systemResumed()
  /// Takes everything down: links, listeners, advertisements.
  func stop()
  /// Counters and bounds for `/stats`, by name.
  var statistics: [(name: String, value: Int)] { get }
}

extension LinkTransport {
  /// Most transports need not know.
  public func linkClaimed(_ link: LinkID, by peer: Fingerprint) {}
  /// Most have nothing to choose.
  public func details(of link: LinkID) -> LinkDetails? { nil }
}
