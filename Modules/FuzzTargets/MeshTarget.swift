internal import Identity
internal import Mesh
internal import MeshSim
internal import Wire

/// A mesh between neighbours who do whatever the input says.
///
/// Packets are whole, as the chunker hands them over, and well sealed where the input wants that: so
/// the bytes reach behind every check. The model of cryptography makes it quick.
enum MeshTarget {
  private static let steps = 200

  static func run(_ input: [UInt8]) -> String? {
    var bytes = FuzzBytes(input)
    var scene = Scene()
    for _ in 0..<steps where !bytes.isEmpty {
      scene.step(&bytes)
      if let rule = scene.check() { return rule }
    }
    return nil
  }

  private struct Scene {
    var mesh: Mesh<ModelCryptography>
    var others: [ModelCryptography]
    var now = Instant.zero
    var clock = Timestamp(milliseconds: 1_700_000_000_000)
    var sent: [Packet] = []
    /// Of one sender: two may choose one id.
    var shown: Set<Shown> = []
    /// Set once a clock was set, or so much time passed, that packets may live longer than ids.
    var isTimeOut = false

    struct Shown: Hashable {
      let sender: PublicKeys
      let id: MessageID
    }

    init() {
      mesh = Mesh(cryptography: Self.person(1), name: "Ada", now: .zero)
      others = (2...4 as ClosedRange<UInt64>).map(Self.person)
    }

    static func person(_ number: UInt64) -> ModelCryptography {
      ModelCryptography(person: number, worldKey: 1, seed: number)
    }

    var moment: Moment { Moment(instant: now, wallClock: clock) }

    mutating func step(_ bytes: inout FuzzBytes) {
      let operation = bytes.byte()
      let link = LinkID(UInt32(bytes.byte() & 7))
      switch operation % 12 {
      case 0: mesh.linkUp(link, endpoint: "host \(link.rawValue & 3)", at: moment)
      case 1: mesh.linkDown(link, at: moment)
      case 2: pass(.milliseconds(Int64(bytes.byte()) * 10))
      case 3: pass(.seconds(Int64(bytes.byte()) * 60))
      case 4:
        clock = Timestamp(milliseconds: bytes.word())
        isTimeOut = true
      case 5: hello(&bytes, on: link)
      case 6, 7: message(&bytes, on: link)
      case 8: junk(&bytes, on: link)
      case 9: replay(&bytes, on: link)
      case 10: act(&bytes)
      default: mesh.announce(at: moment)
      }
      while mesh.hasWork { mesh.work(at: moment) }
    }

    private mutating func pass(_ duration: Duration) {
      now = now + duration
      if now > .zero + .seconds(6 * 3_600) { isTimeOut = true }
      clock = clock.advanced(by: duration)
      mesh.wake(at: moment)
    }

    private mutating func take(_ packet: Packet, on link: LinkID) {
      mesh.receive(packet.view, from: link, at: moment)
    }

    private func id(_ bytes: inout FuzzBytes) -> PacketID {
      PacketID([UInt8](repeating: bytes.byte(), count: 16)) ?? PacketID()
    }

    private func time(_ bytes: inout FuzzBytes) -> Timestamp {
      let choice = bytes.byte()
      return choice < 200
        ? clock.advanced(by: .seconds(Int64(choice) - 100)) : Timestamp(milliseconds: bytes.word())
    }

    private mutating func hello(_ bytes: inout FuzzBytes, on link: LinkID) {
      let other = others[Int(bytes.byte()) % others.count]
      let (id, time) = (id(&bytes), time(&bytes))
      let hello = other.makeHello(name: String(repeating: "x", count: 3), id: id, time: time)
      take(
        Packet(
          unchecked: 1, kind: 1, hopLimit: 1 + bytes.byte() % 3, flags: bytes.byte(), time: time,
          id: id, destination: .everyone, payload: hello.payload), on: link)
    }

    private mutating func message(_ bytes: inout FuzzBytes, on link: LinkID) {
      let place = Int(bytes.byte()) % others.count
      let (id, time) = (id(&bytes), time(&bytes))
      let messageID = MessageID(self.id(&bytes))
      let content: MessageContent
      switch bytes.byte() % 3 {
      case 0: content = .text("t\(bytes.byte())")
      case 1: content = .receipt(sent.last.map { MessageID($0.header.id) } ?? messageID)
      default:
        guard let signal = CallSignal(body: bytes.bytes(bytes.byte() & 1 == 0 ? 9 : 41).span.bytes)
        else { return }
        content = .callSignal(signal)
      }
      guard
        let payload = others[place].seal(
          content, messageID: messageID, to: mesh.ownKeys, packetID: id, time: time)
      else { return }
      take(
        Packet(
          kind: .sealed, hopLimit: 1 + bytes.byte() % 15, time: time, id: id,
          destination: mesh.ownFingerprint, payload: payload), on: link)
    }

    private mutating func junk(_ bytes: inout FuzzBytes, on link: LinkID) {
      let destination = [Fingerprint.everyone, mesh.ownFingerprint, Fingerprint(value: 5)]
      let lengths = [0, 21, 129, 193, 304, 305, 560]
      let length = lengths[Int(bytes.byte()) % lengths.count]
      take(
        Packet(
          unchecked: bytes.byte() & 3, kind: bytes.byte() & 7, hopLimit: 1 + bytes.byte() % 15,
          flags: bytes.byte(), time: time(&bytes), id: id(&bytes),
          destination: destination[Int(bytes.byte()) % 3], payload: bytes.bytes(length)), on: link)
    }

    private mutating func replay(_ bytes: inout FuzzBytes, on link: LinkID) {
      guard !sent.isEmpty else { return }
      let packet = sent[Int(bytes.byte()) % sent.count]
      take(Packet(packet, hopLimit: 1 + bytes.byte() % 15), on: link)
    }

    private mutating func act(_ bytes: inout FuzzBytes) {
      let number = others[Int(bytes.byte()) % others.count].publicKeys.fingerprint.number
      let moment = moment
      switch bytes.byte() % 6 {
      case 0: _ = try? mesh.send("hello", to: number, at: moment)
      case 1: try? mesh.call(number, at: moment)
      case 2: try? mesh.block(number, bytes.byte() & 1 == 0, at: moment)
      case 3: try? mesh.accept(number, fingerprint: nil, at: moment)
      case 4: _ = try? mesh.verify(number, fingerprint: nil)
      default: mesh.stop(at: moment)
      }
    }

    /// Takes what the mesh wants, and holds it against the rules.
    mutating func check() -> String? {
      for effect in mesh.takeEffects() {
        switch effect {
        case .send(let packet, let links):
          if Set(links).count != links.count { return "a packet goes twice onto one link" }
          if packet.header.hopLimit > 7 { return "\(packet.header.hopLimit) hops" }
          if PacketView(whole: packet.encoded.span.bytes) == nil { return "no packet is sent" }
          if sent.count < 64 { sent.append(packet) }
        case .show(let text):
          let isNew = shown.insert(Shown(sender: text.sender, id: text.id)).inserted
          if !isNew, !isTimeOut { return "a message is shown twice" }
        default: break
        }
      }
      for statistic in mesh.statistics where statistic.value > statistic.limit ?? .max {
        return "\(statistic.name) is over its bound"
      }
      if let deadline = mesh.deadline, deadline <= now {
        mesh.wake(at: moment)
        if let again = mesh.deadline, again <= now { return nil }
      }
      return nil
    }
  }
}
