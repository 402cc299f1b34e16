import Discovery
import Link
import Testing
import Wire

@testable import WiFiLink

/// Two links to one person: the layer above closes one, and it must not come back.
@Suite struct ReplacedTests {
  /// A policy with a link that it dialled to a named peer, at `10.0.0.2:4000`.
  private func dialled() -> (PolicyHarness, LinkID) {
    var harness = PolicyHarness(peers: 1)
    harness.pass(.zero)
    let dial = harness.act { $0.lookedUp(peer: 0, [.host(2)], now: $1) }.dials[0].id
    let link = harness.connect(dial)
    harness.prove(link)
    harness.forget()
    return (harness, link)
  }

  @Test("a replaced link is not dialled again while another link to that host lives")
  func replaced() {
    var (harness, mine) = dialled()
    let theirs = harness.accept(from: .host(2, port: 55_000))
    harness.prove(theirs)
    harness.end(mine, .replaced)
    harness.forget()
    #expect(harness.pass(.seconds(3_600)) == [])
    harness.end(theirs)
    harness.forget()
    let effects = harness.pass(.milliseconds(1_250))
    #expect(effects.lookUps == [0])
    #expect(effects.endpoints == [.host(2)])
  }

  @Test("one replaced with no other link left is dialled again after its pause")
  func replacedAlone() {
    var (harness, mine) = dialled()
    harness.end(mine, .replaced)
    #expect(harness.pass(.milliseconds(1_250)).lookUps == [0])
  }

  @Test("a link of another person on the same host holds nobody back")
  func otherPerson() {
    var (harness, mine) = dialled()
    harness.claim(mine, 2)
    let other = harness.accept(from: .host(2, port: 55_000))
    harness.prove(other)
    harness.claim(other, 3)
    harness.end(mine, .replaced)
    #expect(harness.pass(.milliseconds(1_250)).lookUps == [0])
  }

  @Test("when the other side closed ours and its own link stands, that is enough")
  func closedByOtherSide() {
    var (harness, mine) = dialled()
    harness.claim(mine, 2)
    let theirs = harness.accept(from: .host(2, port: 55_000))
    harness.prove(theirs)
    harness.end(mine, .lost("closed by the other end"))
    // Its hello on the link that stays may come after the end of the other one.
    harness.claim(theirs, 2)
    harness.forget()
    #expect(harness.pass(.seconds(3_600)) == [])
    harness.end(theirs)
    #expect(harness.pass(.milliseconds(2_600)).lookUps == [0])
  }

  @Test("the same claim from another host holds nobody back")
  func claimFromElsewhere() {
    var (harness, mine) = dialled()
    harness.claim(mine, 2)
    let impostor = harness.accept(from: .host(66))
    harness.prove(impostor)
    harness.claim(impostor, 2)
    harness.end(mine)
    #expect(harness.pass(.milliseconds(1_250)).lookUps == [0])
  }

  @Test("two nodes of this machine know each other by any of its addresses")
  func sameMachine() {
    var harness = PolicyHarness(peers: 1)
    harness.act { $0.networkChanged(.sample, now: $1) }
    harness.pass(.seconds(1))
    let remote = Endpoint.parsed("127.0.0.1")
    let dial = harness.act { $0.lookedUp(peer: 0, [remote], now: $1) }.dials[0].id
    let mine = harness.link()
    harness.act {
      $0.dialled(dial, mine, local: .parsed("127.0.0.1", port: 50_000), remote: remote, now: $1)
    }
    harness.claim(mine, 2)
    // It dialled us at our address on the network.
    let theirs = harness.accept(from: .host(1, port: 51_000), to: .host(1))
    harness.prove(theirs)
    harness.claim(theirs, 2)
    harness.end(mine, .lost("closed by the other end"))
    harness.forget()
    #expect(harness.pass(.seconds(600)) == [])
  }

