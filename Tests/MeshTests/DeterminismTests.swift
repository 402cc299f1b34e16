import Identity
import Mesh
import Outbox
import Testing
import Wire

/// From one seed come the same effects, byte for byte: the simulator stands on it.
@Suite("determinism") struct DeterminismTests {
  /// A day in the life of six devices: strangers, friends, twins, floods, lines up and down.
  private func run(seed: UInt64) -> [[MeshEffect]] {
    let net = TestNet<ModelCryptography>(seed: seed)
    let people = [1, 2] + ModelCryptography.triplets + [3]
    let devices = people.map { net.add(person: $0) }
    var random = SplitMix64(seed: seed)
    var lines: [Int] = []
    for device in devices.dropFirst() {
      lines.append(net.join(device, Int.random(in: 0..<device, using: &random), hosts: ["x", "y"]))
    }
    for _ in 0..<4 {
      let ends = devices.shuffled(using: &random)
      lines.append(net.join(ends[0], ends[1], .init(loss: 0.1, duplication: 0.1)))
    }
    var strangers = (100..<130).map { Speaker(UInt64($0), name: "\($0)") }
    for _ in 0..<300 {
      net.run(for: .milliseconds(Int.random(in: 0...20_000, using: &random)))
      let ends = devices.shuffled(using: &random)
      let line = lines.randomElement(using: &random) ?? 0
      switch Int.random(in: 0..<8, using: &random) {
      case 0: net.cut(line)
      case 1: net.connect(line)
      case 2: net.perform(ends[0]) { $0.announce(at: $1) }
      case 3:
        let number = net[ends[1]].mesh.ownFingerprint.number
        net.perform(ends[0]) { try? $0.accept(number, fingerprint: nil, at: $1) }
      case 4:
        let stranger = Int.random(in: strangers.indices, using: &random)
        guard let link = net.links(of: ends[0]).first else { continue }
        let time = net.moment(ends[0]).wallClock
        for _ in 0..<5 {
          let packet = strangers[stranger].text("hello", to: net[ends[0]].mesh.ownKeys, at: time)
          net.inject(packet, into: ends[0], on: link)
        }
        net.inject(strangers[stranger].hello(at: time), into: ends[0], on: link)
        let number = strangers[stranger].number
        net.perform(ends[0]) { _ = try? $0.send("who?", to: number, at: $1) }
      default: _ = try? net.send("hello", from: ends[0], to: ends[1])
      }
    }
    for device in devices { net.perform(device) { $0.stop(at: $1) } }
    return devices.map { net[$0].effects }
  }

  @Test("the same seed gives the same effects", arguments: seeds(4))
  func same(seed: UInt64) throws {
    let first = run(seed: seed)
    // Sets and dictionaries order by where they lie in memory, which is another place now.
    let elsewhere = (0..<1_000).map { [UInt8](repeating: 1, count: $0) }
    let second = run(seed: seed)
    #expect(elsewhere.count == 1_000)
    for (device, effects) in zip(first, second).enumerated() {
      #expect(effects.0.count == effects.1.count, "device \(device)")
      let difference = zip(effects.0, effects.1).first { $0 != $1 }
      #expect(difference == nil, "AIRLINK_SEED=\(seed), device \(device)")
    }
    let all = first.joined()
    #expect(all.count > 1_000)
    #expect(all.contains { if case .remember = $0 { true } else { false } })
    #expect(all.contains { if case .warning(.keysChanged) = $0 { true } else { false } })
    #expect(all.contains { if case .state(_, .delivered) = $0 { true } else { false } })
  }

  @Test("another seed gives others")
  func other() {
    #expect(run(seed: 1) != run(seed: 2))
  }
}
