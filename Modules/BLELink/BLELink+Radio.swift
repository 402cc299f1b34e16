internal import Link
internal import Wire

/// The chunks that come in on one path, on their way to being packets.
@MainActor
final class PathInlet {
  let link: LinkID
  /// One for each path: the other end cuts a packet on one path alone, so two paths of a link are
  /// two streams.
  var chunker = StreamChunker(.lossy)
  /// When a packet begun is given up; as the chunker said when it was asked last, for while it
  /// hands over packets nobody may ask it.
  private(set) var deadline: Instant?
  var isClosed = false

  func noteDeadline() { deadline = chunker.deadline }

  init(_ link: LinkID) { self.link = link }
}

/// What the radio tells.
extension BLELink: BLERadioObserver {
  public func adapterUp(_ adapter: AdapterID, _ description: BLEAdapter) {
    guard isRunning else { return }
    if isTroubleTold, troubles.isEmpty {
      isTroubleTold = false
      observer?.transportNotice(name, "Bluetooth works again, on \(description.name)")
    }
    tell { $0.adapterUp(adapter, description, now: $1) }
  }

  public func adapterDown(_ adapter: AdapterID, because reason: String) {
    tell { $0.adapterDown(adapter, because: reason, now: $1) }
  }

  public func sighted(_ device: BLEDevice, rssi: Int?) {
    tell { $0.sighted(device, now: $1) }
  }

  public func connectEnded(_ device: BLEDevice, because failure: BLEConnectFailure) {
    tell { $0.connectEnded(device, because: failure, now: $1) }
  }

  public func pathUp(_ path: PathID, _ description: BLEPath) {
    guard isRunning else { return }
    tell { policy, now in
      let isTaken = policy.pathUp(
        path, description, now: now, nextLink: self.configuration.nextLinkID)
      if isTaken, let link = policy.paths[path] { self.inlets[path] = PathInlet(link) }
    }
  }

  public func pathChanged(_ path: PathID, chunkLimit: Int?) {
    tell { policy, _ in policy.pathChanged(path, chunkLimit: chunkLimit) }
  }

  public func pathDown(_ path: PathID, because reason: String) {
    if let inlet = inlets.removeValue(forKey: path) { inlet.isClosed = true }
    tell { $0.pathDown(path, because: reason, now: $1) }
  }

  public func pathWritable(_ path: PathID) {
    guard isRunning else { return }
    policy.writable(path)
    flush()
    if let pause = policy.endOfPauses { setAlarm(noLaterThan: pause) }
  }

  public func scanEnded(on adapter: AdapterID) { tell { $0.scanEnded(on: adapter, now: $1) } }

  public func advertisingEnded(on adapter: AdapterID) {
    tell { $0.advertisingEnded(on: adapter, now: $1) }
  }

  public func trouble(_ trouble: BLETrouble) {
    guard isRunning, troubles.updateValue(trouble, forKey: trouble.code) != trouble else { return }
    isTroubleTold = true
    observer?.transportNotice(
      name, trouble.text + (trouble.hint.map { "; try `\($0)`" } ?? ""))
  }

  public func troubleOver(_ code: BLETrouble.Code) {
    guard isRunning, troubles.removeValue(forKey: code) != nil else { return }
    if troubles.isEmpty, let adapter = policy.adaptersInOrder.first {
      isTroubleTold = false
      observer?.transportNotice(name, "Bluetooth works again, on \(adapter.description.name)")
    }
  }

  // MARK: Chunks

  public func received(_ chunk: RawSpan, on path: PathID) {
    guard isRunning, let inlet = inlets[path], !inlet.isClosed else { return }
    policy.counters.chunksIn += 1
    policy.counters.bytesIn += chunk.byteCount
    let before = inlet.chunker.statistics
    let misbehaviour = inlet.chunker.append(chunk, now: clock.now) { deliver($0, from: inlet) }
    note(inlet.chunker.statistics, since: before)
    inlet.noteDeadline()
    if let deadline = inlet.deadline { setAlarm(noLaterThan: deadline) }
    switch misbehaviour {
    case nil: break
    case .badChecksums: close(inlet.link, because: .misbehaved("too many bad checksums"))
    case .garbage: close(inlet.link, because: .misbehaved("bytes that are no packets"))
    }
  }

  /// Gives up a packet of which no more came, and takes what is whole behind it.
  func expire(_ path: PathID, now: Instant) {
    guard let inlet = inlets[path], !inlet.isClosed else { return }
    let before = inlet.chunker.statistics
    inlet.chunker.expire(now: now) { deliver($0, from: inlet) }
    inlet.noteDeadline()
    note(inlet.chunker.statistics, since: before)
  }

  private func deliver(_ packet: borrowing PacketView, from inlet: PathInlet) {
    // Whoever gets a packet may close the link, or stop everything.
    guard !inlet.isClosed else { return }
    if policy.links[inlet.link]?.isProved == false {
      tell { policy, _ in policy.proved(inlet.link) }
      guard !inlet.isClosed else { return }
    }
    observer?.link(inlet.link, received: packet)
  }

  private func note(_ after: StreamChunker.Statistics, since before: StreamChunker.Statistics) {
    policy.counters.packetsIn += after.packets - before.packets
    policy.counters.checksumFailures += after.checksumFailures - before.checksumFailures
    policy.counters.garbage += after.garbage - before.garbage
    policy.counters.stalls += after.stalls - before.stalls
  }
}
