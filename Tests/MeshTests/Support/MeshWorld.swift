import Identity
import Mesh
import Outbox
import Wire

/// A dozen devices, lines of every quality that come and go, restarts, and someone who records
/// packets and plays them again; with an account of all that is sent and shown.
final class MeshWorld {
  struct Message {
    let sender: Int
    let senderLife: Int
    let recipient: Int
    let text: String
    var isShown = false
    var state: MessageState?
  }

  private struct Shown: Hashable {
    var device: Int
    var sender: PublicKeys
    var id: MessageID
  }

  /// A packet, whatever hops it has left: its id and its CRC, which leaves them out.
  private struct Content: Hashable {
    var id: PacketID
    var crc: UInt32
  }

  let net: TestNet<ModelCryptography>
  private(set) var random: SplitMix64
  private(set) var messages: [MessageID: Message] = [:]
  /// The rules that were broken, in words.
  private(set) var faults: [String] = []
  private var lines: [Int] = []
  private var recorded: [Packet] = []
  private var shown: [Shown: (life: Int, isPinned: Bool)] = [:]
  /// What each device has relayed, and sent itself, in its present life.
  private var relayed: [Set<Content>]
  private var own: [Set<Content>]

  init(seed: UInt64, devices: Int) {
    net = TestNet(seed: seed)
    random = SplitMix64(seed: seed)
    relayed = Array(repeating: [], count: devices)
    own = Array(repeating: [], count: devices)
    for device in 0..<devices {
      _ = net.add(person: UInt64(device + 1))
      let offset = Int.random(in: -300_000...300_000, using: &random)
      net[device].clockOffset = .milliseconds(offset)
    }
    for device in 1..<devices { join(device, Int.random(in: 0..<device, using: &random)) }
    for _ in 0..<devices / 2 {
      let ends = (0..<devices).shuffled(using: &random)
      join(ends[0], ends[1])
    }
    net.onEffect = { [unowned self] in judge($0, $1) }
    net.onReceive = { [unowned self] in judge($0, $1, $2, $3) }
  }

  private func join(_ a: Int, _ b: Int) {
    let isGood = Bool.random(using: &random)
    let slowest = Int.random(in: 1...200, using: &random)
    lines.append(
      net.join(
        a, b,
        .init(
          loss: isGood ? 0 : Double.random(in: 0...0.3, using: &random),
          delay: .milliseconds(1)...(.milliseconds(slowest)),
          duplication: isGood ? 0 : Double.random(in: 0...0.3, using: &random))))
  }

  // MARK: What happens

  /// One thing happens, and some time passes.
  func step() {
    let device = Int.random(in: net.devices.indices, using: &random)
    let line = lines[Int.random(in: lines.indices, using: &random)]
    switch Int.random(in: 0..<20, using: &random) {
    case 0...8: send(from: device)
    case 9, 10: net.cut(line)
    case 11, 12: net.connect(line)
    case 13: net.perform(device) { $0.announce(at: $1) }
    case 14: restart(device)
    default: replay(into: device)
    }
    let milliseconds = [10, 100, 1_000, 5_000, 60_000].randomElement(using: &random) ?? 0
    net.run(for: .milliseconds(Int.random(in: 0...milliseconds, using: &random)))
    checkBounds()
  }

  private func send(from device: Int) {
    let other = Int.random(in: net.devices.indices, using: &random)
    guard other != device, !net[device].isOff else { return }
    let text = "\(messages.count) from \(device) to \(other)"
    let before = net[device].log.count
    guard let id = try? net.send(text, from: device, to: other) else { return }
    var message = Message(
      sender: device, senderLife: net[device].lives, recipient: other, text: text)
    // Its first states were told before its id was known.
    for case .state(id, let state) in net[device].log[before...].map(\.effect) {
      message.state = state
    }
    messages[id] = message
  }

  private func restart(_ device: Int) {
    net.stop(device)
    net.run(for: .seconds(Int.random(in: 0...10, using: &random)))
    net.start(device)
    relayed[device] = []
    own[device] = []
    for line in lines where net.lines[line].devices.contains(device) { net.connect(line) }
  }

  /// A recording is played to a device: as it was, with other hops, or with a byte of it changed.
  private func replay(into device: Int) {
    guard let packet = recorded.randomElement(using: &random),
      let link = net.links(of: device).randomElement(using: &random)
    else { return }
    let header = packet.header
    let hops = UInt8.random(in: 1...min(15, header.kind.maximumHopLimit), using: &random)
    guard Int.random(in: 0..<4, using: &random) == 0 else {
      net.inject(Packet(packet, hopLimit: hops), into: device, on: link)
      return
    }
    var payload = Array(packet.payload)
    let place = Int.random(in: payload.indices, using: &random)
    payload[place] ^= UInt8.random(in: 1...255, using: &random)
    net.inject(
      Packet(
        kind: header.kind, hopLimit: hops, time: header.time, id: header.id,
        destination: header.destination, payload: payload), into: device, on: link)
  }

