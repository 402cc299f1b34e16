internal import ATT
internal import BLELink
internal import EventLoop
internal import Glibc

/// A connection to one device: its socket, ATT's state, and what it is to those above.
@MainActor
final class ATTConnection {
  /// Answers that wait for room in the kernel, before the peer is taken for hostile.
  static let maximumAnswers = 32
  /// Messages taken before others have their turn.
  static let messagesPerTurn = 32

  let device: BLEDevice
  private let descriptor: CInt
  private weak var controller: HCIController?
  private var watch: EventLoop.Watch?
  private var bearer = ATTBearer()
  private(set) var client: PathID?
  private(set) var server: PathID?
  /// Whether it is still being made.
  private(set) var isPending: Bool
  /// Whether the policy waits for the `client` path.
  var isAsked: Bool
  private(set) var isClosed = false
  private var answers: [[UInt8]] = []
  /// Paths that were told to be full.
  private var full: Set<PathID> = []
  private var isWaitingForRoom = false
  /// Ticks of the controller's clock without any path.
  private var idleTicks = 0

  init(
    _ device: BLEDevice, _ descriptor: CInt, isPending: Bool, isAsked: Bool,
    _ controller: HCIController
  ) {
    self.device = device
    self.descriptor = descriptor
    self.isPending = isPending
    self.isAsked = isAsked
    self.controller = controller
  }

  /// - Returns: whether the system could watch it.
  func begin() -> Bool {
    watch = EventLoop.main.watch(descriptor, for: isPending ? .write : .read) { [weak self] in
      self?.serve($0)
    }
    guard watch != nil else { return false }
    if !isPending { open() }
    return true
  }

  private func open() {
    isPending = false
    ATTSocket.limitBuffer(of: descriptor)
    watchAgain()
    // In a later turn: this may be within a command.
    EventLoop.main.nextTurn { [weak self] in
      guard let self, !self.isClosed else { return }
      self.take(self.bearer.start())
    }
  }

  private func watchAgain() {
    if let watch { EventLoop.main.change(watch, to: isWaitingForRoom ? .readAndWrite : .read) }
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    if let watch { EventLoop.main.unwatch(watch) }
    Glibc.close(descriptor)
  }

  // MARK: In

  private func serve(_ readiness: EventLoop.Readiness) {
    if isPending {
      let error = ATTSocket.connectError(descriptor)
      guard error == 0 else { return end(ATTSocket.text(error)) }
      return open()
    }
    if readiness.isWritable, isWaitingForRoom { flush() }
    guard readiness.isReadable else { return }
    for _ in 0..<Self.messagesPerTurn where !isClosed {
      let (message, error) = ATTSocket.receive(descriptor)
      if error != 0 { return end(ATTSocket.text(error)) }
      guard let message else { return }
      take(bearer.receive(message))
    }
  }

  private func take(_ outputs: [ATTBearer.Output]) {
    for output in outputs where !isClosed {
      switch output {
      case .send(let message): answer(message)
      case .inbox(let chunk):
        // What is written to us shows who is there, if nothing has before.
        if server == nil { bringUp(.server) }
        tell(chunk, on: server)
      case .outbox(let chunk): tell(chunk, on: client)
      case .subscribed(true):
        if let server { writable(server) } else { bringUp(.server) }
      case .subscribed(false): takeDown(.server, because: "it takes notifications no more")
      case .chunkLimit(let limit):
        for path in [client, server].compactMap({ $0 }) {
          controller?.tell { $0.pathChanged(path, chunkLimit: limit) }
        }
      case .clientReady:
        isAsked = false
        bringUp(.client)
      case .clientFailed(let reason):
        if isAsked {
          isAsked = false
          controller?.tell { $0.connectEnded(self.device, because: .wrongLayout(reason)) }
          if server == nil { end(reason) }
        }
      case .violation(let reason): end(reason)
      }
    }
  }

  private func tell(_ chunk: [UInt8], on path: PathID?) {
    guard let path else { return }
    controller?.tell { $0.received(chunk.span.bytes, on: path) }
  }

  // MARK: Paths

  private func bringUp(_ role: BLEPath.Role) {
    guard let path = controller?.nextPath() else { return }
    switch role {
    case .client: client = path
    case .server: server = path
    }
    controller?.paths[path] = self
    let description = BLEPath(
      device: device, role: role, chunkLimit: bearer.chunkLimit,
      outlet: OutletID(path.rawValue), mayReorder: false)
    controller?.tell { $0.pathUp(path, description) }
  }

  private func takeDown(_ role: BLEPath.Role, because reason: String) {
    guard let path = role == .client ? client : server else { return }
    if role == .client { client = nil } else { server = nil }
    controller?.paths[path] = nil
    full.remove(path)
    controller?.tell { $0.pathDown(path, because: reason) }
  }

  /// Ends it from within, and tells.
  func end(_ reason: String) {
    guard !isClosed else { return }
    close()
    takeDown(.client, because: reason)
    takeDown(.server, because: reason)
    if isAsked {
      isAsked = false
      controller?.tell { $0.connectEnded(self.device, because: .unreachable(reason)) }
    }
    controller?.forget(self)
  }

  /// Once in a while: whoever is connected and brings up nothing is let go.
  func tick() {
    guard !isClosed, client == nil, server == nil, !isAsked else {
      idleTicks = 0
      return
    }
    idleTicks += 1
    if idleTicks > HCIController.idleTicks { end("connected for nothing") }
  }

  // MARK: Out

  func send(_ chunk: [UInt8], on path: PathID) -> ChunkOutcome {
    guard !isClosed, path == client || path == server else { return .gone }
    guard let message = path == client ? bearer.write(chunk) : bearer.notification(chunk) else {
      // It has written to us and not subscribed yet.
      full.insert(path)
      return .full
    }
    if !answers.isEmpty { return wait(path) }
    switch ATTSocket.send(message, to: descriptor) {
    case .done: return .taken
    case .full: return wait(path)
    case .failed(let error):
      EventLoop.main.nextTurn { [weak self] in self?.end(ATTSocket.text(error)) }
      return .gone
    }
  }

  private func wait(_ path: PathID) -> ChunkOutcome {
    full.insert(path)
    waitForRoom(true)
    return .full
  }

  private func waitForRoom(_ isWaiting: Bool) {
    guard isWaiting != isWaitingForRoom else { return }
    isWaitingForRoom = isWaiting
    watchAgain()
  }

  private func answer(_ message: [UInt8]) {
    answers.append(message)
    if answers.count > Self.maximumAnswers { return end("it asks and takes no answers") }
    if answers.count == 1 { flush() }
  }

  /// There is room again: answers first, for the peer waits for them before it goes on.
  private func flush() {
    while let first = answers.first {
      switch ATTSocket.send(first, to: descriptor) {
      case .done: answers.removeFirst()
      case .full: return waitForRoom(true)
      case .failed(let error): return end(ATTSocket.text(error))
      }
    }
    waitForRoom(false)
    for path in full.sorted() where path == client || bearer.isSubscribed { writable(path) }
  }

  private func writable(_ path: PathID) {
    if full.remove(path) != nil { controller?.tell { $0.pathWritable(path) } }
  }
}
