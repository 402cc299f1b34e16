public import BLELink
internal import CBluetooth
internal import EventLoop
internal import Glibc

/// Bluetooth LE without bluetoothd: HCI for advertising and scanning, ATT on L2CAP's fixed channel
/// for the data.
///
/// For controllers that nobody else drives: it takes over what bluetoothd had set, and of two who
/// listen on one controller the later gets the connections. Advertising and scanning need the
/// capability `CAP_NET_RAW`, switching a controller on `CAP_NET_ADMIN`.
@MainActor
public final class HCIRadio: BLERadio {
  public let name = "hci"
  public weak var observer: (any BLERadioObserver)?

  /// How often controllers are looked for.
  static let tick: Duration = .seconds(1)
  /// Controllers looked at.
  static let maximumControllers = 16
  /// Ticks until a controller that would not be switched on is asked again.
  static let ticksBetweenTries = 5

  private let only: String?
  private var control: CInt = -1
  private(set) var controllers: [AdapterID: HCIController] = [:]
  private var lastAdapter: UInt32 = 0
  private var lastPath: UInt64 = 0
  private var isRunning = false
  private var timer: EventLoop.Timer?
  private var told: Set<BLETrouble.Code> = []
  /// Controllers being switched on, and how long others are left alone.
  private var switchingOn: Set<UInt16> = []
  private var pauses: [UInt16: Int] = [:]

  /// Uses all controllers, or only the one of that name: `hci0`.
  public init(only: String? = nil) { self.only = only }

  func tell(_ news: (any BLERadioObserver) -> Void) {
    if isRunning, let observer { news(observer) }
  }

  func nextPath() -> PathID {
    lastPath += 1
    return PathID(lastPath)
  }

  public func start() {
    guard !isRunning else { return }
    isRunning = true
    EventLoop.main.nextTurn { [weak self] in self?.look() }
  }

  public func stop() {
    isRunning = false
    if let timer { EventLoop.main.cancel(timer) }
    for controller in controllers.values { controller.close() }
    controllers = [:]
    if control >= 0 { close(control) }
    control = -1
    told = []
  }

  // MARK: Commands

  public func setAdvertising(_ isOn: Bool, on adapter: AdapterID) {
    controllers[adapter]?.setAdvertising(isOn)
  }

  public func setScanning(_ isOn: Bool, on adapter: AdapterID) {
    controllers[adapter]?.setScanning(isOn)
  }

  public func connect(to device: BLEDevice) { controllers[device.adapter]?.connect(to: device) }

  public func disconnect(from device: BLEDevice) {
    controllers[device.adapter]?.disconnect(from: device)
  }

  /// Nothing is remembered of anybody's services.
  public func forget(_ device: BLEDevice) {}

  public func send(_ chunk: RawSpan, on path: PathID) -> ChunkOutcome {
    for controller in controllers.values {
      guard let connection = controller.paths[path] else { continue }
      return connection.send(chunk.withUnsafeBytes { Array($0) }, on: path)
    }
    return .gone
  }

  public func systemResumed() { pauses = [:] }

  public var statistics: [(name: String, value: Int)] {
    [("connections", controllers.values.reduce(0) { $0 + $1.connections.count })]
  }

  // MARK: Controllers

  private func look() {
    guard isRunning else { return }
    timer = EventLoop.main.after(Self.tick) { [weak self] in self?.look() }
    for controller in Array(controllers.values) { controller.tick() }
    if control < 0 { control = airlink_hci_socket() }
    guard control >= 0 else { return cannot(errno) }
    over(.noStack)
    var ids = [UInt16](repeating: 0, count: Self.maximumControllers)
    let count = airlink_hci_devices(control, &ids, CInt(ids.count))
    guard count >= 0 else { return cannot(errno) }
    let found = ids.prefix(Int(count)).filter { only == nil || only == "hci\($0)" }
    for controller in Array(controllers.values) where !found.contains(controller.device) {
      lost(controller, because: "the controller is gone")
    }
    pauses = pauses.filter { found.contains($0.key) }
    guard !found.isEmpty else {
      return say(
        .noAdapter,
        only.map { "there is no Bluetooth controller \($0)" } ?? "there is no Bluetooth controller")
    }
    over(.noAdapter)
    for id in found { lookAt(id) }
  }

  private func lookAt(_ id: UInt16) {
    var info = hci_dev_info()
    guard airlink_hci_information(control, id, &info) == 0 else { return }
    let running = controllers.values.first { $0.device == id }
    guard airlink_hci_is_up(&info) != 0 else {
      if let running { lost(running, because: "switched off") }
      return switchOn(id)
    }
    guard running == nil, !isPaused(id) else { return }
    let address = airlink_from_bdaddr(&info.bdaddr)
    guard airlink_hci_has_le(&info) != 0, address != 0 else {
      pauses[id] = Self.ticksBetweenTries
      return say(.noRole, "hci\(id) has no Bluetooth LE, or no address of its own")
    }
    open(id, address)
  }

