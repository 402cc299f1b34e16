import Foundation
import Identity
import Mesh
import Outbox
import Testing
import Wire

/// What the model only stands for, with the cryptography that ships.
@Suite("real keys") struct RealKeysTests {
  private func speaker(_ byte: UInt8, _ name: String) throws -> Speaker<SealedCryptography> {
    Speaker(SealedCryptography(try .sample(byte)), name: name)
  }

  private func mesh(contacts: ContactBook = ContactBook()) throws -> TestMesh<SealedCryptography> {
    var test = TestMesh(SealedCryptography(try .sample(1)), contacts: contacts)
    test.up(1)
    return test
  }

  @Test("of every byte of a hello that is changed, none leaves it heard", arguments: 0..<132)
  func changedHello(place: Int) throws {
    var test = try mesh()
    var bob = try speaker(2, "Bob")
    let hello = bob.hello(at: test.wallClock)
    var payload = Array(hello.payload)
    try #require(payload.count == 132)
    payload[place] ^= 1
    let changed = Packet(
      kind: .hello, hopLimit: 2, time: hello.header.time, id: hello.header.id,
      destination: .everyone, payload: payload)
    #expect(test.receive(changed, on: 1).isEmpty)
    #expect(test.mesh.everyone.isEmpty)
    #expect(!test.receive(hello, on: 1).people.isEmpty)
  }

  @Test("a message changed anywhere, relabelled or for another shows nothing")
  func changedMessage() throws {
    var test = try mesh()
    var bob = try speaker(2, "Bob")
    let message = bob.text("hello", to: test.keys, at: test.wallClock)
    for place in stride(from: 0, to: 304, by: 7) {
      var payload = Array(message.payload)
      payload[place] ^= 0x80
      let changed = Packet(
        kind: .sealed, hopLimit: 7, time: message.header.time, id: message.header.id,
        destination: test.fingerprint, payload: payload)
      #expect(test.receive(changed, on: 1).isEmpty)
    }
    let carol = try speaker(3, "Carol")
    let forCarol = bob.text("hello", to: carol.keys, at: test.wallClock)
    let misled = Packet(
      kind: .sealed, hopLimit: 7, time: forCarol.header.time, id: forCarol.header.id,
      destination: test.fingerprint, payload: Array(forCarol.payload))
    #expect(test.receive(misled, on: 1).isEmpty)
    #expect(test.receive(message, on: 1).texts == ["hello"])
  }

  @Test("the longest text goes through, there and back")
  func longest() throws {
    let net = TestNet<SealedCryptography>(seed: 1)
    let identities = try (1...2).map { try Identity.sample(UInt8($0)) }
    let ada = net.add("Ada") { _ in SealedCryptography(identities[0]) }
    let bob = net.add("Bob") { _ in SealedCryptography(identities[1]) }
    net.join(ada, bob)
    net.run(for: .seconds(3))
    let text = String(repeating: "€", count: 2_681) + "ab"
    try #require(text.utf8.count == 8_045)
    try net.send(text, from: ada, to: bob)
    net.run(for: .seconds(1))
    #expect(net[bob].effects.texts == [text])
    #expect(net[ada].effects.states == [.sent, .delivered])
  }

  private struct Twins: Decodable {
    struct Person: Decodable { let seed: String }
    let twins: [Person]
  }

  /// Two identities of one number, from `Fixtures/identity`.
  private func twins() throws -> [Speaker<SealedCryptography>] {
    let root = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let url = root.appending(components: "Fixtures", "identity", "identity.json")
    let fixture = try JSONDecoder().decode(Twins.self, from: Data(contentsOf: url))
    return try fixture.twins.map { person in
      var seed = try #require([UInt8](hex: person.seed))
      let identity = Identity(seed: SecretBytes(consuming: &seed))
      return Speaker(SealedCryptography(try #require(identity)), name: "Bob")
    }
  }

  @Test("two people of one number: ambiguous, then one pinned and the other refused")
  func oneNumber() throws {
    var twins = try twins()
    var test = try mesh()
    for index in twins.indices { test.hear(&twins[index], on: 1) }
    let number = twins[0].number
    #expect(
      test.refusal(to: number) == .ambiguous(number, twins.map(\.fingerprint).sorted()))
    let id = try test.send("hello", to: number, fingerprint: twins[0].fingerprint).id
    #expect(test.receiveText(from: &twins[1], on: 1).warnings.count == 1)
    #expect(test.refusal(to: number) == .keysChanged(number))
    try test.mesh.accept(number, fingerprint: twins[1].fingerprint, at: test.moment)
    #expect(test.mesh.takeEffects().contains(.state(id, .failed(.keysChanged))))
    #expect(test.receiveText(from: &twins[1], on: 1).texts == ["hello"])
    #expect(test.receiveText(from: &twins[0], on: 1).isEmpty)
  }
}
