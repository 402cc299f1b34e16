internal import Identity
internal import Mesh
internal import Router
internal import Wire

/// Who writes to whom.
extension Simulation {
  mutating func planTexts() {
    let (from, to) = (scenario.textTimes.lowerBound, scenario.textTimes.upperBound)
    for device in devices.indices where devices[device].role == .honest {
      for _ in 0..<scenario.textsEach {
        let time = Int64.random(
          in: from.wholeNanoseconds...to.wholeNanoseconds, using: &chance.texts)
        plan.append(PlannedText(time: time, sender: device))
      }
    }
    plan.sort { ($0.time, $0.sender) < ($1.time, $1.sender) }
    if let first = plan.first { queue.push(Event(kind: .text, packet: 0), at: first.time) }
  }

  mutating func writeText(_ number: Int) {
    guard number < plan.count, !isDraining else { return }
    if number + 1 < plan.count {
      queue.push(Event(kind: .text, packet: UInt32(number + 1)), at: plan[number + 1].time)
    }
    let sender = plan[number].sender
    guard devices[sender].isRunning, let recipient = chooseRecipient(for: sender) else { return }
    let size = Int.random(in: scenario.textSizes, using: &chance.texts)
    var text = "text \(number)"
    text += String(repeating: ".", count: max(0, size - text.utf8.count))
    let keys = devices[recipient].mesh.ownKeys
    pin(keys, at: sender)
    let moment = moment(sender)
    guard
      let id = try? devices[sender].mesh.send(
        text, to: keys.fingerprint.number, fingerprint: keys.fingerprint, at: moment)
    else {
      violate(sender, "a text cannot be sent")
      return
    }
    var written = SentText(
      sender: sender, recipient: recipient, writtenAt: now, text: text,
      life: devices[sender].life)
    let direct = directDevices(sender)
    written.hopLimit = scenario.policy.hopLimits.hopLimit(directDevices: direct)
    if scenario.isPlainFlooding { written.hopLimit = PacketHeader.maximumHopLimit }
    if isOnTime(sender), isOnTime(recipient) {
      written.distance = distance(sender, recipient, limit: Int(written.hopLimit))
    }
    ledger.write(written, id)
    carryOut(sender)
  }

  /// Has a device know somebody, as by a contact card.
  private mutating func pin(_ keys: PublicKeys, at device: Int) {
    guard devices[device].mesh.contacts.standing(of: keys) != .pinned else { return }
    var book = devices[device].mesh.contacts
    try? book.apply(.pin(keys, name: ""))
    devices[device].mesh.replaceBook(book, at: moment(device))
  }

  private mutating func chooseRecipient(for sender: Int) -> Int? {
    if friends[sender].count < scenario.contacts {
      if let friend = makeFriend(of: sender), !friends[sender].contains(friend) {
        friends[sender].append(friend)
        return friend
      }
    }
    return friends[sender].randomElement(using: &chance.texts)
  }

  private mutating func makeFriend(of sender: Int) -> Int? {
    switch scenario.addressees {
    case .ends:
      let last = devices.lastIndex { $0.role == .honest } ?? 0
      return sender == 0 ? last : sender == last ? 0 : nil
    case .couriers:
      let first = scenario.devices - scenario.couriers
      return scenario.isCourier(sender)
        ? (0..<first).filter { isHonest($0, but: sender) }.randomElement(using: &chance.texts)
        : Int.random(in: first..<scenario.devices, using: &chance.texts)
    case .anyone:
      guard devices.count > 1 else { return nil }
      for _ in 0..<100 {
        let device = Int.random(in: devices.indices, using: &chance.texts)
        if isHonest(device, but: sender) { return device }
      }
      return nil
    case .near:
      var near: [Int] = []
      let hopLimit = scenario.policy.hopLimits.hopLimit(directDevices: directDevices(sender))
      reach(from: sender, limit: Int(hopLimit)) { device, _ in
        if isHonest(device, but: sender), isOnTime(device) { near.append(device) }
        return true
      }
      return near.randomElement(using: &chance.texts)
    }
  }

  private func isHonest(_ device: Int, but sender: Int) -> Bool {
    device != sender && devices[device].role == .honest
  }

  /// Devices at the other ends of a device's links.
  func directDevices(_ device: Int) -> Int {
    var others: [Int] = []
    for end in devices[device].ends {
      let other = links[end.link].other(than: device)
      if !others.contains(other) { others.append(other) }
    }
    return others.count
  }

  /// Whether a device's clock is right enough for everyone else whose is.
  func isOnTime(_ device: Int) -> Bool {
    let moment = moment(device)
    let off = moment.wallClock.since(Self.epoch.advanced(by: moment.instant - .zero))
    return off <= .seconds(450) && off >= .seconds(-450)
  }

  /// Visits who is within `limit` hops over devices that relay as they should, until `visit` says no.
  func reach(
    from start: Int, limit: Int, _ visit: (_ device: Int, _ distance: Int) -> Bool
  ) {
    search.run(
      from: start, limit: limit,
      neighbours: { device, found in
        for end in devices[device].ends { found(links[end.link].other(than: device)) }
      },
      visit: { device, distance in
        guard visit(device, distance) else { return .stop }
        guard device != start else { return .goOn }
        let role = devices[device].role
        return role == .blackHole || role == .relabeller || !isOnTime(device) ? .pass : .goOn
      })
  }

  private func distance(_ from: Int, _ to: Int, limit: Int) -> Int? {
    var found: Int?
    reach(from: from, limit: limit) { device, distance in
      if device == to { found = distance }
      return device != to
    }
    return found
  }
}
