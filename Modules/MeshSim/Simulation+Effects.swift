internal import Identity
internal import Mesh
internal import Outbox
internal import Wire

/// What the meshes want done, and what reaches them.
extension Simulation {
  mutating func arrive(_ event: Event) {
    underWay -= 1
    defer { packets.release(event.packet) }
    let (device, link) = (Int(event.device), Int(event.link))
    guard let packet = packets[event.packet] else { return }
    guard links[link].generation == event.generation, links[link].isUp else {
      measures.lostWithLink += 1
      return
    }
    measures.arrivals += 1
    let id = links[link].devices.0 == device ? links[link].ids.0 : links[link].ids.1
    let header = packet.header
    note(UInt64(time.magnitude) ^ UInt64(device) << 40 ^ UInt64(header.hopLimit) << 60)
    let isNew = noteMeeting(device, header)
    if header.hopLimit == 1 {
      ledger.seeUnrelayed(
        Ledger.key(of: header), by: device, life: devices[device].life, now: time)
    }
    if let onArrival { tell(onArrival, device, link, packet, isNew: isNew) }
    devices[device].received &+= 1
    if devices[device].role != .honest { overhear(device, packet) }
    let moment = moment(device)
    devices[device].receive(packet, from: id, at: moment)
    carryOut(device)
    if scenario.relaysLaterCopies { relayLaterCopy(device, packet, from: link) }
  }

  private mutating func noteMeeting(_ device: Int, _ header: PacketHeader) -> Bool {
    guard meetings != nil, header.kind == .sealed else { return false }
    let key = mixed(Ledger.key(of: header), UInt64(device))
    guard meetings?.value(of: key) == nil else { return false }
    meetings?.set(key, 1, at: time)
    measures.reached? += 1
    return true
  }

  private func tell(
    _ onArrival: (Arrival) -> Void, _ device: Int, _ link: Int, _ packet: Packet, isNew: Bool
  ) {
    onArrival(
      Arrival(
        from: links[link].other(than: device), to: device,
        radio: scenario.radios[links[link].radio].name, packet: packet, time: now,
        wallClock: moment(device).wallClock, isNew: isNew))
  }

  mutating func wake(_ device: Int, _ time: Int64) {
    // Another wake than the one that was asked for last.
    guard devices[device].isRunning, devices[device].wakeAt == time else { return }
    devices[device].wakeAt = .max
    let moment = moment(device)
    devices[device].wake(at: moment)
    carryOut(device)
  }

  /// Carries out what a mesh wants until it wants nothing more.
  mutating func carryOut(_ device: Int) {
    while true {
      let effects = devices[device].takeEffects()
      if effects.isEmpty { break }
      for effect in effects { carryOut(effect, of: device) }
    }
    scheduleWake(device)
    devices[device].untilBounds -= 1
    if devices[device].untilBounds < 0 { checkBounds(device) }
  }

  private mutating func scheduleWake(_ device: Int) {
    guard let deadline = devices[device].deadline() else { return }
    let due = max(deadline, time)
    guard due < devices[device].wakeAt, devices[device].isRunning else { return }
    devices[device].wakeAt = due
    queue.push(Event(kind: .wake, device: UInt32(device)), at: due)
  }

  private mutating func carryOut(_ effect: MeshEffect, of device: Int) {
    switch effect {
    case .send(let packet, let ids): send(packet, on: ids, of: device)
    case .close(let id, _):
      if let link = devices[device].link(of: id) {
        measures.linksClosed += 1
        takeDown(link)
      }
    case .show(let text): show(text, at: device)
    case .remember(let record):
      if scenario.hasRestarts { devices[device].journal.append(record) }
    case .state(let id, .delivered):
      note(id.firstWord)
      if let rule = ledger.deliver(id, to: device, now: now) { violate(device, rule) }
    case .state, .person, .claimed, .contacts, .warning: break
    case .call, .play, .offerDirectRoad, .joinDirectRoad, .leaveDirectRoad, .sendDirectly:
      violate(device, "a call that nobody made")
    }
  }

  private mutating func show(_ text: ReceivedText, at device: Int) {
    note(text.id.firstWord)
    let standing = devices[device].mesh.contacts.standing(of: text.sender)
    let rule = ledger.show(
      text.id, text.text, from: deviceOf[text.sender], at: device, life: devices[device].life,
      isRemembered: standing == .pinned, now: now)
    if let rule { violate(device, rule) }
  }

  // MARK: Sending

  private mutating func send(_ packet: Packet, on ids: [LinkID], of device: Int) {
    let key = Ledger.key(of: packet.header)
    let isNew = !ledger.isKnown(key)
    if ledger.isOrigin(device, of: key, at: time) {
      if isNew, packet.header.kind == .sealed {
        measures.floods += 1
        noteOwnMeeting(device, packet.header)
      }
    } else {
      guard mayRelay(packet, key, device) else { return }
      if devices[device].role == .blackHole { return }
      if devices[device].role == .relabeller, packet.header.kind == .sealed {
        transmit(relabelled(packet), on: ids, of: device)
        return
      }
    }
    if scenario.isPlainFlooding, packet.header.kind == .sealed {
      transmit(Packet(packet, hopLimit: PacketHeader.maximumHopLimit), on: ids, of: device)
    } else {
      transmit(packet, on: ids, of: device)
    }
  }

