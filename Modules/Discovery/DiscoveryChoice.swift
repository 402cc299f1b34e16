internal import Wire

/// How services are found and made known.
public enum DiscoveryMode: String, Hashable, Sendable, CaseIterable {
  /// The system's avahi-daemon where it runs, the embedded mDNS stack where it does not.
  case auto
  /// The system's avahi-daemon alone; it is waited for where it does not run.
  case daemon
  /// An mDNS stack inside this process alone.
  case embedded
  /// Not at all.
  case off
}

/// Which of the two ways of discovery is in use, as daemons come and go.
///
/// Only one at a time: the same name published twice on one host would collide with itself.
struct DiscoveryChoice: Sendable {
  enum Active: Hashable, Sendable { case none, daemon, embedded }

  /// How long a first word of the daemon is waited for.
  static let firstWord: Duration = .seconds(1)
  /// How long a daemon that went away has to come back, as in a restart.
  static let grace: Duration = .seconds(3)
  /// How long a daemon must be up before the embedded stack makes way for it.
  static let probation: Duration = .seconds(2)

  private(set) var active: Active
  private let isAuto: Bool
  private var isDaemonUp: Bool?
  /// When `wake` has something to decide.
  private(set) var deadline: Instant?

  init(_ mode: DiscoveryMode, now: Instant) {
    isAuto = mode == .auto
    switch mode {
    case .auto:
      active = .none
      deadline = now + Self.firstWord
    case .daemon: active = .daemon
    case .embedded: active = .embedded
    case .off: active = .none
    }
  }

  /// The daemon was found running, or not running.
  mutating func daemon(isUp: Bool, now: Instant) {
    guard isAuto, isUp != isDaemonUp else { return }
    isDaemonUp = isUp
    switch (active, isUp) {
    case (.none, true): decide(.daemon)
    case (.none, false): decide(.embedded)
    case (.daemon, true), (.embedded, false): deadline = nil
    case (.daemon, false): deadline = now + Self.grace
    case (.embedded, true): deadline = now + Self.probation
    }
  }

  mutating func wake(now: Instant) {
    guard let deadline, now >= deadline else { return }
    decide(isDaemonUp == true ? .daemon : .embedded)
  }

  private mutating func decide(_ choice: Active) {
    active = choice
    deadline = nil
  }
}
