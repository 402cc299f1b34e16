import Identity
import Mesh
import Outbox
import Wire

/// One mesh under test, with clocks that the test moves and links that are mere numbers.
struct TestMesh<Cryptography: MeshCryptography> {
  var mesh: Mesh<Cryptography>
  var now = Instant.zero + .seconds(1_000)
  var wallClock = Timestamp(milliseconds: 1_700_000_000_000)

  init(
    _ cryptography: Cryptography, name: String = "Ada", contacts: ContactBook = ContactBook(),
    received: [ReceivedRecord] = []
  ) {
    mesh = Mesh(
      cryptography: cryptography, name: name, contacts: contacts, received: received,
      now: .zero + .seconds(1_000))
  }

  var moment: Moment { Moment(instant: now, wallClock: wallClock) }
  var keys: PublicKeys { mesh.ownKeys }
  var fingerprint: Fingerprint { mesh.ownFingerprint }

  /// The time on everybody's clock, moved by `offset`.
  func time(_ offset: Duration = .zero) -> Timestamp { wallClock.advanced(by: offset) }

  /// Both clocks go on by `duration`, with nothing done meanwhile.
  mutating func pass(_ duration: Duration) {
    now = now + duration
    wallClock = wallClock.advanced(by: duration)
  }

  /// Both clocks go on, and the mesh is woken whenever it asked for it.
  mutating func live(_ duration: Duration) -> [MeshEffect] {
    let end = now + duration
    var effects: [MeshEffect] = []
    while let deadline = mesh.deadline, deadline <= end {
      pass(max(.zero, deadline - now))
      mesh.wake(at: moment)
      effects += mesh.takeEffects()
      if let next = mesh.deadline, next <= now { preconditionFailure("a wake without end") }
    }
    pass(end - now)
    return effects
  }

  mutating func wake() -> [MeshEffect] {
    mesh.wake(at: moment)
    return mesh.takeEffects()
  }

  @discardableResult
  mutating func up(_ link: UInt32, endpoint: String? = nil) -> [MeshEffect] {
    mesh.linkUp(LinkID(link), endpoint: endpoint ?? "host \(link)", at: moment)
    return mesh.takeEffects()
  }

  @discardableResult
  mutating func down(_ link: UInt32) -> [MeshEffect] {
    mesh.linkDown(LinkID(link), at: moment)
    return mesh.takeEffects()
  }

  /// Takes a packet in and opens whatever waits to be opened.
  @discardableResult
  mutating func receive(_ packet: Packet, on link: UInt32) -> [MeshEffect] {
    mesh.receive(packet.view, from: LinkID(link), at: moment)
    return work()
  }

  /// Takes a packet in and leaves it unopened.
  @discardableResult
  mutating func take(_ packet: Packet, on link: UInt32) -> [MeshEffect] {
    mesh.receive(packet.view, from: LinkID(link), at: moment)
    return mesh.takeEffects()
  }

  /// Opens whatever waits.
  mutating func work() -> [MeshEffect] {
    while mesh.hasWork { mesh.work(at: moment) }
    return mesh.takeEffects()
  }

  mutating func send(
    _ text: String, to number: Number, fingerprint: Fingerprint? = nil
  ) throws(MeshRefusal) -> (id: MessageID, effects: [MeshEffect]) {
    let id = try mesh.send(text, to: number, fingerprint: fingerprint, at: moment)
    return (id, mesh.takeEffects())
  }

  /// Why a text cannot be sent; nil when it can.
  mutating func refusal(
    _ text: String = "hello", to number: Number, fingerprint: Fingerprint? = nil
  ) -> MeshRefusal? {
    do throws(MeshRefusal) {
      _ = try send(text, to: number, fingerprint: fingerprint)
      return nil
    } catch {
      return error
    }
  }

  /// The hello of somebody, heard on a link.
  @discardableResult
  mutating func hear(
    _ speaker: inout Speaker<Cryptography>, on link: UInt32, hops: UInt8 = 2
  ) -> [MeshEffect] {
    receive(speaker.hello(at: wallClock, hops: hops), on: link)
  }

  /// A new text of somebody, received and opened.
  @discardableResult
  mutating func receiveText(
    _ text: String = "hello", from speaker: inout Speaker<Cryptography>, on link: UInt32
  ) -> [MeshEffect] {
    receive(speaker.text(text, to: keys, at: wallClock), on: link)
  }

  func counter(_ name: String) -> Int? {
    mesh.statistics.first { $0.name == name }?.value
  }

  func person(_ keys: PublicKeys) -> Person? { mesh.everyone.first { $0.keys == keys } }
}

extension TestMesh<ModelCryptography> {
  /// The mesh of the model's person of this number, 1 where a test says nothing else.
  init(
    person: UInt64 = 1, contacts: ContactBook = ContactBook(), received: [ReceivedRecord] = []
  ) {
    self.init(ModelCryptography(person, seed: 1), contacts: contacts, received: received)
  }
}
