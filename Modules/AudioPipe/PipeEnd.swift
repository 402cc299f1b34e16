public import EventLoop
internal import Glibc

/// airlink-node's end.
public typealias NodeEnd = PipeEnd<NodeMessage, AudioMessage>
/// airlink-callaudio's end.
public typealias AudioEnd = PipeEnd<AudioMessage, NodeMessage>

/// What became of messages at one end.
public struct PipeCounts: Hashable, Sendable {
  /// Frames that the other side was too slow to take.
  public var droppedVoice = 0
  /// Other messages that it was too slow to take, over a whole queue of them.
  public var droppedOthers = 0
  /// Packets that are no message: of a type that is not known, and cut or too long.
  public var unknown = 0
  public var malformed = 0

  public init() {}
}

/// One end of the socket between airlink-node and airlink-callaudio.
///
/// Neither side waits for the other. Voice for which there is no room is dropped; other messages
/// wait in a queue with a bound. What is no message is counted and skipped.
///
/// The node makes the sockets with `makeAudioPipe`, gives one number to `init` and lets the program
/// inherit the other (`airlink-callaudio call --fd N`).
@MainActor
public final class PipeEnd<Outgoing: PipeMessage, Incoming: PipeMessage> {
  /// Messages other than voice that wait for the other side.
  public static var queueCapacity: Int { 64 }
  /// Bytes of the socket's own queue: about half a second of voice.
  ///
  /// The system counts what it needs for a packet besides its bytes, some ten times a frame.
  static var socketBufferBytes: CInt { 16_384 }
  /// Messages taken in one turn; the others come in the next.
  static var messagesPerTurn: Int { 32 }

  public private(set) var counts = PipeCounts()
  private var descriptor: CInt
  private var watch: EventLoop.Watch?
  private var queue: [[UInt8]] = []
  private let loop: EventLoop
  private let receive: @MainActor (Incoming) -> Void
  private let closed: @MainActor () -> Void

  /// Owns the descriptor from now on, whatever comes.
  ///
  /// `receive` is called for each message; `closed` once, when the other side is gone, and never
  /// after `close`. Nil when the descriptor is no SOCK_SEQPACKET socket or cannot be watched.
  public init?(
    owning descriptor: CInt, loop: EventLoop = .main,
    receive: @escaping @MainActor (Incoming) -> Void, closed: @escaping @MainActor () -> Void
  ) {
    self.descriptor = descriptor
    self.loop = loop
    self.receive = receive
    self.closed = closed
    guard Self.prepare(descriptor),
      let watch = loop.watch(descriptor, for: .read, { [weak self] in self?.serve($0) })
    else {
      if descriptor >= 0 { Glibc.close(descriptor) }
      self.descriptor = -1
      return nil
    }
    self.watch = watch
  }

  private static func prepare(_ descriptor: CInt) -> Bool {
    var kind: CInt = 0
    var length = socklen_t(MemoryLayout<CInt>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &length) == 0,
      kind == CInt(SOCK_SEQPACKET.rawValue)
    else { return false }
    var size = socketBufferBytes
    setsockopt(
      descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout.size(ofValue: size)))
    let flags = fcntl(descriptor, F_GETFL)
    return flags >= 0 && fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0
      && fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
  }

  // MARK: Out

  public var isOpen: Bool { descriptor >= 0 }

  /// Sends a message, or queues or drops it as its kind asks; nothing happens once it is closed.
  public func send(_ message: Outgoing) {
    guard isOpen else { return }
    let bytes = message.bytes
    if queue.isEmpty || message.isVoice {
      switch put(bytes) {
      case .done, .closed: return
      case .full where message.isVoice: counts.droppedVoice += 1
      case .full: enqueue(bytes)
      }
    } else {
      enqueue(bytes)
    }
  }

  private func enqueue(_ bytes: [UInt8]) {
    guard queue.count < Self.queueCapacity else {
      counts.droppedOthers += 1
      return
    }
    queue.append(bytes)
    if queue.count == 1, let watch { loop.change(watch, to: .readAndWrite) }
  }

  private enum Put { case done, full, closed }

  private func put(_ bytes: [UInt8]) -> Put {
    while true {
      let sent = Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL))
      if sent == bytes.count { return .done }
      switch errno {
      case EINTR: continue
      case EAGAIN, ENOBUFS, ENOMEM: return .full
      // The reading side says when it is gone; a message it cannot take is nobody's.
      default: return .closed
      }
    }
  }

  private func flush() {
    while let first = queue.first {
      if case .full = put(first) { return }
      queue.removeFirst()
    }
    if let watch { loop.change(watch, to: .read) }
  }

  // MARK: In

  private func serve(_ readiness: EventLoop.Readiness) {
    if readiness.isWritable, !queue.isEmpty { flush() }
    guard readiness.isReadable else { return }
    for _ in 0..<Self.messagesPerTurn where isOpen {
      guard let bytes = take() else { return }
      guard let bytes else { continue }
      do throws(PipeError) {
        receive(try Incoming(bytes: bytes))
      } catch {
        if error == .unknownType { counts.unknown += 1 } else { counts.malformed += 1 }
      }
    }
  }

  /// The next packet; an inner nil for one that is too long, an outer one when none waits.
  private func take() -> [UInt8]?? {
    var length = 0
    let room = PipeLimit.messageBytes
    let bytes = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
      // MSG_TRUNC: the packet's own length, also when it is cut.
      length = recv(descriptor, buffer.baseAddress, room, CInt(MSG_TRUNC))
      count = max(0, min(length, room))
    }
    if length > room {
      counts.malformed += 1
      return .some(nil)
    }
    if length > 0 { return bytes }
    if length < 0, errno == EINTR { return .some(nil) }
    if length < 0, errno == EAGAIN { return nil }
    close()
    closed()
    return nil
  }

  /// Closes this end; the other side is told by the system.
  ///
  /// Messages that wait are lost; the ones already in the socket arrive.
  public func close() {
    guard isOpen else { return }
    if let watch { loop.unwatch(watch) }
    watch = nil
    Glibc.close(descriptor)
    descriptor = -1
    queue = []
  }
}

/// Two connected ends; both are closed on exec until one of them is handed on.
///
/// - Returns: nil when the system has no descriptors left.
public func makeAudioPipe() -> (node: CInt, audio: CInt)? {
  var ends: [CInt] = [-1, -1]
  let kind = CInt(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
  guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
  return (ends[0], ends[1])
}