  private func isPaused(_ id: UInt16) -> Bool {
    guard let left = pauses[id] else { return false }
    pauses[id] = left > 1 ? left - 1 : nil
    return true
  }

  private func open(_ id: UInt16, _ address: UInt64) {
    let hci = hci_open_dev(CInt(id))
    guard hci >= 0 else { return refused(id, errno) }
    _ = fcntl(hci, F_SETFL, fcntl(hci, F_GETFL) | O_NONBLOCK)
    // Asks what it takes to be allowed, and ends what a run before this may have left.
    let off = HCICommand.scan(false)
    var parameters = off.parameters
    guard airlink_hci_listen(hci) == 0,
      hci_send_cmd(
        hci, HCICommand.group, off.number, UInt8(clamping: parameters.count), &parameters)
        == 0
    else {
      let error = errno
      close(hci)
      return refused(id, error)
    }
    let (listener, error) = ATTSocket.make(from: address)
    guard listener >= 0 else {
      close(hci)
      return refused(id, error)
    }
    lastAdapter += 1
    let description = BLEAdapter(name: "hci\(id)", address: BLEAddress(address))
    let controller = HCIController(
      AdapterID(lastAdapter), device: id, description, hci: hci, listener: listener, self)
    guard controller.begin() else {
      controller.close()
      return refused(id, ENOMEM)
    }
    controllers[controller.id] = controller
    for code in [BLETrouble.Code.noPermission, .adapterOff, .noRole, .other] { over(code) }
    tell { $0.adapterUp(controller.id, description) }
  }

  /// A controller can be used no more.
  func lost(_ controller: HCIController, because reason: String) {
    guard controllers.removeValue(forKey: controller.id) != nil else { return }
    controller.close()
    tell { $0.adapterDown(controller.id, because: reason) }
  }

  /// Has the kernel switch a controller on, on a thread of its own: it may take seconds.
  private func switchOn(_ id: UInt16) {
    guard !isPaused(id), switchingOn.insert(id).inserted else { return }
    let postbox = EventLoop.main.postbox
    let isStarted = BackgroundThread.start { [weak self] in
      let descriptor = airlink_hci_socket()
      var error: CInt = 0
      if descriptor < 0 || airlink_hci_bring_up(descriptor, id) < 0 { error = errno }
      if descriptor >= 0 { close(descriptor) }
      let outcome = error
      postbox.post { self?.switchedOn(id, outcome) }
    }
    if !isStarted { switchingOn.remove(id) }
  }

  private func switchedOn(_ id: UInt16, _ error: CInt) {
    switchingOn.remove(id)
    guard isRunning, error != 0, error != EALREADY else { return }
    refused(id, error)
  }

  // MARK: Trouble

  private func refused(_ id: UInt16, _ error: CInt) {
    pauses[id] = Self.ticksBetweenTries
    switch error {
    case EPERM, EACCES:
      say(
        .noPermission, "this program may not drive the Bluetooth controller hci\(id) directly",
        hint: "sudo setcap cap_net_raw,cap_net_admin+ep \(Self.program)")
    case ERFKILL:
      say(
        .adapterOff, "the Bluetooth controller hci\(id) is blocked",
        hint: "rfkill unblock bluetooth")
    case ENODEV: break
    default:
      say(.other, "the Bluetooth controller hci\(id) does not start: \(ATTSocket.text(error))")
    }
  }

  private func cannot(_ error: CInt) {
    for controller in Array(controllers.values) {
      lost(controller, because: "no Bluetooth any more")
    }
    if error == EAFNOSUPPORT {
      say(
        .noStack, "this kernel has no Bluetooth",
        hint: "sudo modprobe bluetooth")
    } else {
      say(.other, "Bluetooth cannot be used: \(ATTSocket.text(error))")
    }
  }

  private func say(_ code: BLETrouble.Code, _ text: String, hint: String? = nil) {
    guard told.insert(code).inserted else { return }
    tell { $0.trouble(BLETrouble(code, text, hint: hint)) }
  }

  private func over(_ code: BLETrouble.Code) {
    if told.remove(code) != nil { tell { $0.troubleOver(code) } }
  }

  /// This program's own file.
  private static var program: String {
    let path = [CChar](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, used in
      guard let start = buffer.baseAddress else { return }
      used = max(readlink("/proc/self/exe", start, buffer.count), 0)
    }
    let text = String(decoding: path.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return text.isEmpty ? "airlink-node" : text
  }
}