  /// All lines are mended and up, and nothing is in the way any more.
  func heal() {
    for line in lines {
      net.set(line, .perfect)
      net.connect(line)
    }
  }

  // MARK: The rules

  private func judge(_ device: Int, _ effect: MeshEffect) {
    switch effect {
    case .show(let text): judge(device, text)
    case .state(let id, let state):
      guard let message = messages[id] else { return }
      if state == .delivered, !message.isShown {
        faults.append("\(message.text) is delivered and was never shown")
      }
      switch (message.state, state) {
      case (.waiting, .sent), (.sent, .delivered), (.waiting, .delivered): break
      case (let before, _): faults.append("\(message.text): from \(before as Any) to \(state)")
      }
      messages[id]?.state = state
    case .send(let packet, let links):
      let limit = min(7, packet.header.kind.maximumHopLimit)
      if packet.header.hopLimit > limit { faults.append("\(device) sent over \(limit) hops") }
      if Set(links).count != links.count { faults.append("\(device) sent twice on a link") }
    case .close(let link, _): faults.append("\(device) closed \(link), an honest one")
    case .remember, .person, .claimed, .contacts, .warning: break
    case .call, .play, .offerDirectRoad, .joinDirectRoad, .leaveDirectRoad, .sendDirectly:
      faults.append("\(device) is in a call that nobody made")
    }
  }

  private func judge(_ device: Int, _ text: ReceivedText) {
    let life = net[device].lives
    let isPinned = net[device].mesh.contacts.standing(of: text.sender) == .pinned
    let key = Shown(device: device, sender: text.sender, id: text.id)
    // Of strangers a restart keeps nothing.
    if let before = shown[key], before.life == life || before.isPinned {
      faults.append("\(text.text) was shown twice at \(device)")
    }
    shown[key] = (life, isPinned)
    guard let message = messages[text.id], message.text == text.text,
      message.recipient == device,
      text.sender == ModelCryptography.keys(of: UInt64(message.sender + 1))
    else {
      faults.append("\(device) was shown \(text.text), which nobody wrote to it")
      return
    }
    messages[text.id]?.isShown = true
  }

  private func judge(_ device: Int, _ link: LinkID, _ packet: Packet, _ effects: [MeshEffect]) {
    if recorded.count < 400 { recorded.append(packet) }
    let content = Content(id: packet.header.id, crc: packet.header.crc)
    for (sent, links) in effects.sends {
      guard sent.header.id == packet.header.id else {
        own[device].insert(Content(id: sent.header.id, crc: sent.header.crc))
        continue
      }
      if links.contains(link) { faults.append("\(device) relayed back onto \(link)") }
      if sent.header.kind == .voice { faults.append("\(device) relayed voice") }
      if sent.header.destination == net[device].mesh.ownFingerprint {
        faults.append("\(device) relayed what was for it")
      }
      if sent.header.hopLimit >= packet.header.hopLimit {
        faults.append("\(device) relayed with \(sent.header.hopLimit) hops")
      }
      if !relayed[device].insert(content).inserted {
        faults.append("\(device) relayed \(packet.header.id) twice")
      }
      if own[device].contains(content) { faults.append("\(device) relayed its own") }
    }
  }

  private func checkBounds() {
    for device in net.devices.indices where !net[device].isOff {
      for statistic in net[device].mesh.statistics {
        if let limit = statistic.limit, statistic.value > limit {
          faults.append("\(statistic.name) is \(statistic.value), over \(limit)")
        }
      }
    }
  }

  /// The messages that should have arrived, once all lines are up and an hour has passed.
  var undelivered: [Message] {
    messages.values.filter {
      $0.senderLife == net[$0.sender].lives && $0.state != .delivered
        && distance($0.sender, $0.recipient) <= 5
    }
  }

  /// Lines between two devices, all being up.
  private func distance(_ from: Int, _ to: Int) -> Int {
    var distances = [from: 0]
    var queue = [from]
    while !queue.isEmpty {
      let device = queue.removeFirst()
      for line in net.lines where line.devices.contains(device) {
        for other in line.devices where distances[other] == nil {
          distances[other] = (distances[device] ?? 0) + 1
          queue.append(other)
        }
      }
    }
    return distances[to] ?? .max
  }
}
