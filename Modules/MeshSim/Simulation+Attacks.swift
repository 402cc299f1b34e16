internal import Mesh
internal import Wire

/// What attackers remember.
struct AttackState {
  /// Packets that one attacker keeps.
  static let capacity = 256

  /// By device.
  var heard: [Int: [Packet]] = [:]
}

/// Hostile devices: they look like neighbours, run a mesh, and have packets and nothing else.
extension Simulation {
  mutating func planAttacks() {
    guard scenario.attackers.rate > 0 else { return }
    for device in devices.indices {
      switch devices[device].role {
      case .honest, .blackHole, .relabeller: continue
      case .flooder, .replayer, .forger: break
      }
      queue.push(
        Event(kind: .attack, device: UInt32(device)),
        at: Int64.random(in: 0..<10_000_000_000, using: &chance.attacks))
    }
  }

  mutating func overhear(_ device: Int, _ packet: Packet) {
    var heard = attack.heard[device] ?? []
    if heard.count < AttackState.capacity {
      heard.append(packet)
    } else {
      heard[Int.random(in: heard.indices, using: &chance.attacks)] = packet
    }
    attack.heard[device] = heard
  }

  /// An attacker sends one packet, and will send another.
  mutating func attack(_ device: Int) {
    guard !isDraining else { return }
    queue.push(
      Event(kind: .attack, device: UInt32(device)),
      at: time + 1_000_000_000 / Int64(max(1, scenario.attackers.rate)))
    let ids = devices[device].ends.map(\.id)
    guard !ids.isEmpty else { return }
    switch devices[device].role {
    case .flooder: hurl(junk(device), on: ids, from: device)
    case .replayer:
      guard let packet = attack.heard[device]?.randomElement(using: &chance.attacks) else { return }
      let most = min(PacketHeader.maximumHopLimit, packet.header.kind.maximumHopLimit)
      hurl(Packet(packet, hopLimit: most), on: ids, from: device)
    case .forger:
      guard let packet = attack.heard[device]?.randomElement(using: &chance.attacks) else { return }
      hurl(forged(packet, device), on: ids, from: device)
    case .honest, .blackHole, .relabeller: break
    }
  }

  private mutating func hurl(_ packet: Packet, on ids: [LinkID], from device: Int) {
    // Not its origin where it is a replay, and no relay of its mesh either.
    _ = ledger.isOrigin(device, of: Ledger.key(of: packet.header), at: time)
    let before = measures.sealed
    transmit(packet, on: ids, of: device)
    measures.hostile.packets += measures.sealed.packets - before.packets
    measures.hostile.bytes += measures.sealed.bytes - before.bytes
  }

  // MARK: What they make

  private mutating func word() -> UInt64 { chance.attacks.next() }

  private mutating func randomID() -> PacketID {
    var bytes: [UInt8] = []
    bytes.append(bigEndian: word())
    bytes.append(bigEndian: word())
    return PacketID(bytes) ?? PacketID()
  }

  private mutating func randomBytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count { bytes.append(bigEndian: word()) }
    return Array(bytes.prefix(count))
  }

  /// Junk for nobody, for somebody, or in the shape of a hello.
  private mutating func junk(_ device: Int) -> Packet {
    let clock = moment(device).wallClock
    switch word() % 8 {
    case 0:
      return Packet(
        kind: .hello, hopLimit: 2, time: clock, id: randomID(), destination: .everyone,
        payload: randomBytes(64) + [0] + randomBytes(64))
    case 1, 2:
      let victim = Int.random(in: devices.indices, using: &chance.attacks)
      return Packet(
        kind: .sealed, hopLimit: 7, time: clock, id: randomID(),
        destination: devices[victim].mesh.ownFingerprint, payload: randomBytes(304))
    default:
      return Packet(
        kind: .sealed, hopLimit: 7, time: clock, id: randomID(),
        destination: Fingerprint(value: word() >> 1), payload: randomBytes(304))
    }
  }

  /// Somebody else's packet, made to say something else or to come from somebody else.
  private mutating func forged(_ packet: Packet, _ device: Int) -> Packet {
    let header = packet.header
    let clock = moment(device).wallClock
    var payload = Array(packet.payload)
    guard header.kind == .sealed else {
      // A hello under another name, or one signed for another packet.
      if payload.count > 70, word() % 2 == 0 { payload[66] ^= 1 }
      return Packet(
        kind: .hello, hopLimit: 2, time: clock, id: randomID(), destination: .everyone,
        payload: payload)
    }
    var id = header.id
    var time = header.time
    var destination = header.destination
    switch word() % 4 {
    case 0: id = randomID()
    case 1: time = clock
    case 2:
      let victim = Int.random(in: devices.indices, using: &chance.attacks)
      destination = devices[victim].mesh.ownFingerprint
    default:
      let place = Int.random(in: payload.indices, using: &chance.attacks)
      payload[place] ^= UInt8(1 + word() % 255)
    }
    return Packet(
      kind: .sealed, hopLimit: 7, time: time, id: id, destination: destination, payload: payload)
  }

  /// What a relabeller sends on in a packet's place.
  mutating func relabelled(_ packet: Packet) -> Packet {
    let forged = Packet(forged(packet, 0), hopLimit: packet.header.hopLimit)
    _ = ledger.isOrigin(.max - 1, of: Ledger.key(of: forged.header), at: time)
    return forged
  }
}