  /// Both name each other as `--peer`.
  ///
  /// The one with the lower fingerprint closes the older of two
  /// links to one person, as the mesh does; whichever is older, one link must remain for good.
  @Test("mutual peers settle on one link and never flap", arguments: 0..<200 as Range<UInt64>)
  func mutualPeers(seed: UInt64) {
    var world = MutualPeers(seed: seed)
    world.run(for: .seconds(60))
    #expect(world.links.count == 1, "seed \(seed)")
    #expect(world.made <= 4, "seed \(seed): \(world.made) links were made")
    let made = world.made
    world.run(for: .seconds(3_600))
    #expect(world.links.count == 1 && world.made == made, "seed \(seed)")
    // And when that one is lost, they find each other again.
    world.loseAll()
    world.run(for: .seconds(60))
    #expect(world.links.count == 1, "seed \(seed)")
  }
}

/// Two policies that dial each other, over a network with delays of chance.
private struct MutualPeers {
  struct Connection {
    /// Which of the two dialled.
    let dialler: Int
    let ids: [LinkID]
    let madeAt: Int
  }

  var sides: [PolicyHarness]
  var links: [Connection] = []
  var made = 0
  private var random: SplitMix64
  private var pending: [(due: Instant, act: (inout MutualPeers) -> Void)] = []
  private var taken = [0, 0]
  private var now = Instant.zero

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    sides = [PolicyHarness(peers: 1, seed: seed * 2), PolicyHarness(peers: 1, seed: seed * 2 + 1)]
    let start = Duration.milliseconds(Int.random(in: 0..<3, using: &random))
    sides[1].pass(start)
    sides[0].pass(start)
    now = .zero + start
  }

  mutating func run(for duration: Duration) {
    let end = now + duration
    while true {
      collect()
      let next = min(
        pending.map(\.due).min() ?? .distantFuture,
        sides.compactMap(\.policy.nextDeadline).min() ?? .distantFuture)
      guard next <= end else { break }
      now = max(now, next)
      for side in 0...1 where sides[side].now < now { sides[side].pass(now - sides[side].now) }
      let due = pending.filter { $0.due <= now }
      pending.removeAll { $0.due <= now }
      for item in due { item.act(&self) }
    }
    now = end
    for side in 0...1 where sides[side].now < now { sides[side].pass(now - sides[side].now) }
  }

  mutating func loseAll() {
    for connection in links {
      for side in 0...1 { sides[side].end(connection.ids[side]) }
    }
    links = []
  }

  private mutating func later(_ act: @escaping (inout MutualPeers) -> Void) {
    pending.append((now + .milliseconds(Int.random(in: 0..<5, using: &random)), act))
  }

  /// Carries out what the policies asked for since the last time.
  private mutating func collect() {
    for side in 0...1 {
      let new = Array(sides[side].effects.dropFirst(taken[side]))
      taken[side] = sides[side].effects.count
      for effect in new {
        switch effect {
        case .lookUp:
          later { $0.sides[side].act { $0.lookedUp(peer: 0, [.host(UInt32(2 - side))], now: $1) } }
        case .dial(let dial, let remote, _): later { $0.connect(side, dial, remote) }
        default: break
        }
      }
    }
  }

  private mutating func connect(_ side: Int, _ dial: DialID, _ remote: Endpoint) {
    made += 1
    let port = UInt16(50_000 + made)
    let local = Endpoint.host(UInt32(side + 1), port: port)
    let ids = [sides[0].link(), sides[1].link()]
    sides[side].act { $0.dialled(dial, ids[side], local: local, remote: remote, now: $1) }
    sides[1 - side].act { $0.accepted(ids[1 - side], local: remote, remote: local, now: $1) }
    links.append(Connection(dialler: side, ids: ids, madeAt: made))
    let made = made
    for end in 0...1 {
      later { world in
        guard world.links.contains(where: { $0.madeAt == made }) else { return }
        world.sides[end].prove(ids[end])
        world.sides[end].claim(ids[end], UInt64(2 - end))
        if end == 0 { world.replace() }
      }
    }
  }

  /// Side 0 has the lower fingerprint: it closes all but the newest link whose hello it has heard.
  private mutating func replace() {
    let heard = links.filter { sides[0].policy.links[$0.ids[0]]?.claim != nil }
    for older in heard.dropLast() {
      links.removeAll { $0.madeAt == older.madeAt }
      sides[0].end(older.ids[0], .replaced)
      later { $0.sides[1].end(older.ids[1], .lost("closed by the other end")) }
    }
  }
}
