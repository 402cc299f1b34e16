import Identity
import Mesh
import Testing
import Wire

@testable import MeshSim

/// The model keeps the rules of the real cryptography: both are held against them here.
@Suite("cryptography of the simulator") struct ModelCryptographyTests {
  enum Kind: CaseIterable { case model, real }

  private let time = Timestamp(milliseconds: 1_700_000_000_000)
  private let id = PacketID((0..<16).map { UInt8($0) }) ?? PacketID()

  private func person(_ number: UInt64, _ kind: Kind) throws -> any MeshCryptography {
    switch kind {
    case .model: ModelCryptography(person: number, worldKey: 7, seed: 1)
    case .real: try #require(SeededCryptography(person: number, worldKey: 7, seed: 1))
    }
  }

  private func open(
    _ payload: [UInt8], by person: any MeshCryptography, id: PacketID? = nil,
    time: Timestamp? = nil
  ) -> OpenedMessage? {
    person.open(payload.span.bytes, packetID: id ?? self.id, time: time ?? self.time)
  }

  private func sealed(
    _ content: MessageContent, from: any MeshCryptography, to: any MeshCryptography
  ) throws -> [UInt8] {
    var from = from
    let payload = from.seal(
      content, messageID: MessageID(id), to: to.publicKeys, packetID: id, time: time)
    return try #require(payload)
  }

  @Test("what is sealed opens for its recipient and for nobody else", arguments: Kind.allCases)
  func recipient(kind: Kind) throws {
    let people = try (1...3 as ClosedRange<UInt64>).map { try person($0, kind) }
    for content in [MessageContent.text("hello"), .receipt(MessageID(id))] {
      let payload = try sealed(content, from: people[0], to: people[1])
      #expect(SealedPayload.isLength(payload.count))
      let opened = open(payload, by: people[1])
      #expect(opened?.sender == people[0].publicKeys)
      #expect(opened?.content == content)
      #expect(opened?.messageID == MessageID(id))
      #expect(open(payload, by: people[0]) == nil)
      #expect(open(payload, by: people[2]) == nil)
    }
  }

  @Test("under another packet id or time it does not open", arguments: Kind.allCases)
  func relabelled(kind: Kind) throws {
    let (ada, bob) = (try person(1, kind), try person(2, kind))
    let payload = try sealed(.text("hello"), from: ada, to: bob)
    let other = PacketID([UInt8](repeating: 9, count: 16)) ?? PacketID()
    #expect(open(payload, by: bob, id: other) == nil)
    #expect(open(payload, by: bob, time: Timestamp(milliseconds: 1)) == nil)
  }

  @Test("with any byte changed it does not open", arguments: Kind.allCases)
  func tampered(kind: Kind) throws {
    let (ada, bob) = (try person(1, kind), try person(2, kind))
    let payload = try sealed(.text("hello"), from: ada, to: bob)
    for place in stride(from: 0, to: payload.count, by: kind == .real ? 13 : 1) {
      var changed = payload
      // Not the highest bit of a key, which X25519 does not look at.
      changed[place] ^= 1
      #expect(open(changed, by: bob) == nil, "byte \(place)")
    }
    #expect(open(Array(payload.dropLast()), by: bob) == nil)
    #expect(open([], by: bob) == nil)
  }

  @Test("lengths are the same with both", arguments: [1, 93, 109, 110, 365, 366, 8_045])
  func lengths(size: Int) throws {
    let text = MessageContent.text(String(repeating: "x", count: size))
    let lengths = try Kind.allCases.map { kind in
      try sealed(text, from: try person(1, kind), to: try person(2, kind)).count
    }
    #expect(lengths[0] == lengths[1])
  }

  @Test("a hello holds for its person, id, time and name alone", arguments: Kind.allCases)
  func hello(kind: Kind) throws {
    let (ada, bob) = (try person(1, kind), try person(2, kind))
    let hello = ada.makeHello(name: "Ada", id: id, time: time)
    #expect(bob.isAuthentic(hello, id: id, time: time))
    #expect(!bob.isAuthentic(hello, id: PacketID(), time: time))
    #expect(!bob.isAuthentic(hello, id: id, time: .zero))
    let renamed = Hello(keys: hello.keys, name: "Adb", signature: hello.signature)
    #expect(!bob.isAuthentic(renamed, id: id, time: time))
    let stolen = Hello(keys: bob.publicKeys, name: "Ada", signature: hello.signature)
    #expect(!bob.isAuthentic(stolen, id: id, time: time))
  }
}
