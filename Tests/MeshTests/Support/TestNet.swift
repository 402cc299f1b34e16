import Identity
import Mesh
import Outbox
import Wire

/// Several meshes joined by virtual links, under one clock and from one seed.
///
/// Effects are carried out in order, packets arrive after their line's delay, and every mesh is
/// woken when it asked for it.
final class TestNet<Cryptography: MeshCryptography> {
  /// What a line does to packets in one direction.
  struct Conditions {
    /// From 0, none is lost, to 1, all are.
    var loss = 0.0
    var delay: ClosedRange<Duration> = .milliseconds(1)...(.milliseconds(1))
    /// How often a packet arrives twice.
    var duplication = 0.0

    static var perfect: Conditions { Conditions() }
    static var dead: Conditions { Conditions(loss: 1) }
  }

  struct Line {
    let devices: [Int]
    let hosts: [String]
    /// From the first device to the second, and back.
    var conditions: [Conditions]
    /// Its links at both ends while it is up.
    var links: [LinkID] = []
  }

  struct Device {
    let name: String
    /// The person's cryptography in their first life, their second, and so on.
    let cryptography: (Int) -> Cryptography
    var mesh: Mesh<Cryptography>
    var lives = 1
    /// How far its wall clock is ahead of the true time.
    var clockOffset = Duration.zero
    var contacts = ContactBook()
    var journal: [ReceivedRecord] = []
    /// Every effect with its time.
    var log: [(time: Instant, effect: MeshEffect)] = []
    var isOff = false

    var effects: [MeshEffect] { log.map(\.effect) }
  }

  private struct Arrival {
    let time: Instant
    let order: Int
    let device: Int
    let link: LinkID
    let packet: Packet
  }

  private(set) var now = Instant.zero + .seconds(1_000)
  private let epoch = Timestamp(milliseconds: 1_700_000_000_000)
  private(set) var devices: [Device] = []
  private(set) var lines: [Line] = []
  var random: SplitMix64
  /// Told of every packet that a mesh takes in: device, link, and the effects that came of it.
  var onReceive: ((Int, LinkID, Packet, [MeshEffect]) -> Void)?
  /// Told of every effect, before it is carried out.
  var onEffect: ((Int, MeshEffect) -> Void)?
  /// Wakes after which a mesh wanted to be woken at once again.
  private(set) var idleWakes = 0

  private var arrivals: [Arrival] = []
  private var ends: [LinkID: (line: Int, end: Int)] = [:]
  private var nextLink: UInt32 = 1
  private var nextOrder = 0

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  subscript(device: Int) -> Device {
    get { devices[device] }
    _modify { yield &devices[device] }
  }

  func moment(_ device: Int) -> Moment {
    let passed = now - Instant.zero
    return Moment(
      instant: now,
      wallClock: epoch.advanced(by: passed).advanced(by: devices[device].clockOffset))
  }

  // MARK: Building

  func add(_ name: String, _ cryptography: @escaping (Int) -> Cryptography) -> Int {
    let mesh = Mesh(cryptography: cryptography(0), name: name, now: now)
    devices.append(Device(name: name, cryptography: cryptography, mesh: mesh))
    return devices.count - 1
  }

  /// Joins two devices; links of lines with equal hosts end at one host.
  @discardableResult
  func join(
    _ a: Int, _ b: Int, _ conditions: Conditions = .perfect, hosts: [String]? = nil
  ) -> Int {
    let line = lines.count
    lines.append(
      Line(
        devices: [a, b],
        hosts: hosts ?? ["host of \(a), line \(line)", "host of \(b), line \(line)"],
        conditions: [conditions, conditions]))
    connect(line)
    return line
  }

  func connect(_ line: Int) {
    guard lines[line].links.isEmpty, lines[line].devices.allSatisfy({ !devices[$0].isOff }) else {
      return
    }
    let links = [LinkID(nextLink), LinkID(nextLink + 1)]
    nextLink += 2
    lines[line].links = links
    for end in 0...1 { ends[links[end]] = (line, end) }
    for end in 0...1 {
      let device = lines[line].devices[end]
      devices[device].mesh.linkUp(
        links[end], endpoint: lines[line].hosts[1 - end], at: moment(device))
      carryOut(device)
    }
  }

  func cut(_ line: Int) {
    let links = lines[line].links
    guard !links.isEmpty else { return }
    lines[line].links = []
    for end in 0...1 {
      ends[links[end]] = nil
      let device = lines[line].devices[end]
      devices[device].mesh.linkDown(links[end], at: moment(device))
      carryOut(device)
    }
  }

  func set(_ line: Int, _ conditions: Conditions, from device: Int? = nil) {
    for end in 0...1 where device == nil || lines[line].devices[end] == device {
      lines[line].conditions[end] = conditions
    }
  }

  // MARK: Using

  @discardableResult
  func send(_ text: String, from device: Int, to other: Int) throws(MeshRefusal) -> MessageID {
    let recipient = devices[other].mesh.ownFingerprint
    let id = try devices[device].mesh.send(
      text, to: recipient.number, fingerprint: recipient, at: moment(device))
    carryOut(device)
    return id
  }

