import Foundation
import Outbox
import Testing
import Wire

@Suite struct OutboxPropertyTests {
  /// `AIRLINK_SEED` alone when it is set, to run a failed one again; fewer under a sanitizer, where
  /// every step is dear.
  private static let seeds: [UInt64] = {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["AIRLINK_SEED"].flatMap({ UInt64($0) }) { return [seed] }
    return Array(0..<(environment["AIRLINK_SANITIZED"] == nil ? 300 : 40))
  }()

  @Test("whatever happens in whatever order, no rule is broken")
  func anyOrder() {
    for seed in Self.seeds {
      var run = Run(seed)
      let failure = run.run()
      #expect(failure == nil, "AIRLINK_SEED=\(seed): \(failure ?? "")")
      if failure != nil { return }
    }
  }

  /// One random history, and what is watched over in it.
  private struct Run {
    var test: TestOutbox
    var random: SplitMix64
    var added: [UInt64: Instant] = [:]
    var states: [MessageID: MessageState] = [:]
    var lastFresh: [MessageID: Instant] = [:]
    /// What each link has had in its session: offered, or sent while it was up.
    var had: [LinkID: Set<MessageID>] = [:]
    var offersIn: [LinkID: [Instant]] = [:]
    var nextNumber: UInt64 = 1

    init(_ seed: UInt64) {
      test = TestOutbox(seed: seed)
      random = SplitMix64(seed: seed)
    }

    mutating func run() -> String? {
      for _ in 0..<60 {
        step()
        if let failure = look() { return failure }
      }
      // In the end every message comes to one of its ends.
      test.pass(.seconds(86_400))
      if let failure = look() { return failure }
      guard test.outbox.messages.isEmpty, test.outbox.deadline == nil else { return "leftovers" }
      guard test.outbox.bounds.allSatisfy({ $0.fill == 0 }) else { return "bytes left over" }
      return states.values.contains { $0 == .waiting || $0 == .sent } ? "no end" : nil
    }

    private mutating func step() {
      let link = LinkID(UInt32.random(in: 1...3, using: &random))
      let person = ["C", "D"].randomElement(using: &random) ?? "C"
      let number = UInt64.random(in: 1...max(1, nextNumber), using: &random)
      switch Int.random(in: 0..<12, using: &random) {
      case 0, 1, 2:
        try? test.add(nextNumber, to: person)
        added[nextNumber] = test.now
        nextNumber += 1
      case 3:
        if had[link] == nil { had[link] = [] }
        test.linkUp(link)
      case 4:
        test.linkDown(link)
        had[link] = nil
      case 5, 6: test.hello(person)
      case 7: test.receipt(number, from: person)
      case 8:
        test.shed(number, on: link)
        had[link]?.remove(.numbered(number))
      case 9: test.pass(.milliseconds(Int.random(in: 0...2_000, using: &random)))
      case 10: test.pass(.seconds(Int.random(in: 0...900, using: &random)))
      default: test.pass(.seconds(Int.random(in: 0...9_000, using: &random)))
      }
    }

    /// Looks at what was asked for since; what is wrong with it, if anything.
    private mutating func look() -> String? {
      let log = test.log
      _ = test.take()
      for (at, effect) in log {
        if let failure = check(effect, at) { return "\(effect) at \(at): \(failure)" }
      }
      return nil
    }

    private mutating func check(_ effect: OutboxEffect, _ at: Instant) -> String? {
      switch effect {
      case .send(let id):
        for link in had.keys { had[link]?.insert(id) }
        lastFresh[id] = at
        return had.isEmpty ? "no link" : nil
      case .sendFresh(let id):
        for link in had.keys { had[link]?.insert(id) }
        defer { lastFresh[id] = at }
        if had.isEmpty { return "no link" }
        if let last = lastFresh[id], at - last < .seconds(10) { return "within ten seconds" }
        return checkSending(id, at)
      case .offer(let id, let link):
        guard had[link]?.insert(id).inserted == true else { return "twice in a session" }
        if lastFresh[id] == nil { lastFresh[id] = at }
        offersIn[link, default: []].append(at)
        let inLastSecond = offersIn[link]?.suffix(60).count { at - $0 < .seconds(1) } ?? 0
        if inLastSecond > 50 { return "over fifty a second" }
        return checkSending(id, at)
      case .ageLimitReached(let id):
        return checkAge(id, at) <= .seconds(6 * 3_600) ? "too soon" : nil
      case .stateChanged(let id, let state):
        defer { states[id] = state }
        switch (states[id], state) {
        case (nil, .waiting), (nil, .sent), (.waiting, .sent): return nil
        case (.waiting, .delivered), (.sent, .delivered): return nil
        case (.waiting, .failed(.patience)), (.sent, .failed(.patience)):
          return checkAge(id, at) == .seconds(86_400) ? nil : "not after 24 hours"
        default: return "out of order after \(String(describing: states[id]))"
        }
      }
    }

    private func checkSending(_ id: MessageID, _ at: Instant) -> String? {
      if checkAge(id, at) > .seconds(6 * 3_600) { return "past six hours" }
      switch states[id] {
      case .waiting, .sent: return nil
      default: return "not held"
      }
    }

    private func checkAge(_ id: MessageID, _ at: Instant) -> Duration {
      let number = added.first { MessageID.numbered($0.key) == id }
      return number.map { at - $0.value } ?? .zero
    }
  }
}
