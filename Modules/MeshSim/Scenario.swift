public import Mesh

/// A world and what happens in it, but for what the seed decides.
public struct Scenario: Sendable {
  /// Where devices stand at the start.
  public enum Layout: String, CaseIterable, Sendable {
    /// Anywhere in the area.
    case random
    /// In rows and columns, `spacing` apart.
    case grid
    /// One behind the other, `spacing` apart.
    case line
    /// Half of them around one end of the area's diagonal, half around the other, within `spacing`;
    /// the last ones walk between the two.
    case villages
  }

  /// How they move.
  public enum Mobility: String, CaseIterable, Sendable {
    case still
    /// To a random place, a rest, to another (random waypoint).
    case waypoint
    /// A crowd from the left half of the area through a gate in its middle into the right half.
    case gate
    /// All on in one direction, one behind the other, each at a pace that changes a little.
    case walkers
    /// Within their village; the couriers between the villages.
    case villages
  }

  /// To whom texts go.
  public enum Addressees: String, CaseIterable, Sendable {
    case anyone
    /// Those whom the hop limit reaches at the start.
    case near
    /// From the first device to the last and back.
    case ends
    /// Between villagers and couriers.
    case couriers
  }

  public var name = "unnamed"
  public var about = ""
  public var devices = 10
  /// Metres.
  public var area = (width: 100.0, height: 100.0)
  public var layout = Layout.random
  /// Metres.
  public var spacing = 20.0
  public var mobility = Mobility.still
  /// Metres a second.
  public var speed = 0.5...1.5
  /// Seconds.
  public var pause = 0.0...60.0
  public var couriers = 1
  /// How often everyone moves on and looks for neighbours, where that changes.
  public var tick = Duration.seconds(1)
  public var radios = [Radio.bluetooth]
  public var duration = Duration.seconds(600)

  public var textsEach = 2
  /// When texts are written.
  public var textTimes = Duration.seconds(30)...(.seconds(300))
  /// Bytes of UTF-8.
  public var textSizes = 10...80
  public var addressees = Addressees.near
  /// People each may write to.
  public var contacts = 4

  public var faults = Faults()
  public var attackers = Attackers()
  public var policy = MeshPolicy.standard
  /// As an experiment, never shipped: a later copy with more hops left is relayed again.
  public var relaysLaterCopies = false
  /// For comparison, never shipped: packets are relayed with the most hops that there are.
  public var isPlainFlooding = false
  public var expectations = Expectations()

  public init() {}

  /// What goes wrong.
  public struct Faults: Sendable {
    /// The part of devices whose radios go off now and then.
    public var radioOffShare = 0.0
    public var radioOffEvery = Duration.seconds(300)
    public var radioOffFor = Duration.seconds(60)
    /// The part of devices that are killed now and then, and start again with what their disk holds.
    public var restartShare = 0.0
    public var restartEvery = Duration.seconds(300)
    public var restartAfter = Duration.seconds(10)
    /// Clocks are off by as much at the most, either way.
    public var clockSkew = Duration.zero
    /// Parts in a million that clocks run fast or slow at the most.
    public var clockDriftPPM = 0
    /// The part of devices whose clock is plainly wrong, and by how much.
    public var wrongClockShare = 0.0
    public var wrongClockBy = Duration.seconds(24 * 3_600)
  }

  /// How many devices are hostile, in each way; taken from the end of the devices.
  public struct Attackers: Sendable {
    /// Send junk as fast as `rate` says.
    public var flooders = 0
    /// Send again what they heard, hops made many again.
    public var replayers = 0
    /// Make up hellos, messages and receipts in other people's names.
    public var forgers = 0
    /// Take part and relay nothing.
    public var blackHoles = 0
    /// Change what they relay: id, time, recipient, a byte.
    public var relabellers = 0
    /// Packets a second of each flooder, replayer and forger.
    public var rate = 20

    public var count: Int { flooders + replayers + forgers + blackHoles + relabellers }
  }

  /// What has to come of it, on every seed.
  public struct Expectations: Sendable {
    /// The least part delivered of the messages whose recipient was within the hop limit when they
    /// were written, both ends being honest, running and on time.
    public var reachableDelivered = 0.0
    /// The least part of all texts delivered.
    public var delivered = 0.0
    /// The most sealed packets sent for each device that one reached.
    public var transmissionsPerReached = Double.infinity
  }

  var isMoving: Bool {
    mobility != .still || faults.radioOffShare > 0 || faults.restartShare > 0
  }

  var hasRestarts: Bool { faults.restartShare > 0 }
}

/// A kind of radio, as the mesh meets it: links that take whole packets.
public struct Radio: Hashable, Sendable {
  public var name: String
  /// Metres within which two devices link up; they lose each other a tenth further out.
  public var range: Double
  /// Links that a device has at the most.
  public var maximumLinks: Int
  public var bytesPerSecond: Int
  /// From the last byte sent to the packet taken in.
  public var latency: ClosedRange<Duration>
  /// Bytes of a chunk; 0: a stream that loses nothing.
  public var chunkSize: Int
  /// Chunks lost of a million.
  ///
  /// A packet without all of its chunks is lost whole.
  public var chunkLossPPM: Int
  /// Bytes waiting past which a packet is shed whole.
  public var queueBytes: Int
  /// From being in range to being linked up.
  public var setUp: ClosedRange<Duration>

  /// Sixty-four chunks of 180 bytes wait (PROTOCOL, section 8).
  public static let bluetooth = Radio(
    name: "ble", range: 30, maximumLinks: 7, bytesPerSecond: 20_000,
    latency: .milliseconds(8)...(.milliseconds(40)), chunkSize: 180, chunkLossPPM: 0,
    queueBytes: 64 * 180, setUp: .milliseconds(200)...(.seconds(2)))

  public static let wiFi = Radio(
    name: "wifi", range: 50, maximumLinks: 24, bytesPerSecond: 1_000_000,
    latency: .milliseconds(1)...(.milliseconds(6)), chunkSize: 0, chunkLossPPM: 0,
    queueBytes: 256 * 1_024, setUp: .milliseconds(50)...(.milliseconds(500)))

  var nanosecondsPerByte: Int64 { 1_000_000_000 / Int64(max(1, bytesPerSecond)) }
}
