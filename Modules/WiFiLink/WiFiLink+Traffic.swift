internal import Discovery
internal import EventLoop
internal import Glibc
public import Link
public import Wire

/// Packets in and out.
extension WiFiLink {
  @discardableResult
  public func send(_ packet: Packet, on link: LinkID) -> SendOutcome {
    guard let socket = links[link] else { return .noLink }
    let outcome = socket.queue.offer(packet)
    if !socket.isBlocked { flushSoon(socket) }
    return outcome == .queued ? .queued : .shed
  }

  /// Sends what comes in this moment with one system call.
  private func flushSoon(_ socket: LinkSocket) {
    if !socket.isFlushDue {
      socket.isFlushDue = true
      EventLoop.main.whenQuiet(.send) { [weak self] in
        socket.isFlushDue = false
        if let self, !socket.isClosed, !socket.isBlocked { self.flush(socket) }
      }
    }
    if socket.queue.byteCount >= LinkSocket.bytesAtOnce { EventLoop.main.settle() }
  }

  /// The kernel says that a link's socket is ready.
  func serve(_ id: LinkID, _ readiness: EventLoop.Readiness) {
    if readiness.isWritable, let socket = links[id], socket.isBlocked { flush(socket) }
    if readiness.isReadable, let socket = links[id] { receive(socket) }
  }

  private func flush(_ socket: LinkSocket) {
    let wasBlocked = blocked.contains(socket.id)
    do throws(TCPSocket.Failure) {
      let gone = try socket.flush(now: MonotonicClock.now())
      counters.bytesOut += gone.bytes
      counters.packetsOut += gone.packets
    } catch {
      return end(socket.id, because: .lost(error.text))
    }
    guard socket.isBlocked != wasBlocked else { return }
    if socket.isBlocked {
      blocked.insert(socket.id)
    } else {
      blocked.remove(socket.id)
    }
    EventLoop.main.change(socket.watch, to: socket.isBlocked ? .readAndWrite : .read)
    schedule()
  }

  /// Takes a bounded number of bytes, so that no link keeps the others waiting.
  private func receive(_ socket: LinkSocket) {
    let memory = buffer.memory
    let count = recv(socket.descriptor, memory.baseAddress, memory.count, 0)
    if count == 0 { return end(socket.id, because: .lost("closed by the other end")) }
    guard count > 0 else {
      let failure = TCPSocket.Failure(errno)
      if failure != .again, errno != EINTR { end(socket.id, because: .lost(failure.text)) }
      return
    }
    counters.bytesIn += count
    let before = socket.chunker.statistics
    let bytes = UnsafeRawBufferPointer(rebasing: memory[..<count]).bytes
    let misbehaviour = socket.chunker.append(bytes, now: MonotonicClock.now()) { packet in
      // Whoever gets a packet may close the link, or stop everything.
      guard !socket.isClosed else { return }
      if !socket.isProved {
        socket.isProved = true
        tell { policy, _ in policy.proved(socket.id) }
        guard !socket.isClosed else { return }
      }
      observer?.link(socket.id, received: packet)
    }
    let after = socket.chunker.statistics
    counters.packetsIn += after.packets - before.packets
    counters.checksumFailures += after.checksumFailures - before.checksumFailures
    counters.garbage += after.garbage - before.garbage
    switch misbehaviour {
    case nil: break
    case .badChecksums: end(socket.id, because: .misbehaved("too many bad checksums"))
    case .garbage: end(socket.id, because: .misbehaved("bytes that are no packets"))
    }
  }

  public var statistics: [(name: String, value: Int)] {
    let queues = links.values.map(\.queue)
    return [
      ("links", links.count),
      ("links-accepted", policy.links.acceptedCount),
      ("links-accepted-limit", limits.accepted),
      ("links-per-host-limit", limits.acceptedPerHost),
      ("dials", dials.count),
      ("dials-limit", limits.dials),
      ("dials-failed", counters.dialsFailed),
      ("targets", policy.targets.count),
      ("targets-limit", limits.services + limits.peers),
      ("packets-in", counters.packetsIn),
      ("packets-out", counters.packetsOut),
      ("bytes-in", counters.bytesIn),
      ("bytes-out", counters.bytesOut),
      ("queued-bytes", queues.reduce(0) { $0 + $1.byteCount }),
      ("queued-bytes-per-link-limit", limits.queuedBytes),
      ("shed", counters.shed + queues.reduce(0) { $0 + $1.shed }),
      ("shed-voice", counters.shedVoice + queues.reduce(0) { $0 + $1.shedVoice }),
      ("checksum-failures", counters.checksumFailures),
      ("garbage-bytes", counters.garbage),
      ("refused", counters.refused),
    ] + counters.closed.statistics + [("descriptors-exhausted", counters.exhausted)]
      + (discovery?.statistics ?? [])
  }
}

extension TCPSocket.Failure {
  /// Why a connection is over, in words for people.
  var text: String {
    switch self {
    case .again: TCPSocket.text(EAGAIN)
    case .exhausted(let error), .failed(let error): TCPSocket.text(error)
    }
  }
}
