import Identity
import Mesh
import Testing
import Wire

/// Two links to one person at one host are one too many.
@Suite("two links to one person") struct LinkPairTests {
  /// Two people, the first of the lower fingerprint.
  private func pair() -> (TestNet<ModelCryptography>, lower: Int, higher: Int) {
    let net = TestNet<ModelCryptography>(seed: 1)
    let people = [1, 2].sorted { Speaker($0).fingerprint < Speaker($1).fingerprint }
    return (net, net.add(person: people[0]), net.add(person: people[1]))
  }

  @Test(
    "at one host: the lower fingerprint closes the older, and it alone",
    arguments: [
      true, false,
    ])
  func oneHost(lowerFirst: Bool) {
    let (net, lower, higher) = pair()
    let ends = lowerFirst ? [lower, higher] : [higher, lower]
    let older = net.join(ends[0], ends[1], hosts: ["x", "y"])
    net.run(for: .seconds(5))
    let newer = net.join(ends[0], ends[1], hosts: ["x", "y"])
    let link = net.lines[older].links[lowerFirst ? 0 : 1]
    net.run(for: .seconds(5))
    #expect(net[lower].effects.closed == [link])
    #expect(net[higher].effects.closed.isEmpty)
    #expect(net.lines[older].links.isEmpty)
    #expect(!net.lines[newer].links.isEmpty)
    #expect(net[lower].effects.people.map(\.isDirect) == [true], "nobody seemed to go away")
    #expect(net[higher].mesh.everyone.map(\.isDirect) == [true])
  }

  @Test("at two hosts both stay")
  func twoHosts() {
    let (net, lower, higher) = pair()
    let lines = [
      net.join(lower, higher, hosts: ["x", "y"]), net.join(lower, higher, hosts: ["x", "z"]),
    ]
    net.run(for: .seconds(5))
    #expect(lines.allSatisfy { !net.lines[$0].links.isEmpty })
  }

  @Test("at one host, but two people, both stay")
  func twoPeople() {
    let (net, lower, higher) = pair()
    let third = net.add(person: 3)
    let lines = [
      net.join(lower, higher, hosts: ["x", "y"]), net.join(lower, third, hosts: ["x", "y"]),
    ]
    net.run(for: .seconds(5))
    #expect(lines.allSatisfy { !net.lines[$0].links.isEmpty })
  }

  /// A mesh whose fingerprint is lower, or higher, than that of the person it hears.
  private func meeting(lower: Bool) -> (TestMesh<ModelCryptography>, Speaker<ModelCryptography>) {
    let test = TestMesh()
    let person = (2...100).first { (test.fingerprint < Speaker($0).fingerprint) == lower } ?? 0
    return (test, Speaker(person))
  }

  @Test("the older is closed too when its hello comes after the newer's")
  func olderSpeaksLast() {
    var (test, bob) = meeting(lower: true)
    test.up(1, endpoint: "y")
    test.up(2, endpoint: "y")
    #expect(test.hear(&bob, on: 2).closed.isEmpty)
    test.pass(.milliseconds(1))
    #expect(test.hear(&bob, on: 1).closed == [LinkID(1)])
  }

  @Test("of three the newest stays, and each of the others is closed once")
  func three() {
    var (test, bob) = meeting(lower: true)
    for link in 1...3 as ClosedRange<UInt32> { test.up(link, endpoint: "y") }
    var closed: [LinkID] = []
    for link in [2, 1, 3, 1, 2, 3] as [UInt32] {
      test.pass(.milliseconds(1))
      closed += test.hear(&bob, on: link).closed
    }
    #expect(closed == [LinkID(1), LinkID(2)])
  }

  @Test("the higher fingerprint closes none")
  func higher() {
    var (test, bob) = meeting(lower: false)
    for link in 1...3 as ClosedRange<UInt32> {
      test.up(link, endpoint: "y")
      test.pass(.milliseconds(1))
      #expect(test.hear(&bob, on: link).closed.isEmpty)
    }
  }

  @Test("what still comes in on a link that is being replaced counts")
  func stillHeard() {
    var (test, bob) = meeting(lower: true)
    test.up(1, endpoint: "y")
    test.up(2, endpoint: "y")
    test.hear(&bob, on: 1)
    test.pass(.milliseconds(1))
    test.hear(&bob, on: 2)
    #expect(test.receiveText(from: &bob, on: 1).texts == ["hello"])
  }
}