  func perform(_ device: Int, _ body: (inout Mesh<Cryptography>, Moment) -> Void) {
    body(&devices[device].mesh, moment(device))
    carryOut(device)
  }

  func attempt(
    _ device: Int, _ body: (inout Mesh<Cryptography>, Moment) throws -> Void
  ) throws {
    defer { carryOut(device) }
    try body(&devices[device].mesh, moment(device))
  }

  /// Ends a device as a kill does: its lines go down, its memory is lost, its disk stays.
  func stop(_ device: Int) {
    for line in lines.indices where lines[line].devices.contains(device) { cut(line) }
    devices[device].isOff = true
  }

  /// Starts it again with what its disk holds; its lines are for the test to connect.
  func start(_ device: Int) {
    devices[device].mesh = Mesh(
      cryptography: devices[device].cryptography(devices[device].lives),
      name: devices[device].name, contacts: devices[device].contacts,
      received: devices[device].journal, now: now)
    devices[device].lives += 1
    devices[device].isOff = false
  }

  /// Puts a packet onto a device's link as if its neighbour had sent it.
  func inject(_ packet: Packet, into device: Int, on link: LinkID) {
    guard ends[link] != nil, !devices[device].isOff else { return }
    deliver(packet, to: device, on: link)
  }

  /// The links of a device that are up.
  func links(of device: Int) -> [LinkID] {
    lines.flatMap { line in
      line.links.isEmpty ? [] : (0...1).filter { line.devices[$0] == device }.map { line.links[$0] }
    }
  }

  /// Lets time go on; whatever falls due meanwhile happens.
  func run(for duration: Duration) {
    let end = now + duration
    while let next = nextEvent(), next <= end { step(to: next) }
    now = end
  }

  // MARK: Details

  private func nextEvent() -> Instant? {
    var next = arrivals.last?.time
    for device in devices where !device.isOff {
      if let deadline = device.mesh.deadline { next = min(next ?? deadline, deadline) }
    }
    return next
  }

  private func step(to time: Instant) {
    now = max(now, time)
    for device in devices.indices where !devices[device].isOff {
      guard let deadline = devices[device].mesh.deadline, deadline <= now else { continue }
      devices[device].mesh.wake(at: moment(device))
      if let again = devices[device].mesh.deadline, again <= now {
        idleWakes += 1
        precondition(idleWakes < 1_000, "a mesh that wants to be woken without end")
      }
      carryOut(device)
    }
    while let arrival = arrivals.last, arrival.time <= now {
      arrivals.removeLast()
      guard ends[arrival.link] != nil, !devices[arrival.device].isOff else { continue }
      deliver(arrival.packet, to: arrival.device, on: arrival.link)
    }
  }

  private func deliver(_ packet: Packet, to device: Int, on link: LinkID) {
    devices[device].mesh.receive(packet.view, from: link, at: moment(device))
    while devices[device].mesh.hasWork { devices[device].mesh.work(at: moment(device)) }
    carryOut(device) { self.onReceive?(device, link, packet, $0) }
  }

  private func carryOut(_ device: Int, _ watch: ([MeshEffect]) -> Void = { _ in }) {
    var isFirst = true
    while true {
      let effects = devices[device].mesh.takeEffects()
      if isFirst { watch(effects) }
      isFirst = false
      if effects.isEmpty { return }
      for effect in effects {
        onEffect?(device, effect)
        devices[device].log.append((now, effect))
        carryOut(effect, of: device)
      }
    }
  }

  private func carryOut(_ effect: MeshEffect, of device: Int) {
    switch effect {
    case .send(let packet, let links):
      for link in links { transmit(packet, on: link) }
    case .close(let link, _):
      if let end = ends[link] { cut(end.line) }
    case .remember(let record): devices[device].journal.append(record)
    case .contacts(let change): try? devices[device].contacts.apply(change)
    case .show, .state, .person, .claimed, .warning, .call, .play, .offerDirectRoad,
      .joinDirectRoad, .leaveDirectRoad, .sendDirectly:
      break
    }
  }

  private func transmit(_ packet: Packet, on link: LinkID) {
    guard let (line, end) = ends[link] else { return }
    let conditions = lines[line].conditions[end]
    let copies = Double.random(in: 0..<1, using: &random) < conditions.duplication ? 2 : 1
    for _ in 0..<copies where Double.random(in: 0..<1, using: &random) >= conditions.loss {
      let range = conditions.delay
      let nanoseconds = Int64.random(
        in: range.lowerBound.wholeNanoseconds...range.upperBound.wholeNanoseconds, using: &random)
      let arrival = Arrival(
        time: now + .nanoseconds(nanoseconds), order: nextOrder,
        device: lines[line].devices[1 - end], link: lines[line].links[1 - end], packet: packet)
      nextOrder += 1
      // Latest first, so that the next one is the last.
      let place = arrivals.firstIndex {
        ($0.time, $0.order) < (arrival.time, arrival.order)
      }
      arrivals.insert(arrival, at: place ?? arrivals.count)
    }
  }
}

extension TestNet<ModelCryptography> {
  /// Adds the model's person of this number.
  func add(person: UInt64) -> Int {
    add("person \(person)") { ModelCryptography(person, seed: UInt64($0) + 1) }
  }
}
