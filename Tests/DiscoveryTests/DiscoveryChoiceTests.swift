import Testing
import Wire

@testable import Discovery

@Suite struct DiscoveryChoiceTests {
  private let start = Instant.zero

  @Test("where the daemon answers it is used")
  func daemonThere() {
    var choice = DiscoveryChoice(.auto, now: start)
    #expect(choice.active == .none)
    choice.daemon(isUp: true, now: start)
    #expect(choice.active == .daemon && choice.deadline == nil)
  }

  @Test("where it does not run the embedded stack is used at once")
  func daemonAbsent() {
    var choice = DiscoveryChoice(.auto, now: start)
    choice.daemon(isUp: false, now: start)
    #expect(choice.active == .embedded && choice.deadline == nil)
  }

  @Test("a bus that says nothing is waited for one second")
  func silence() {
    var choice = DiscoveryChoice(.auto, now: start)
    #expect(choice.deadline == start + .seconds(1))
    choice.wake(now: start + .seconds(1) - .nanoseconds(1))
    #expect(choice.active == .none)
    choice.wake(now: start + .seconds(1))
    #expect(choice.active == .embedded && choice.deadline == nil)
  }

  @Test("a daemon that restarts keeps its place")
  func restart() {
    var choice = DiscoveryChoice(.auto, now: start)
    choice.daemon(isUp: true, now: start)
    choice.daemon(isUp: false, now: start + .seconds(5))
    #expect(choice.active == .daemon)
    choice.wake(now: start + .seconds(8) - .nanoseconds(1))
    #expect(choice.active == .daemon)
    choice.daemon(isUp: true, now: start + .seconds(8) - .nanoseconds(1))
    choice.wake(now: start + .seconds(100))
    #expect(choice.active == .daemon && choice.deadline == nil)
  }

  @Test(
    "one that stays away is replaced after three seconds, and takes over when it is back for two")
  func awayAndBack() {
    var choice = DiscoveryChoice(.auto, now: start)
    choice.daemon(isUp: true, now: start)
    choice.daemon(isUp: false, now: start)
    #expect(choice.deadline == start + .seconds(3))
    choice.wake(now: start + .seconds(3))
    #expect(choice.active == .embedded)
    choice.daemon(isUp: true, now: start + .seconds(60))
    #expect(choice.active == .embedded && choice.deadline == start + .seconds(62))
    choice.wake(now: start + .seconds(62))
    #expect(choice.active == .daemon && choice.deadline == nil)
  }

  @Test("one that comes and goes does not make the choice flap")
  func crashLoop() {
    var choice = DiscoveryChoice(.auto, now: start)
    choice.daemon(isUp: false, now: start)
    for second in 1...50 {
      choice.daemon(isUp: !second.isMultiple(of: 2), now: start + .seconds(second))
      choice.wake(now: start + .seconds(second))
      #expect(choice.active == .embedded)
    }
  }

  @Test("the same word twice moves no deadline")
  func repeated() {
    var choice = DiscoveryChoice(.auto, now: start)
    choice.daemon(isUp: true, now: start)
    choice.daemon(isUp: false, now: start)
    choice.daemon(isUp: false, now: start + .seconds(2))
    #expect(choice.deadline == start + .seconds(3))
  }

  @Test(
    "a way that was asked for is kept, whatever the daemon does",
    arguments: [
      (DiscoveryMode.daemon, DiscoveryChoice.Active.daemon), (.embedded, .embedded), (.off, .none),
    ])
  func fixed(mode: DiscoveryMode, active: DiscoveryChoice.Active) {
    var choice = DiscoveryChoice(mode, now: start)
    for isUp in [true, false, true, false] {
      choice.daemon(isUp: isUp, now: start)
      choice.wake(now: start + .seconds(100))
      #expect(choice.active == active && choice.deadline == nil)
    }
  }
}