  /// What comes back to its origin reaches nobody new.
  mutating func noteOwnMeeting(_ device: Int, _ header: PacketHeader) {
    meetings?.set(mixed(Ledger.key(of: header), UInt64(device)), 1, at: time)
  }

  /// Holds a relay against the rules.
  private mutating func mayRelay(_ packet: Packet, _ key: UInt64, _ device: Int) -> Bool {
    let limit = min(6, packet.header.kind.maximumHopLimit - 1)
    if packet.header.hopLimit > limit {
      violate(device, "a packet is relayed with \(packet.header.hopLimit) hops")
    }
    if packet.header.destination == devices[device].fingerprint() {
      violate(device, "a packet is relayed by the one it is for")
    }
    let rule = ledger.relay(
      key, by: device, life: devices[device].life, received: devices[device].received, now: time)
    if let rule { violate(device, rule) }
    return violation == nil
  }

  /// Puts a packet on links, each of which takes it or sheds it whole.
  mutating func transmit(_ packet: Packet, on ids: [LinkID], of device: Int) {
    let place = packets.add(packet)
    for id in ids {
      guard let link = devices[device].link(of: id) else { continue }
      if !transmit(place, packet, on: link, of: device) {
        measures.shed += 1
        devices[device].mesh.wasShed(packet, on: id, at: moment(device))
      }
    }
    packets.discardIfUnused(place)
  }

  /// - Returns: false when the queue is full.
  private mutating func transmit(
    _ place: UInt32, _ packet: Packet, on link: Int, of device: Int
  ) -> Bool {
    let timing = timings[links[link].radio]
    let isFirst = links[link].devices.0 == device
    let busy = isFirst ? links[link].busyUntil.0 : links[link].busyUntil.1
    let size = packet.encoded.count
    // Looked at before the packet is cut, so one may go past it (PROTOCOL, section 8).
    guard max(0, busy - time) < timing.queue else { return false }
    count(packet, size)
    let left = max(busy, time) + Int64(size) * timing.byte
    if isFirst { links[link].busyUntil.0 = left } else { links[link].busyUntil.1 = left }
    if hasLost(size, timing) {
      measures.lostOnAir += 1
      return true
    }
    let latency = Int64.random(in: timing.latency, using: &chance.air)
    // A link keeps the order.
    let before = isFirst ? links[link].lastArrival.0 : links[link].lastArrival.1
    let arrival = max(left + latency, before)
    if isFirst { links[link].lastArrival.0 = arrival } else { links[link].lastArrival.1 = arrival }
    packets.retain(place)
    underWay += 1
    measures.mostUnderWay = max(measures.mostUnderWay, underWay)
    queue.push(
      Event(
        kind: .arrival, device: UInt32(links[link].other(than: device)), link: UInt32(link),
        generation: links[link].generation, packet: place), at: arrival)
    return true
  }

  /// Whether a chunk of a packet of `size` bytes is lost on the air, and the packet with it.
  private mutating func hasLost(_ size: Int, _ radio: Timing) -> Bool {
    guard radio.chunkLossPPM > 0, radio.chunkSize > 0 else { return false }
    for _ in 0..<((size + radio.chunkSize - 1) / radio.chunkSize)
    where Int.random(in: 0..<1_000_000, using: &chance.air) < radio.chunkLossPPM {
      return true
    }
    return false
  }

  private mutating func count(_ packet: Packet, _ size: Int) {
    if packet.header.kind == .hello {
      measures.hellos.packets += 1
      measures.hellos.bytes += size
    } else {
      measures.sealed.packets += 1
      measures.sealed.bytes += size
    }
  }

  /// Sends a copy on that came with more hops left than any before.
  ///
  /// The experiment with later copies, outside of the mesh, which relays a packet once.
  private mutating func relayLaterCopy(_ device: Int, _ packet: Packet, from link: Int) {
    let header = packet.header
    guard header.kind == .sealed, header.destination != devices[device].mesh.ownFingerprint else {
      return
    }
    let key = mixed(Ledger.key(of: header), UInt64(device))
    let before = mostHops.value(of: key)
    guard UInt64(header.hopLimit) > before ?? 0 else { return }
    mostHops.set(key, UInt64(header.hopLimit), at: time)
    guard before != nil, header.hopLimit > 1,
      !ledger.isOrigin(device, of: Ledger.key(of: header), at: time)
    else { return }
    let ids = devices[device].ends.filter { $0.link != link }.map(\.id)
    transmit(Packet(packet, hopLimit: min(header.hopLimit, 7) - 1), on: ids, of: device)
  }

  // MARK: Bounds

  /// Steps of a device between two looks at all its bounds: each one where devices are few.
  private var boundsInterval: Int { devices.count <= 12 ? 0 : devices.count <= 500 ? 63 : 1_023 }

  mutating func checkBounds(_ device: Int) {
    devices[device].untilBounds = boundsInterval
    if let over = devices[device].overBound() {
      violate(device, "\(over.name) is \(over.value), over \(over.limit ?? 0)")
    }
  }
}
