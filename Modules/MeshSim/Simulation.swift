internal import Identity
public import Mesh
public import Wire

/// Thousands of devices in one process, each the very `Mesh` that ships, from one seed.
///
/// A value without I/O: it is stepped from event to event and says what came of it. Everything that
/// chance decides comes from the seed, each kind of chance with a stream of its own, so a fault that
/// is added moves no device. Every step is held against the rules; the first one broken ends the run.
public struct Simulation<Cryptography: MeshCryptography> {
  public let scenario: Scenario
  public let seed: UInt64
  let make: (_ device: Int, _ life: Int) -> Cryptography

  var time: Int64 = 0
  var queue = EventQueue()
  var packets = PacketPool()
  var devices: ContiguousArray<Device<Cryptography>> = []
  var links: ContiguousArray<Link> = []
  var freeLinks: [Int] = []
  /// Links that each device is setting up.
  var pending: [Int: [Pending]] = [:]
  var grid: Grid
  let timings: [Timing]
  var ledger = Ledger()
  /// Which device and packet have met, where that is counted.
  var meetings: RecentTable?
  /// The most hops with which a device had a packet, for the experiment with later copies.
  var mostHops = RecentTable(lifetime: 60_000_000_000)
  var plan: [PlannedText] = []
  /// Whom each device writes to.
  var friends: [[Int]]
  var deviceOf: [PublicKeys: Int] = [:]
  let search: BreadthSearch
  var attack = AttackState()
  var underWay = 0
  /// Everything is written and measured; what is still on its way may arrive.
  var isDraining = false

  var chance: Chance
  public internal(set) var measures = Measures()
  /// Equal for two runs that went the same way.
  public internal(set) var digest: UInt64 = 0x6169_726c_696e_6b00
  public internal(set) var violation: Violation?
  /// Told of each packet that arrives: from, to, its hop limit in its header, time, whether it is
  /// news to the device (where that is counted).
  public var onArrival: ((Arrival) -> Void)?

  /// A radio's numbers, times in nanoseconds.
  struct Timing {
    let byte: Int64
    let queue: Int64
    let latency: ClosedRange<Int64>
    let chunkSize: Int
    let chunkLossPPM: Int

    init(_ radio: Radio) {
      byte = radio.nanosecondsPerByte
      queue = Int64(radio.queueBytes) * byte
      chunkSize = radio.chunkSize
      chunkLossPPM = radio.chunkLossPPM
      latency =
        radio.latency.lowerBound.wholeNanoseconds...radio.latency.upperBound.wholeNanoseconds
    }
  }

  struct Pending {
    let other: Int
    let radio: Int
  }

  /// A text that will be written.
  struct PlannedText: Sendable {
    let time: Int64
    let sender: Int
  }

  /// Streams of chance, one for each kind of thing it decides.
  struct Chance {
    var places: SplitMix64
    var links: SplitMix64
    var air: SplitMix64
    var texts: SplitMix64
    var faults: SplitMix64
    var attacks: SplitMix64
    var motion: SplitMix64

    init(seed: UInt64) {
      func stream(_ number: UInt64) -> SplitMix64 { SplitMix64(seed: mixed(seed, number)) }
      places = stream(1)
      links = stream(2)
      air = stream(3)
      texts = stream(4)
      faults = stream(5)
      attacks = stream(6)
      motion = stream(7)
    }
  }

  /// Devices whose meshes have meetings counted: a table of them costs as much as all else.
  static var meetingsLimit: Int { 3_000 }
  /// The wall clock when the world begins.
  static var epoch: Timestamp { Timestamp(milliseconds: 1_700_000_000_000) }

  /// A world of this scenario; `make` gives each device its cryptography in each of its lives.
  public init(
    _ scenario: Scenario, seed: UInt64, make: @escaping (_ device: Int, _ life: Int) -> Cryptography
  ) {
    self.scenario = scenario
    self.seed = seed
    self.make = make
    chance = Chance(seed: seed)
    grid = Grid(scenario)
    timings = scenario.radios.map(Timing.init)
    friends = Array(repeating: [], count: scenario.devices)
    search = BreadthSearch(count: scenario.devices)
    if scenario.devices <= Self.meetingsLimit {
      meetings = RecentTable(lifetime: 30 * 60 * 1_000_000_000)
      measures.reached = 0
    }
    addDevices()
    linkEveryone()
    planTexts()
    planFaults()
    planAttacks()
    if scenario.isMoving { queue.push(Event(kind: .tick), at: tickLength) }
  }

