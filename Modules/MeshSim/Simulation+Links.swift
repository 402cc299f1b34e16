internal import Mesh
internal import Wire

/// Who moves where, and who links up with whom.
extension Simulation {
  /// At the start every device looks for neighbours, one in each round, so that nobody takes all of
  /// another's links before a third has one.
  mutating func linkEveryone() {
    refillGrid()
    let rounds = scenario.radios.map(\.maximumLinks).max() ?? 0
    for _ in 0..<min(rounds, 64) where lookForNeighbours() == 0 { break }
  }

  private mutating func refillGrid() {
    grid.clear()
    for device in devices.indices { grid.add(device, at: devices[device].place) }
  }

  /// Each device with room for a link begins one with somebody in range.
  ///
  /// - Returns: how many were begun.
  @discardableResult
  private mutating func lookForNeighbours() -> Int {
    var begun = 0
    let first = devices.isEmpty ? 0 : Int.random(in: devices.indices, using: &chance.links)
    for offset in devices.indices {
      let device = (first + offset) % devices.count
      guard devices[device].isOnAir else { continue }
      for radio in scenario.radios.indices {
        if let other = neighbour(for: device, radio) {
          begin(device, other, radio)
          begun += 1
        }
      }
    }
    return begun
  }

  /// Somebody in range, with room for a link, whom the device is not linked with by this radio.
  private mutating func neighbour(for device: Int, _ radio: Int) -> Int? {
    let kind = scenario.radios[radio]
    let here = devices[device]
    guard here.linkCounts[radio] < kind.maximumLinks else { return nil }
    let range = kind.range * kind.range
    var choice: Int?
    var count = 0
    var random = chance.links
    grid.forEach(near: here.place) { other in
      guard other != device, devices[other].isOnAir,
        devices[other].linkCounts[radio] < kind.maximumLinks,
        devices[other].place.squaredDistance(to: here.place) <= range,
        !isLinked(device, other, radio)
      else { return }
      count += 1
      if Int.random(in: 0..<count, using: &random) == 0 { choice = other }
    }
    chance.links = random
    return choice
  }

  private func isLinked(_ device: Int, _ other: Int, _ radio: Int) -> Bool {
    pending[device]?.contains { $0.other == other && $0.radio == radio } == true
      || devices[device].ends.contains {
        links[$0.link].radio == radio && links[$0.link].other(than: device) == other
      }
  }

  private mutating func begin(_ device: Int, _ other: Int, _ radio: Int) {
    let place: Int
    if let free = freeLinks.popLast() {
      links[free] = Link(
        devices: (device, other), radio: radio, generation: links[free].generation &+ 1)
      place = free
    } else {
      links.append(Link(devices: (device, other), radio: radio, generation: 0))
      place = links.count - 1
    }
    for end in [device, other] { devices[end].linkCounts[radio] += 1 }
    pending[device, default: []].append(Pending(other: other, radio: radio))
    pending[other, default: []].append(Pending(other: device, radio: radio))
    let setUp = scenario.radios[radio].setUp
    let wait = Int64.random(
      in: setUp.lowerBound.wholeNanoseconds...setUp.upperBound.wholeNanoseconds,
      using: &chance.links)
    queue.push(
      Event(kind: .linkUp, link: UInt32(place), generation: links[place].generation),
      at: time + wait)
  }

  private mutating func endPending(_ link: Int) {
    let (a, b) = links[link].devices
    let radio = links[link].radio
    for (device, other) in [(a, b), (b, a)] {
      pending[device]?.removeAll { $0.other == other && $0.radio == radio }
      if pending[device]?.isEmpty == true { pending[device] = nil }
    }
  }

  mutating func bringUp(_ link: Int, _ generation: UInt32) {
    guard links[link].generation == generation, links[link].isUsed, !links[link].isUp else {
      return
    }
    endPending(link)
    let (a, b) = links[link].devices
    guard devices[a].isOnAir, devices[b].isOnAir, isInRange(link, slack: 1) else {
      free(link)
      return
    }
    links[link].isUp = true
    measures.linksMade += 1
    for device in [a, b] {
      let id = LinkID(devices[device].nextLink)
      devices[device].nextLink += 1
      devices[device].ends.append(.init(id: id, link: link))
      if device == a { links[link].ids.0 = id } else { links[link].ids.1 = id }
    }
    for device in [a, b] {
      let id = device == a ? links[link].ids.0 : links[link].ids.1
      let other = links[link].other(than: device)
      devices[device].mesh.linkUp(
        id, endpoint: "\(other)/\(links[link].radio)", at: moment(device))
      carryOut(device)
    }
  }

  /// Takes a link down at both ends; what is under way on it is lost.
  mutating func takeDown(_ link: Int) {
    guard links[link].isUp else { return }
    links[link].isUp = false
    let (a, b) = links[link].devices
    let ids = links[link].ids
    free(link)
    for (device, id) in [(a, ids.0), (b, ids.1)] {
      devices[device].ends.removeAll { $0.link == link }
      guard devices[device].isRunning else { continue }
      devices[device].mesh.linkDown(id, at: moment(device))
      carryOut(device)
    }
  }

  private mutating func free(_ link: Int) {
    guard links[link].isUsed else { return }
    links[link].isUsed = false
    links[link].generation &+= 1
    for end in [links[link].devices.0, links[link].devices.1] {
      devices[end].linkCounts[links[link].radio] -= 1
    }
    freeLinks.append(link)
  }

  private func isInRange(_ link: Int, slack: Double) -> Bool {
    let range = scenario.radios[links[link].radio].range * slack
    let (a, b) = links[link].devices
    return devices[a].place.squaredDistance(to: devices[b].place) <= range * range
  }

  // MARK: Time goes on

  /// Everyone moves, loses whom they left behind, and looks for a neighbour more.
  mutating func tick() {
    if scenario.mobility != .still {
      for device in devices.indices { move(device) }
      refillGrid()
      for link in links.indices where links[link].isUp && !isInRange(link, slack: 1.1) {
        takeDown(link)
      }
    }
    lookForNeighbours()
    if !isDraining { queue.push(Event(kind: .tick), at: time + tickLength) }
  }

  /// Takes a device off the air, or puts it on.
  mutating func setOnAir(_ device: Int, _ change: (inout Device<Cryptography>) -> Void) {
    let before = devices[device].isOnAir
    let ends = devices[device].ends
    change(&devices[device])
    if before, !devices[device].isOnAir {
      for end in ends { takeDown(end.link) }
    }
  }
}
