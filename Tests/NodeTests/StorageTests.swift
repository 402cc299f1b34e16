import Chat
import Glibc
import Identity
import Mesh
import Node
import TestSupport
import Testing
import Wire

/// A home in a directory of its own, gone with the test.
private final class TestHome {
  private let directory: ScratchDirectory
  let home: Home

  init() throws {
    directory = try ScratchDirectory()
    home = try Home(path: directory.file("home"), ifMissing: .create)
  }
}

@Suite(.timeLimit(.minutes(1))) @MainActor struct StorageTests {
  private func parts(_ home: Home, _ identity: Identity) throws -> Node.Parts {
    let (storage, contacts, received) = try NodeStorage.open(home, identity)
    var parts = Node.Parts(identity: identity, name: "Anna")
    parts.storage = storage
    parts.contacts = contacts
    parts.received = received
    return parts
  }

  @Test("a message recorded on the air is not shown again after a restart")
  func restart() async throws {
    let directory = try TestHome()
    let identity = Identity.generate()
    let ben = try TestNode("Ben")
    var recorded: [Packet] = []
    do {
      let first = try parts(directory.home, identity)
      let anna = try TestNode("Anna") { $0 = first }
      MemoryTransport.connect(anna.transport, ben.transport)
      _ = await anna.front.event { $0.peer != nil }
      _ = await ben.front.event { $0.peer != nil }
      // Writing to Ben pins him: what pinned people sent is remembered on disk.
      anna.front.ask(.send(to: .number(ben.fingerprint.number), text: "hi"))
      ben.front.ask(.send(to: .number(identity.fingerprint.number), text: "once only"))
      _ = await anna.front.event { $0.message?.text == "once only" }
      recorded = ben.transport.sent.filter { $0.header.kind == .sealed }
      anna.node.stop()
    }
    let second = try parts(directory.home, identity)
    #expect(second.contacts.contacts.map(\.name) == ["Ben"])
    let anna = try TestNode("Anna") { $0 = second }
    let other = try TestNode("Ben")
    MemoryTransport.connect(anna.transport, other.transport)
    _ = await other.front.event { $0.peer != nil }
    for packet in recorded { anna.transport.receive(packet) }
    other.front.ask(.send(to: .number(identity.fingerprint.number), text: "new"))
    _ = await anna.front.event { $0.message?.text == "new" }
    #expect(anna.front.events.compactMap { $0.message?.text } == ["new"])
  }

  @Test("a contact that another program changes is taken over while the node runs")
  func changedByOthers() async throws {
    let directory = try TestHome()
    let identity = Identity.generate()
    let made = try parts(directory.home, identity)
    let anna = try TestNode("Anna") { $0 = made }
    let card = Identity.generate()
    _ = try ContactStore(home: directory.home, identity: identity).update([
      .pin(card.publicKeys, name: "Carla")
    ])
    // Told by the kernel, some time soon.
    while true {
      anna.front.ask(.peers, ref: "p")
      if case .peers(let peers, _) = anna.front.events.last, !peers.isEmpty {
        #expect(peers.map(\.name) == ["Carla"])
        break
      }
      await Task.yield()
    }
    anna.front.ask(.send(to: .number(card.fingerprint.number), text: "known by card"))
    #expect(anna.front.events.last?.delivery?.state == .waiting)
  }
}
