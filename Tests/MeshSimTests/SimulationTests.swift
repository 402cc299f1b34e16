import Identity
import Mesh
import Testing
import Wire

@testable import MeshSim

@Suite("simulation") struct SimulationTests {
  /// A small world with every fault and every attacker.
  private func busy() throws -> Scenario {
    try scenario(
      """
      {"devices": 11, "area": [50, 50], "mobility": "waypoint", "duration": 40, "tick": 2,
       "radios": [{"kind": "ble", "loss": 0.05}, {"kind": "wifi", "range": 20, "links": 3}],
       "texts": {"each": 2, "between": [5, 30], "to": "anyone"},
       "faults": {"radioOffShare": 0.3, "radioOffEvery": 20, "radioOffFor": 5,
         "restartShare": 0.3, "restartEvery": 20, "restartAfter": 2, "clockSkew": 100,
         "wrongClockShare": 0.1},
       "attackers": {"flooders": 1, "replayers": 1, "forgers": 1, "blackHoles": 1,
         "relabellers": 1, "rate": 2}}
      """)
  }

  @Test("one seed gives one run, event by event", arguments: seeds(1))
  func determinism(seed: UInt64) throws {
    var first = world(try busy(), seed: seed)
    first.run()
    var second = world(try busy(), seed: seed)
    // Stepped, in pieces, beside something else that takes memory.
    second.run(until: 500)
    let elsewhere = (0..<1_000).map { [UInt8](repeating: 1, count: $0) }
    second.run()
    #expect(elsewhere.count == 1_000)
    #expect(first.digest == second.digest, "AIRLINK_SEED=\(seed)")
    #expect(first.measures.events == second.measures.events)
    #expect(first.violation == nil)
    #expect(first.measures.arrivals > 500)
    #expect(first.summary.shown > 0)
    var other = world(try busy(), seed: seed &+ 1_000)
    other.run()
    #expect(other.digest != first.digest)
  }

  @Test("with the real cryptography a world goes the same way", arguments: seeds(1))
  func realCryptography(seed: UInt64) throws {
    let scenario = try scenario(
      """
      {"devices": 7, "area": [25, 25], "duration": 30, "radios": [{"kind": "ble", "loss": 0.02}],
       "texts": {"each": 2, "between": [10, 20], "to": "anyone"}}
      """)
    var model = world(scenario, seed: seed)
    model.run()
    var real = Simulation(scenario, seed: seed) { device, life in
      guard
        let person = SeededCryptography(
          person: UInt64(device) + 1, worldKey: 5,
          seed: seed &* 1_000_003 &+ UInt64(device) << 20 &+ UInt64(life))
      else { preconditionFailure("a seed of another length") }
      return person
    }
    real.run()
    #expect(model.summary.delivered > 10)
    #expect(model.summary.delivered == real.summary.delivered)
    #expect(model.summary.delaysToDeliver == real.summary.delaysToDeliver)
    #expect(model.measures.arrivals == real.measures.arrivals)
    #expect(model.measures.sealed.bytes == real.measures.sealed.bytes)
    #expect(real.violation == nil)
  }

  @Test("every scenario keeps the rules, made small", arguments: scenarioNames, seeds(1))
  func rules(name: String, seed: UInt64) throws {
    var scenario = try readScenario(name)
    let small = 7 + scenario.attackers.count
    if scenario.devices > small {
      scenario.devices = small
      scenario.area = (min(scenario.area.width, 60), min(scenario.area.height, 60))
    }
    scenario.tick = max(scenario.tick, .seconds(2))
    scenario.duration = min(scenario.duration, .seconds(40))
    scenario.textsEach = min(scenario.textsEach, 2)
    scenario.textTimes = .seconds(10)...(.seconds(25))
    scenario.attackers.rate = min(scenario.attackers.rate, 2)
    scenario.faults.radioOffEvery = .seconds(15)
    scenario.faults.radioOffFor = .seconds(5)
    scenario.faults.restartEvery = .seconds(15)
    scenario.faults.restartAfter = .seconds(3)
    var run = world(scenario, seed: seed)
    run.run()
    #expect(run.violation == nil, "AIRLINK_SEED=\(seed)")
    #expect(run.isOver)
    #expect(run.summary.written > 0)
    #expect(run.measures.arrivals > 0)
  }

  @Test("a full queue sheds whole packets, which are offered again")
  func shedding() throws {
    var run = world(
      try scenario(
        """
        {"devices": 2, "layout": "line", "spacing": 5, "duration": 300,
         "radios": [{"kind": "ble", "bytesPerSecond": 500, "queueBytes": 1000}],
         "texts": {"each": 10, "between": [5, 6], "to": "anyone"}}
        """), seed: 1)
    run.run()
    #expect(run.measures.shed > 0)
    #expect(run.summary.delivered == 20)
  }

  @Test("a link carries packets as fast as its radio, in order, after its latency")
  func timing() throws {
    var run = world(
      try scenario(
        """
        {"devices": 2, "layout": "line", "spacing": 5, "duration": 100,
         "radios": [{"kind": "ble", "bytesPerSecond": 1000, "latencyMs": [10, 10]}],
         "texts": {"each": 1, "between": [30, 30.000001], "to": "ends"}}
        """), seed: 1)
    var last = Instant.zero
    run.onArrival = { last = $0.time }
    run.run()
    // 44 + 304 bytes at a thousand a second, and ten milliseconds; the receipt likewise.
    let delays = run.summary.delaysToShow
    #expect(delays.count == 2)
    #expect(delays.allSatisfy { (358...1_060).contains($0) })
    #expect(last > .zero + .seconds(30))
  }

  @Test("who is out of range is not linked, and a link is lost a tenth further out")
  func range() throws {
    let apart = try scenario(
      #"{"devices": 2, "layout": "line", "spacing": 31, "duration": 30, "texts": {"each": 0}}"#)
    var none = world(apart, seed: 1)
    none.run()
    #expect(none.measures.linksMade == 0)
    let near = try scenario(
      #"{"devices": 2, "layout": "line", "spacing": 29, "duration": 30, "texts": {"each": 0}}"#)
    var one = world(near, seed: 1)
    one.run()
    #expect(one.measures.linksMade == 1)
    #expect(one.linkedDevices.count == 1)
  }

  @Test("nobody has more links than the radio takes", arguments: seeds(3))
  func maximumLinks(seed: UInt64) throws {
    var run = world(
      try scenario(
        """
        {"devices": 20, "area": [10, 10], "duration": 4, "texts": {"each": 0},
         "radios": [{"kind": "ble", "links": 3}]}
        """), seed: seed)
    run.run()
    var counts = [Int: Int]()
    for (a, b) in run.linkedDevices {
      counts[a, default: 0] += 1
      counts[b, default: 0] += 1
    }
    #expect(counts.values.allSatisfy { $0 <= 3 })
    #expect(counts.count == 20)
  }

  @Test("a broken rule ends the run, and names seed and step")
  func violation() throws {
    var run = world(try busy(), seed: 9)
    run.run(until: 300)
    run.violate(3, "a rule")
    #expect(run.isOver)
    run.run()
    #expect(run.violation?.description == "seed 9, step 300, device 3: a rule")
    #expect(!run.summary.isGood)
  }
}
