import Identity
import Mesh
import Testing
import Wire

@Suite("two hundred links") struct ManyLinksTests {
  private func crowd() -> (TestMesh<ModelCryptography>, [Speaker<ModelCryptography>]) {
    var test = TestMesh()
    var people = (0..<200).map { Speaker(UInt64(10 + $0), name: "\($0)") }
    for index in people.indices {
      test.up(UInt32(index))
      test.hear(&people[index], on: UInt32(index))
    }
    return (test, people)
  }

  @Test("each gets its own second hello, everybody is near, and messages go three hops")
  func all() throws {
    var (test, people) = crowd()
    let hellos = test.live(.seconds(2)).hellos(of: test.keys)
    #expect(hellos.map(\.links) == (0..<200).map { [LinkID($0)] })
    #expect(Set(hellos.map(\.packet.header.id)).count == 200)
    #expect(test.mesh.everyone.filter(\.isDirect).count == 200)
    let sent = try test.send("hello", to: people[199].number).effects.sends(.sealed)
    #expect(sent.first?.packet.header.hopLimit == 3)
    #expect(sent.first?.links == (0..<200).map { LinkID($0) })
    for index in people.indices {
      #expect(
        test.receiveText("\(index)", from: &people[index], on: UInt32(index)).texts.count == 1)
    }
  }

  @Test("a packet for another goes to all but its own, its copies nowhere")
  func relaying() {
    var (test, people) = crowd()
    let packet = people[7].text("hello", to: ModelCryptography.keys(of: 9), at: test.wallClock)
    let relays = test.receive(packet, on: 7).sends
    #expect(relays.count == 1)
    #expect(relays.first?.links == (0..<200).filter { $0 != 7 }.map { LinkID($0) })
    for link in 0..<200 as Range<UInt32> { #expect(test.receive(packet, on: link).isEmpty) }
  }

  @Test("links that go down in any order leave the others as they were")
  func downAgain() {
    var (test, people) = crowd()
    var random = SplitMix64(seed: 5)
    var up = Array(0..<200 as Range<UInt32>)
    for link in up.shuffled(using: &random) {
      #expect(test.down(link).people.map(\.keys) == [people[Int(link)].keys])
      up.removeAll { $0 == link }
      test.pass(.seconds(1))
      test.mesh.announce(at: test.moment)
      let links = test.mesh.takeEffects().sends.map(\.links)
      #expect(links == (up.isEmpty ? [] : [up.map { LinkID($0) }]))
    }
  }

  @Test("every table has a bound with a name of its own, and keeps it")
  func statistics() throws {
    var (test, people) = crowd()
    _ = try test.send("hello", to: people[0].number)
    test.receiveText(from: &people[0], on: 0)
    test.receiveText(from: &people[1], on: 1)
    test.take(people[2].text("hello", to: test.keys, at: test.wallClock), on: 2)
    let statistics = test.mesh.statistics
    #expect(Set(statistics.map(\.name)).count == statistics.count)
    #expect(statistics.allSatisfy { $0.value >= 0 && $0.value <= $0.limit ?? .max })
    for (name, value) in [
      ("mesh.people", 200), ("mesh.contacts", 1), ("mesh.own-texts", 1), ("mesh.to-open", 1),
      ("mesh.to-open-bytes", 348), ("mesh.pinned-messages", 1), ("mesh.strangers-messages", 1),
      ("mesh.conflicts", 0), ("mesh.rejected-keys", 0), ("outbox-messages", 1),
    ] {
      let statistic = try #require(statistics.first { $0.name == name })
      #expect(statistic.value == value, "\(name)")
      #expect(statistic.limit != nil, "\(name)")
    }
    #expect(statistics.first { $0.name == "mesh.receipts-sent" }?.value == 2)
  }
}