  public var now: Instant { Instant(nanoseconds: time) }
  public var texts: [SentText] { ledger.texts }
  public var deviceCount: Int { devices.count }
  /// Where each device is, in metres.
  public var positions: [(x: Double, y: Double)] { devices.map { ($0.place.x, $0.place.y) } }
  /// The two ends of each link that is up.
  public var linkedDevices: [(Int, Int)] { links.filter(\.isUp).map(\.devices) }
  /// Whether nothing more happens.
  public var isOver: Bool { violation != nil || (isDraining && underWay == 0) }

  var tickLength: Int64 { max(1_000_000, scenario.tick.wholeNanoseconds) }
  private var end: Int64 { scenario.duration.wholeNanoseconds }
  /// How long what is under way may take to arrive once nobody writes any more.
  private var drainLimit: Int64 { 120_000_000_000 }

  /// Runs to its end, or to the first broken rule, or until so many events have happened.
  public mutating func run(until step: Int = .max) {
    while !isOver, measures.events < step { self.step() }
  }

  /// Lets the next event happen.
  public mutating func step() {
    guard let next = queue.nextTime, next <= end || isDraining else {
      if isDraining { underWay = 0 } else { drain() }
      return
    }
    guard let (time, event) = queue.pop() else { return }
    self.time = time
    measures.events += 1
    if isDraining, time > end + drainLimit {
      violate(0, "the flood does not die out: \(underWay) packets are under way")
    }
    switch event.kind {
    case .arrival: arrive(event)
    case .wake: wake(Int(event.device), time)
    case .linkUp: bringUp(Int(event.link), event.generation)
    case .tick: tick()
    case .text: writeText(Int(event.packet))
    case .radioOff, .radioOn: switchRadio(Int(event.device), isOn: event.kind == .radioOn)
    case .kill: kill(Int(event.device))
    case .start: start(Int(event.device))
    case .attack: attack(Int(event.device))
    }
  }

  /// The end: nothing waits any more, what is on the air comes to rest.
  private mutating func drain() {
    time = end
    isDraining = true
    for device in devices.indices where devices[device].isRunning {
      checkBounds(device)
      devices[device].mesh.stop(at: moment(device))
      carryOut(device)
    }
  }

  /// Both clocks of a device.
  func moment(_ device: Int) -> Moment {
    // In whole numbers: a Duration takes many times as long, and this is asked for at every event.
    let drift = time / 1_000_000 * devices[device].clockDriftPPM
    let passed = (time + drift) / 1_000_000 + devices[device].clockOffset
    let wall = Int64(Self.epoch.milliseconds) + passed
    return Moment(instant: now, wallClock: Timestamp(milliseconds: UInt64(max(0, wall))))
  }

  mutating func violate(_ device: Int, _ rule: String) {
    guard violation == nil else { return }
    violation = Violation(
      seed: seed, step: measures.events, time: now, device: device, rule: rule)
  }

  @inline(__always)
  mutating func note(_ word: UInt64) { digest = mixed(digest, word) }

  // MARK: Devices

  private mutating func addDevices() {
    let places = Layouts.places(scenario, &chance.places)
    devices.reserveCapacity(scenario.devices)
    let faults = scenario.faults
    let skew = faults.clockSkew.wholeMilliseconds
    for device in 0..<scenario.devices {
      let cryptography = make(device, 0)
      deviceOf[cryptography.publicKeys] = device
      var state = Device(
        mesh: makeMesh(device, cryptography, ContactBook(), []),
        role: scenario.role(of: device), place: places[device], target: places[device],
        linkCounts: Array(repeating: 0, count: scenario.radios.count))
      if skew > 0 {
        state.clockOffset = Int64.random(in: -skew...skew, using: &chance.faults)
      }
      if faults.clockDriftPPM > 0 {
        let drift = Int64(faults.clockDriftPPM)
        state.clockDriftPPM = Int64.random(in: -drift...drift, using: &chance.faults)
      }
      if Double.random(in: 0..<1, using: &chance.faults) < faults.wrongClockShare {
        let isAhead = Bool.random(using: &chance.faults)
        state.clockOffset = faults.wrongClockBy.wholeMilliseconds * (isAhead ? 1 : -1)
      }
      devices.append(state)
    }
  }

  func makeMesh(
    _ device: Int, _ cryptography: Cryptography, _ contacts: ContactBook,
    _ journal: [ReceivedRecord]
  ) -> Mesh<Cryptography> {
    Mesh(
      cryptography: cryptography, name: "device \(device)", contacts: contacts, received: journal,
      policy: scenario.policy, now: now)
  }
}
