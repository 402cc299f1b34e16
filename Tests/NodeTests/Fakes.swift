import Chat
import Dispatch
import Identity
import Link
import Node
import Terminal
import Wire

/// A front end that records what it is shown.
@MainActor
final class RecordingFront: FrontEnd {
  var onRequest: (ChatRequest) -> Void = { _ in }
  var onEnd: (FrontEndEnd) -> Void = { _ in }
  var onFocus: () -> Void = {}
  var onRoom: () -> Void = {}
  var isBehind = false
  private(set) var events: [ChatEvent] = []
  private(set) var notices: [String] = []
  private(set) var isStopped = false
  private var waiters:
    [(test: (ChatEvent) -> Bool, resume: CheckedContinuation<ChatEvent, Never>)] =
      []

  func start() {}
  func stop() { isStopped = true }
  func notice(_ text: String) { notices.append(text) }

  func show(_ event: ChatEvent) {
    events.append(event)
    for (index, waiter) in waiters.enumerated().reversed() where waiter.test(event) {
      waiters.remove(at: index)
      waiter.resume.resume(returning: event)
    }
  }

  func ask(_ command: ChatCommand, ref: String? = nil) {
    onRequest(ChatRequest(command, ref: ref))
  }

  /// The first event, shown already or to come, that passes `test`; the suite's time limit ends
  /// what never comes.
  func event(where test: @escaping (ChatEvent) -> Bool) async -> ChatEvent {
    if let known = events.first(where: test) { return known }
    return await withCheckedContinuation { waiters.append((test, $0)) }
  }
}

/// One end of a link that lives in memory: what is sent comes out at the other end a turn later.
@MainActor
final class MemoryTransport: LinkTransport {
  let name = "wifi"
  weak var observer: (any LinkObserver)?
  private weak var other: MemoryTransport?
  private var link: LinkID?
  private var lastLink: UInt32 = 0
  private(set) var closed: [LinkCloseReason] = []
  private(set) var sent: [Packet] = []
  /// Sheds every packet while set.
  var isFull = false
  /// Loses every packet while set.
  var isDeaf = false
  var startError: (any Error)?

  func start() throws {
    if let startError { throw startError }
  }

  func stop() { disconnect() }
  func systemResumed() {}
  var statistics: [(name: String, value: Int)] { [("sent", sent.count)] }

  static func connect(_ a: MemoryTransport, _ b: MemoryTransport) {
    a.other = b
    b.other = a
    a.up()
    b.up()
  }

  private func up() {
    lastLink += 1
    let link = LinkID(lastLink)
    self.link = link
    observer?.linkCameUp(
      link,
      LinkDescription(
        name: "wifi-\(lastLink)", transport: name, remote: "memory", host: "memory"))
  }

  func disconnect() {
    down(.lost("cut"))
    other?.down(.lost("cut"))
  }

  private func down(_ reason: LinkCloseReason) {
    guard let link else { return }
    self.link = nil
    observer?.linkWentDown(link, because: reason)
  }

  func send(_ packet: Packet, on link: LinkID) -> SendOutcome {
    guard link == self.link else { return .noLink }
    if isFull { return .shed }
    sent.append(packet)
    if !isDeaf, let other {
      // Later, as on any link: the other end may not be up yet when the first hello goes out.
      DispatchQueue.main.async { MainActor.assumeIsolated { other.receive(packet) } }
    }
    return .queued
  }

  /// Takes in a packet as if the other end had sent it.
  func receive(_ packet: Packet) {
    guard let link else { return }
    observer?.link(link, received: packet.view)
  }

  func close(_ link: LinkID, because reason: LinkCloseReason) {
    guard link == self.link else { return }
    closed.append(reason)
    disconnect()
  }
}

/// A node with a recording front end and one end of a memory link.
@MainActor
struct TestNode {
  let node: Node
  let front = RecordingFront()
  let transport = MemoryTransport()
  let fingerprint: Fingerprint

  init(_ name: String, _ change: (inout Node.Parts) -> Void = { _ in }) throws {
    var parts = Node.Parts(identity: Identity.generate(), name: name)
    change(&parts)
    fingerprint = parts.identity.fingerprint
    let front = front
    node = Node(parts, front: front) { front.onEnd($0) }
    transport.observer = node
    try node.start([transport]) { 4_000 }
  }
}

extension TestNode {
  /// What `/stats` says of one figure now.
  func figure(_ name: String) -> Int? {
    front.ask(.stats)
    guard case .stats(let figures, _) = front.events.last else { return nil }
    return figures.first { $0.name == name }?.value
  }
}

extension ChatEvent {
  var link: LinkStatus? {
    if case .link(let status) = self { status } else { nil }
  }
  var message: IncomingMessage? {
    if case .message(let message) = self { message } else { nil }
  }
  var delivery: DeliveryStatus? {
    if case .state(let status) = self { status } else { nil }
  }
  var peer: Peer? {
    if case .peer(let peer) = self { peer } else { nil }
  }
  var call: CallStatus? {
    if case .call(let status) = self { status } else { nil }
  }
  var error: ChatError? {
    if case .error(let error, _) = self { error } else { nil }
  }
  var ref: String? {
    switch self {
    case .error(_, let ref), .peers(_, let ref), .links(_, let ref), .stats(_, let ref),
      .safety(_, let ref):
      ref
    case .state(let status): status.ref
    default: nil
    }
  }
}

/// A tap that keeps what it sees.
@MainActor
final class RecordingTap: PacketTap {
  private(set) var cameIn: [(packet: Packet, link: String)] = []
  private(set) var wentOut: [(packet: Packet, link: String)] = []
  var leftOut = 0

  func packetCameIn(_ packet: borrowing PacketView, link: String) {
    cameIn.append((Packet(copying: packet), link))
  }

  func packetWentOut(_ packet: Packet, link: String) { wentOut.append((packet, link)) }
}
