internal import ATT
internal import BLELink
internal import CBluetooth
internal import EventLoop
internal import Glibc

/// One controller that nobody else drives: advertising, scanning, connections.
@MainActor
final class HCIController {
  /// A command not answered by then never will be.
  static let commandTimeout: Duration = .seconds(2)
  /// Things to do that wait; far more than the policy ever asks for at once.
  static let maximumQueue = 64
  /// Ticks, of a second each, that a connection may stay without a path.
  static let idleTicks = 20
  /// Events taken before others have their turn.
  static let eventsPerTurn = 32
  /// Connections that wait to be accepted.
  private static let backlog: CInt = 8

  /// What is done one after the other.
  private enum Work {
    /// A command, and what is done with its status; `nil`: no answer came.
    case command(HCICommand, @MainActor (UInt8?) -> Void)
    case step(@MainActor () -> Void)
  }

  let id: AdapterID
  let device: UInt16
  let description: BLEAdapter
  private weak var radio: HCIRadio?
  private let descriptor: CInt
  private let listener: CInt
  private var watches: [EventLoop.Watch] = []
  private var queue: [Work] = []
  private var awaited: HCICommand?
  private var timer: EventLoop.Timer?
  private var wantsAdvertising = false
  private var isScanning = false
  private(set) var connections: [BLEDevice: ATTConnection] = [:]
  var paths: [PathID: ATTConnection] = [:]
  private(set) var isClosed = false
  private let service = AirLinkAttributes.standard.service.longBytes

  /// Takes open descriptors: of HCI, and listening for ATT.
  init(
    _ id: AdapterID, device: UInt16, _ description: BLEAdapter, hci: CInt, listener: CInt,
    _ radio: HCIRadio
  ) {
    self.id = id
    self.device = device
    self.description = description
    descriptor = hci
    self.listener = listener
    self.radio = radio
  }

  func begin() -> Bool {
    guard Glibc.listen(listener, Self.backlog) == 0,
      let events = EventLoop.main.watch(
        descriptor, for: .read, { [weak self] _ in self?.readEvents() })
    else { return false }
    watches.append(events)
    guard
      let connections = EventLoop.main.watch(
        listener, for: .read, { [weak self] _ in self?.accept() })
    else { return false }
    watches.append(connections)
    return true
  }

  func tell(_ news: (any BLERadioObserver) -> Void) {
    if !isClosed { radio?.tell(news) }
  }

