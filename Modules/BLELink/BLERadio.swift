/// What drives controllers: bluetoothd's interface on the bus, raw HCI, or a made-up one in tests.
///
/// A **device** is an address that a controller hears. Under it lies at most one LE connection,
/// made by whichever side was first; a backend never lets both sides' wishes make two. On that
/// connection a backend brings up by itself, whoever made it, both **paths**: `client` as soon as
/// it has found the device's service, checked its layout and subscribed; `server` as soon as it
/// knows that the device takes our notifications or has written to our inbox (bluetoothd tells no
/// more). All paths to one device are one **link** to those above, which is up while at least one
/// path is. A packet goes out on one path alone, never partly on both.
///
/// Everything is on the main actor. Commands return at once, are carried out in the order they came
/// for each controller, and are answered by the observer's methods in a later turn, **never from
/// within a command**. Commands for what is gone are ignored: the news may not have arrived yet.
@MainActor
public protocol BLERadio: AnyObject {
  /// `bluez` or `hci`.
  var name: String { get }
  /// Told everything; held weakly.
  var observer: (any BLERadioObserver)? { get set }

  /// Begins to look for controllers, and goes on until `stop`: those that come later, and a daemon
  /// that is started again, are found without being asked for.
  ///
  /// What stands in the way is told as trouble, not thrown: it may change. Paths of an earlier run
  /// that still stand are adopted (told as `pathUp`) or disconnected.
  func start()

  /// Takes down advertisements, scans, connections and what is registered; tells nothing more.
  func stop()

  /// Advertises the service's UUID and nothing else, and takes connections, until told otherwise:
  /// also after a connection was made.
  func setAdvertising(_ isOn: Bool, on adapter: AdapterID)

  /// Looks for the service's UUID and tells `sighted`, until told otherwise.
  ///
  /// Off is complete before the next command of that controller begins: connecting while looking
  /// takes bluetoothd ten seconds.
  func setScanning(_ isOn: Bool, on adapter: AdapterID)

  /// Makes a connection, or uses the one that is there, and brings up the `client` path.
  ///
  /// Answered by `pathUp` with role `client`, or by `connectEnded`. The policy gives a controller
  /// one of these at a time and ends it with `disconnect` when it takes too long.
  func connect(to device: BLEDevice)

  /// Ends the connection with all its paths, or the attempt to make one.
  ///
  /// Each path that was up is told as `pathDown`; an attempt under way gets no `connectEnded`.
  func disconnect(from device: BLEDevice)

  /// Has the system forget what it remembers of a device's services, as it does not hold any more.
  func forget(_ device: BLEDevice)

  /// Sends one chunk of 1…510 bytes, never more than the path's limit: one write without response
  /// to the device's inbox, or one notification of our outbox.
  func send(_ chunk: RawSpan, on path: PathID) -> ChunkOutcome

  /// The system has woken from suspend: what is stale is found out now.
  func systemResumed()

  /// Counters and bounds for `/stats`, by name.
  var statistics: [(name: String, value: Int)] { get }
}

/// What became of a chunk.
public enum ChunkOutcome: Hashable, Sendable {
  /// It is on its way.
  case taken
  /// Not taken: too much is on its way already. `pathWritable` follows.
  case full
  /// The path is over; `pathDown` follows, if it has not been told.
  case gone
}

/// Why a connection, or the `client` path on it, did not come up.
public enum BLEConnectFailure: Hashable, Sendable {
  /// Nobody answered, or the connection broke while it was being made.
  case unreachable(String)
  /// It has no service of ours, or not with the inbox and outbox that it should have. The
  /// connection was ended, unless other paths are up on it.
  case wrongLayout(String)
  /// The controller has as many connections as it can, or cannot do this beside what it does.
  case busy(String)
  /// Anything else, in the stack's words.
  case failed(String)
}

/// What keeps Bluetooth from working.
public struct BLETrouble: Hashable, Sendable {
  /// At most one trouble of each code is there at a time.
  public enum Code: Hashable, Sendable {
    /// Nobody drives the controllers: bluetoothd is not on the bus, the kernel has no Bluetooth.
    case noStack
    /// This program may not.
    case noPermission
    /// There is no controller, or not the one asked for.
    case noAdapter
    /// The controller is switched off or blocked.
    case adapterOff
    /// The controller cannot advertise, or cannot scan.
    case noRole
    /// Something else failed.
    case other
  }

  public let code: Code
  /// One line for people, lower case, without a full stop.
  public let text: String
  /// The command that helps, if there is one.
  public let hint: String?

  public init(_ code: Code, _ text: String, hint: String? = nil) {
    self.code = code
    self.text = text
    self.hint = hint
  }
}

/// Who is told what a radio brings about; all on the main actor.
@MainActor
public protocol BLERadioObserver: AnyObject {
  /// A controller can be used. It neither advertises nor scans so far.
  func adapterUp(_ adapter: AdapterID, _ description: BLEAdapter)
  /// A controller can be used no more: off, blocked, gone, or its daemon is.
  ///
  /// All its paths are over with it and need not be told one by one, nor need attempts to connect.
  func adapterDown(_ adapter: AdapterID, because reason: String)
  /// A device advertises our service; `rssi` in dBm, nil when unknown. Told as often as heard.
  func sighted(_ device: BLEDevice, rssi: Int?)
  /// A `connect` has failed.
  func connectEnded(_ device: BLEDevice, because failure: BLEConnectFailure)
  /// A path can be used now, asked for or not; at most one of each role for each device.
  func pathUp(_ path: PathID, _ description: BLEPath)
  /// The size that chunks may have is another now; what was sent before keeps its own.
  func pathChanged(_ path: PathID, chunkLimit: Int?)
  /// A path is over: told at once, and before a new one to the same device.
  func pathDown(_ path: PathID, because reason: String)
  /// A chunk has come in on a path; the bytes last for the call. The first may be what brought the
  /// path up, so it comes after `pathUp`.
  func received(_ chunk: RawSpan, on path: PathID)
  /// A path that was full takes chunks again.
  func pathWritable(_ path: PathID)
  /// Scanning has ended without being told to.
  func scanEnded(on adapter: AdapterID)
  /// Advertising has ended without being told to.
  func advertisingEnded(on adapter: AdapterID)
  /// Something stands in the way, until `troubleOver` or another with the same code.
  func trouble(_ trouble: BLETrouble)
  /// What stood in the way does not any more.
  func troubleOver(_ code: BLETrouble.Code)
}
