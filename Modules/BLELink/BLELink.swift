public import Link
public import Wire

/// What a Bluetooth link is to do; the defaults suit a node without options.
public struct BLEConfiguration {
  /// For jitter, so that two who meet do not do everything at once.
  public var seed: UInt64
  /// The addresses that alone are linked with, everybody when nil.
  ///
  /// For tests, where all virtual controllers hear each other and a chain is wanted.
  public var allowed: Set<BLEAddress>?
  /// Numbers for links, never the same twice in this run; shared with other transports.
  public var nextLinkID: @MainActor () -> LinkID

  public init(
    seed: UInt64, allowed: Set<BLEAddress>? = nil, nextLinkID: @escaping @MainActor () -> LinkID
  ) {
    self.seed = seed
    self.allowed = allowed
    self.nextLinkID = nextLinkID
  }

  /// Reads a list of addresses with commas or white space between them, as the environment variable
  /// `AIRLINK_BLE_PEERS` holds for tests; each counts as public and as random.
  ///
  /// - Returns: nil when there is something else in it.
  public static func addresses(in text: String) -> Set<BLEAddress>? {
    var addresses: Set<BLEAddress> = []
    for word in text.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
      guard let address = BLEAddress(word) else { return nil }
      addresses.insert(address)
      addresses.insert(BLEAddress(address.value, .random))
    }
    return addresses
  }
}

/// Links over Bluetooth LE: found by the service's UUID, whole packets cut into chunks that fit a
/// GATT write or notification (PROTOCOL, section 8).
///
/// `BLEPolicy` decides, a `BLERadio` carries out, this stands between them: time, reassembly, and
/// what those above are told.
@MainActor
public final class BLELink: LinkTransport {
  public let name = "ble"
  public weak var observer: (any LinkObserver)?

  let radio: any BLERadio
  let configuration: BLEConfiguration
  let clock: any LinkClock
  var policy: BLEPolicy
  private(set) var isRunning = false
  var inlets: [PathID: PathInlet] = [:]
  var isFlushDue = false
  private var isFlushing = false
  private var alarm: Instant?
  private var pending: [BLEEffect] = []
  private var isCarryingOut = false
  var troubles: [BLETrouble.Code: BLETrouble] = [:]
  /// Whether the user was told of a trouble and not of its end.
  var isTroubleTold = false

  public convenience init(_ configuration: BLEConfiguration, radio: any BLERadio) {
    self.init(configuration, radio: radio, limits: .standard, clock: EventLoopClock())
  }

  /// For tests: other bounds, another clock.
  init(
    _ configuration: BLEConfiguration, radio: any BLERadio, limits: BLELimits,
    clock: any LinkClock
  ) {
    self.configuration = configuration
    self.radio = radio
    self.clock = clock
    policy = BLEPolicy(limits: limits, allowed: configuration.allowed, seed: configuration.seed)
  }

  /// Begins to use whatever controllers there are and will be.
  public func start() {
    guard !isRunning else { return }
    isRunning = true
    radio.observer = self
    radio.start()
  }

  public func close(_ link: LinkID, because reason: LinkCloseReason) {
    tell { $0.close(link, because: reason, now: $1) }
  }

  public func systemResumed() {
    guard isRunning else { return }
    radio.systemResumed()
    tell { $0.resumed(now: $1) }
  }

  public func stop() {
    guard isRunning else { return }
    // What waits goes out as far as the radio takes it at once.
    flush()
    isRunning = false
    let now = clock.now
    for link in policy.linksInOrder { policy.remove(link.id, because: .stopping, now: now) }
    for effect in policy.takeEffects() {
      if case .down(let link, let reason) = effect {
        observer?.linkWentDown(link, because: reason)
      }
    }
    for inlet in inlets.values { inlet.isClosed = true }
    inlets = [:]
    clock.setAlarm(at: nil) {}
    alarm = nil
    radio.stop()
  }

  // MARK: The policy

  /// Tells the policy what happened, and does what it wants.
  func tell(_ event: (inout BLEPolicy, Instant) -> Void) {
    guard isRunning else { return }
    event(&policy, clock.now)
    pending += policy.takeEffects()
    // What an effect brings about is done after the effects that were there before it.
    guard !isCarryingOut else { return }
    isCarryingOut = true
    while !pending.isEmpty, isRunning {
      let effects = pending
      pending = []
      for effect in effects where isRunning { carryOut(effect) }
    }
    pending = []
    isCarryingOut = false
    flush()
    schedule()
  }

  private func carryOut(_ effect: BLEEffect) {
    switch effect {
    case .advertise(let adapter, let isOn): radio.setAdvertising(isOn, on: adapter)
    case .scan(let adapter, let isOn): radio.setScanning(isOn, on: adapter)
    case .connect(let device): radio.connect(to: device)
    case .disconnect(let device): radio.disconnect(from: device)
    case .forget(let device): radio.forget(device)
    case .announce(let link):
      guard let state = policy.links[link] else { return }
      let address = "\(state.device.address)"
      observer?.linkCameUp(
        link,
        LinkDescription(
          name: "\(name)-\(link.rawValue)", transport: name, remote: address, host: address))
    case .down(let link, let reason):
      for (path, inlet) in inlets where inlet.link == link {
        inlet.isClosed = true
        inlets[path] = nil
      }
      observer?.linkWentDown(link, because: reason)
    }
  }

  // MARK: Time

  private func wake() {
    alarm = nil
    let now = clock.now
    for path in inlets.keys.sorted() { expire(path, now: now) }
    tell { $0.wake(now: $1) }
  }

  /// Sets the alarm to the next moment at which something is due.
  func schedule() {
    guard isRunning, !isCarryingOut else { return }
    var deadline = policy.nextDeadline
    for inlet in inlets.values {
      if let due = inlet.deadline { deadline = min(deadline ?? .distantFuture, due) }
    }
    setAlarm(deadline)
  }

  /// Sees to it that the alarm is not later than this.
  func setAlarm(noLaterThan moment: Instant) {
    if alarm.map({ moment < $0 }) ?? true { setAlarm(moment) }
  }

  private func setAlarm(_ moment: Instant?) {
    guard moment != alarm else { return }
    alarm = moment
    clock.setAlarm(at: moment) { [weak self] in self?.wake() }
  }

  // MARK: Out

  @discardableResult
  public func send(_ packet: Packet, on link: LinkID) -> SendOutcome {
    guard isRunning else { return .noLink }
    let outcome = policy.offer(packet, on: link, now: clock.now)
    if outcome == .queued { flushSoon() }
    return outcome
  }

  private func flushSoon() {
    guard !isFlushDue else { return }
    isFlushDue = true
    clock.whenQuiet { [weak self] in
      guard let self else { return }
      self.isFlushDue = false
      self.flush()
      if let end = self.policy.endOfPauses { self.setAlarm(noLaterThan: end) }
    }
  }

  /// Sends what waits, as far as the radio takes it.
  func flush() {
    guard isRunning, !isFlushing else { return }
    isFlushing = true
    defer { isFlushing = false }
    let now = clock.now
    while let chunk = policy.nextChunk(now: now) {
      let bytes = chunk.packet.encoded.span.bytes.extracting(chunk.range)
      switch radio.send(bytes, on: chunk.path) {
      case .taken: policy.took(chunk, now: now)
      case .full: policy.full(chunk, now: now)
      case .gone: policy.gone(chunk, now: now)
      }
    }
  }
}
