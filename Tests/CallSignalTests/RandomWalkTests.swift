import Testing
import Wire

@testable import CallSignal

/// Two devices that do anything at any time over a channel that does anything to what they send.
private final class Walk {
  /// The longest that the channel holds something back, and that a step lasts.
  static let slowest = 3_000
  static let longestStep = 1_000
  /// The longest that one side may be in a call which the other is not in: 30 s after the last that
  /// was heard, which may have been under way for as long as the channel holds things back.
  static let patience: Duration = .seconds(30) + .milliseconds(slowest + longestStep)

  let world: CallWorld
  let seed: UInt64
  private var random: SplitMix64
  private(set) var faults: [String] = []
  private(set) var connections = 0
  private(set) var glares = 0
  private var last: CallNonce?
  /// Since when the sides disagree on the call that is on.
  private var disagreeSince: Instant?
  private var began: [Instant?] = [nil, nil]
  private var kinds: [String?] = [nil, nil]
  private var loss = 0.0
  private var slowest = 5
  private var blocked: Set<Int> = []

  init(seed: UInt64) {
    self.seed = seed
    random = SplitMix64(seed: seed)
    world = CallWorld(seed: seed)
    world.keepsHistory = false
    world.hasDirectRoad = true
    world.delay = { [unowned self] from, _, item in
      guard !blocked.contains(from), Double.random(in: 0..<1, using: &random) >= loss else {
        return nil
      }
      return .milliseconds(Int.random(in: 0...slowest, using: &random))
    }
  }

  func step() {
    let side = Int.random(in: 0...1, using: &random)
    switch Int.random(in: 0..<40, using: &random) {
    case 0...2:
      let other = world.state(1 - side)
      if (try? world.call(side, 1 - side)) != nil, other == .calling { glares += 1 }
    case 3...5: try? world.answer(side)
    case 6: try? world.decline(side)
    case 7: try? world.hangUp(side)
    case 8: loss = [0, 0, 0.1, 0.5, 0.9].randomElement(using: &random) ?? 0
    case 9: slowest = [0, 5, 100, 900, Self.slowest].randomElement(using: &random) ?? 0
    case 10: if blocked.isEmpty { blocked = [side] } else { blocked = [] }
    case 11: if Int.random(in: 0..<20, using: &random) == 0 { world.restart(side) }
    case 12:
      let seconds = Int.random(in: -300...300, using: &random)
      if Int.random(in: 0..<20, using: &random) == 0 {
        world.sides[side].clockOffset = .seconds(seconds)
      }
    case 13...16: world.speak(side, [1, 2, 3])
    default: break
    }
    let longest = [20, 200, Self.longestStep].randomElement(using: &random) ?? 0
    world.run(for: .milliseconds(Int.random(in: 0...longest, using: &random)))
    judge()
  }

  private func judge() {
    let current = world.sides.map { $0.agent.current }
    for side in 0...1 {
      let kind: String? =
        switch current[side]?.state {
        case .calling?: "calling \(current[side]?.nonce.description ?? "")"
        case .ringing?: "ringing \(current[side]?.nonce.description ?? "")"
        case .connected?, .ended?, nil: nil
        }
      if kind != kinds[side] {
        kinds[side] = kind
        began[side] = kind == nil ? nil : world.now
      }
      if let began = began[side] {
        let limit: Duration = current[side]?.state == .calling ? .seconds(61) : .seconds(76)
        if world.now - began > limit { faults.append("\(side) is \(kind ?? "") for too long") }
      }
      for bound in world.sides[side].agent.bounds where bound.fill > bound.limit {
        faults.append("\(bound.name) is \(bound.fill)")
      }
      let isOn = current[side] != nil
      if !isOn, world.sides[side].offered != nil || world.sides[side].joined != nil {
        faults.append("\(side) keeps its direct road")
      }
    }
    judgeAgreement(current)
  }

  private func judgeAgreement(_ current: [CallReport?]) {
    let connected = (0...1).filter { world.isConnected($0) }
    let agree =
      connected.isEmpty || connected.count == 2 && current[0]?.nonce == current[1]?.nonce
    guard !agree else {
      if connected.count == 2, current[0]?.nonce != last {
        last = current[0]?.nonce
        connections += 1
      }
      disagreeSince = nil
      return
    }
    // A caller that still calls is heard to be there by its invites; it is given its minute.
    let nonce = connected.first.flatMap { current[$0]?.nonce }
    let other = connected.first.flatMap { current[1 - $0] }
    if connected.count == 1, other?.state == .calling, other?.nonce == nonce {
      disagreeSince = nil
      return
    }
    let since = disagreeSince ?? world.now
    disagreeSince = since
    if world.now - since > Self.patience {
      faults.append("the sides disagree for too long: \(current)")
      disagreeSince = nil
    }
  }

  /// All is well from now on, and nobody touches anything.
  func settle() {
    loss = 0
    slowest = 5
    blocked = []
    world.run(for: .seconds(100))
    judge()
    if world.isConnected(0) != world.isConnected(1) { faults.append("not settled") }
  }
}

@Suite("A random walk") struct RandomWalkTests {
  @Test(
    "leaves no side in a call that the other is not in, beyond the stated times",
    arguments: [1, 2, 3, 4] as [UInt64])
  func walk(_ seed: UInt64) {
    let walk = Walk(seed: seed)
    for _ in 0..<25_000 {
      walk.step()
      if !walk.faults.isEmpty { break }
    }
    walk.settle()
    #expect(walk.faults == [], "seed \(seed)")
    #expect(walk.connections > 100, "seed \(seed): it came to \(walk.connections) calls")
    #expect(walk.glares > 10, "seed \(seed): both called at once \(walk.glares) times")
  }
}
