/// Why links closed so far, for `/stats`.
public struct LinkCloseCounters: Sendable {
  private var lost = 0
  private var replaced = 0
  private var misbehaved = 0
  private var stopping = 0

  public init() {}

  public mutating func note(_ reason: LinkCloseReason) {
    switch reason {
    case .lost: lost += 1
    case .replaced: replaced += 1
    case .misbehaved: misbehaved += 1
    case .stopping: stopping += 1
    }
  }

  /// Each reason by the name that `/stats` has for it.
  public var statistics: [(name: String, value: Int)] {
    [
      ("closed-lost", lost), ("closed-replaced", replaced), ("closed-misbehaved", misbehaved),
      ("closed-stopping", stopping),
    ]
  }
}
