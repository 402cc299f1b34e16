import Identity
import Mesh
import Testing
import Wire

/// The mesh asks to be woken when there is something to do, and never in vain for ever.
@Suite("deadlines") struct DeadlineTests {
  @Test("a mesh without links or messages wants nothing")
  func idle() {
    var test = TestMesh()
    #expect(test.mesh.deadline == nil)
    test.up(1)
    _ = test.live(.seconds(10))
    #expect(test.mesh.deadline == nil)
    #expect(test.wake().isEmpty)
  }

  @Test("the earliest of all that is due counts")
  func earliest() throws {
    var test = TestMesh()
    test.up(1)
    #expect(test.mesh.deadline == test.now + .milliseconds(1_500))
    test.mesh.announce(at: test.moment)
    test.mesh.announce(at: test.moment)
    _ = test.mesh.takeEffects()
    #expect(test.mesh.deadline == test.now + .seconds(1))
    var bob = Speaker(2)
    test.hear(&bob, on: 1)
    let packet = try #require(try test.send("hello", to: bob.number).effects.sends.first?.packet)
    test.mesh.wasShed(packet, on: LinkID(1), at: test.moment)
    #expect(test.mesh.deadline == test.now + .milliseconds(250))
  }

  @Test("woken early it does nothing", arguments: 1...20)
  func early(seed: UInt64) throws {
    var test = TestMesh(ModelCryptography(1, seed: seed))
    test.up(1)
    var bob = Speaker(2)
    test.hear(&bob, on: 1)
    _ = try test.send("hello", to: bob.number)
    for _ in 0..<20 {
      let deadline = try #require(test.mesh.deadline)
      test.pass(deadline - test.now - .nanoseconds(1))
      #expect(test.wake().isEmpty)
      test.pass(.nanoseconds(1))
      _ = test.wake()
    }
  }

  @Test("after each wake the next deadline lies ahead, whatever happened before")
  func movesOn() {
    for seed in seeds(100) {
      var run = Run(seed: seed)
      for step in 0..<200 {
        run.step()
        if let stuck = run.wakeAtDeadline() {
          Issue.record("AIRLINK_SEED=\(seed), step \(step): \(stuck)")
          return
        }
      }
    }
  }

  /// Links, hellos, messages, receipts and clocks at random.
  private struct Run {
    var test: TestMesh<ModelCryptography>
    var random: SplitMix64
    var people = (2...6).map { Speaker(UInt64($0)) }
    var sent: [(id: MessageID, to: Int)] = []
    var nextLink: UInt32 = 1
    var links: [UInt32] = []

    init(seed: UInt64) {
      random = SplitMix64(seed: seed)
      test = TestMesh(ModelCryptography(1, seed: seed))
    }

    mutating func step() {
      let person = Int.random(in: people.indices, using: &random)
      let link = links.randomElement(using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0:
        test.up(nextLink, endpoint: "host")
        links.append(nextLink)
        nextLink += 1
      case 1:
        if let link {
          test.down(link)
          links.removeAll { $0 == link }
        }
      case 2, 3:
        if let link {
          test.hear(&people[person], on: link, hops: UInt8.random(in: 1...2, using: &random))
        }
      case 4, 5:
        if let sent = try? test.send("hello", to: people[person].number) {
          self.sent.append((sent.id, person))
        }
      case 6:
        if let link, let (id, to) = sent.randomElement(using: &random) {
          test.receive(people[to].sealed(.receipt(id), to: test.keys, at: test.wallClock), on: link)
        }
      case 7: test.mesh.announce(at: test.moment)
      case 8:
        let jump = Int64.random(in: -30_000_000...30_000_000, using: &random)
        test.wallClock = test.time(.milliseconds(jump))
      default:
        let seconds: Double = [0.01, 1, 30, 600, 7_200, 40_000].randomElement(using: &random) ?? 1
        test.pass(.seconds(Double.random(in: 0...seconds, using: &random)))
      }
      _ = test.mesh.takeEffects()
    }

    /// What is wrong with the deadline that follows a wake; nil when nothing is.
    mutating func wakeAtDeadline() -> String? {
      guard let deadline = test.mesh.deadline else { return nil }
      // Sometimes the time comes, sometimes it is past already.
      if deadline <= test.now || Bool.random(using: &random) {
        test.pass(max(.zero, deadline - test.now))
        _ = test.wake()
        if let next = test.mesh.deadline, next <= test.now {
          return "woken at \(test.now), and wants it again at \(next)"
        }
      }
      return nil
    }
  }
}