  func nextPath() -> PathID? { radio?.nextPath() }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    // As far as the controller takes it: nobody waits for answers any more.
    for command in [HCICommand.scan(false), .advertise(false)] { _ = write(command) }
    for connection in connections.values { connection.close() }
    connections = [:]
    paths = [:]
    queue = []
    if let timer { EventLoop.main.cancel(timer) }
    for watch in watches { EventLoop.main.unwatch(watch) }
    Glibc.close(descriptor)
    Glibc.close(listener)
  }

  // MARK: Commands

  func setAdvertising(_ isOn: Bool) {
    wantsAdvertising = isOn
    isOn ? advertise() : add(.advertise(false)) { _ in }
  }

  private func advertise() {
    // Parameters cannot be changed while it advertises.
    add(.advertise(false)) { _ in }
    add(.advertisingParameters) { _ in }
    add(.advertisingData(service: service)) { _ in }
    add(.advertise(true)) { [weak self] status in
      guard let self, status != 0, self.wantsAdvertising else { return }
      // With as many connections as it can have, it may refuse; so it is tried again.
      self.tell { $0.advertisingEnded(on: self.id) }
    }
  }

  func setScanning(_ isOn: Bool) {
    if isOn {
      add(.scan(false)) { _ in }
      add(.scanParameters) { _ in }
    }
    add(.scan(isOn)) { [weak self] status in
      guard let self else { return }
      self.isScanning = isOn && status == 0
      if isOn, status != 0 { self.tell { $0.scanEnded(on: self.id) } }
    }
  }

  private func add(_ command: HCICommand, _ then: @escaping @MainActor (UInt8?) -> Void) {
    guard queue.count < Self.maximumQueue else { return then(nil) }
    queue.append(.command(command, then))
    goOn()
  }

  private func goOn() {
    while !isClosed, awaited == nil, let next = queue.first {
      switch next {
      case .step(let step):
        queue.removeFirst()
        step()
      case .command(let command, _):
        guard write(command) else {
          answered(command.opcode, nil)
          continue
        }
        awaited = command
        timer = EventLoop.main.after(Self.commandTimeout) { [weak self] in
          self?.answered(command.opcode, nil)
        }
      }
    }
  }

  private func write(_ command: HCICommand) -> Bool {
    var parameters = command.parameters
    return hci_send_cmd(
      descriptor, HCICommand.group, command.number, UInt8(clamping: parameters.count),
      &parameters) == 0
  }

  private func answered(_ opcode: UInt16, _ status: UInt8?) {
    guard case .command(let command, let then) = queue.first, command.opcode == opcode else {
      return
    }
    if let timer { EventLoop.main.cancel(timer) }
    timer = nil
    awaited = nil
    queue.removeFirst()
    then(status)
    goOn()
  }

  private func readEvents() {
    for _ in 0..<Self.eventsPerTurn where !isClosed {
      var count = -1
      let packet = [UInt8](unsafeUninitializedCapacity: Int(HCI_MAX_EVENT_SIZE)) { buffer, used in
        count = read(descriptor, buffer.baseAddress, buffer.count)
        used = max(count, 0)
      }
      if count < 0, errno == EAGAIN || errno == EINTR { return }
      guard count > 0 else {
        radio?.lost(self, because: "the controller is gone")
        return
      }
      switch HCIEvent(packet, service: service) {
      case .answered(let opcode, let status):
        if awaited?.opcode == opcode { answered(opcode, status) }
      case .sighted(let sightings):
        for sighting in sightings where isScanning {
          tell { $0.sighted(BLEDevice(id, sighting.address), rssi: sighting.rssi) }
        }
      case .connected, .disconnected:
        // A controller stops advertising when somebody connects.
        if wantsAdvertising, awaited?.opcode != HCICommand.advertise(true).opcode { advertise() }
      case nil: break
      }
    }
  }

  // MARK: Connections

  func connect(to device: BLEDevice) {
    if let connection = connections[device] {
      // The other side was first; what is under way there is waited for.
      connection.isAsked = true
      return
    }
    queue.append(.step { [weak self] in self?.dial(device) })
    goOn()
  }

  private func dial(_ device: BLEDevice) {
    guard connections[device] == nil else {
      connections[device]?.isAsked = true
      return
    }
    let (descriptor, error) = ATTSocket.make(from: description.address.value)
    guard descriptor >= 0 else { return fail(device, .failed(ATTSocket.text(error))) }
    let result = airlink_att_connect(
      descriptor, device.address.value, device.address.kind == .random ? 1 : 0)
    guard result == 0 || errno == EINPROGRESS || errno == EAGAIN else {
      let error = errno
      Glibc.close(descriptor)
      let text = ATTSocket.text(error)
      return fail(device, error == EBUSY ? .busy(text) : .unreachable(text))
    }
    adopt(device, descriptor, isPending: true, isAsked: true)
  }

  private func fail(_ device: BLEDevice, _ failure: BLEConnectFailure) {
    EventLoop.main.nextTurn { [weak self] in
      self?.tell { $0.connectEnded(device, because: failure) }
    }
  }

  private func accept() {
    var address: UInt64 = 0
    var isRandom: CInt = 0
    let descriptor = airlink_att_accept(listener, &address, &isRandom)
    guard descriptor >= 0 else {
      if errno != EAGAIN, errno != EINTR, errno != ECONNABORTED, errno != EMFILE, errno != ENFILE {
        radio?.lost(self, because: ATTSocket.text(errno))
      }
      return
    }
    let device = BLEDevice(id, BLEAddress(address, isRandom != 0 ? .random : .public))
    let isAsked = connections[device]?.isAsked ?? false
    if let old = connections[device] {
      // One connection for two addresses: this is it, whatever was there before.
      old.isAsked = false
      old.end("connected anew")
    }
    adopt(device, descriptor, isPending: false, isAsked: isAsked)
  }

  private func adopt(_ device: BLEDevice, _ descriptor: CInt, isPending: Bool, isAsked: Bool) {
    let connection = ATTConnection(
      device, descriptor, isPending: isPending, isAsked: isAsked, self)
    connections[device] = connection
    guard connection.begin() else {
      connection.close()
      connections[device] = nil
      if isAsked { fail(device, .failed("no memory is left to watch it")) }
      return
    }
  }

  func disconnect(from device: BLEDevice) {
    queue.removeAll { if case .step = $0 { true } else { false } }
    guard let connection = connections[device] else { return }
    connection.isAsked = false
    EventLoop.main.nextTurn { connection.end("closed by this program") }
  }

  /// A connection has ended.
  func forget(_ connection: ATTConnection) {
    if connections[connection.device] === connection { connections[connection.device] = nil }
  }

  func tick() { for connection in Array(connections.values) { connection.tick() } }
}
