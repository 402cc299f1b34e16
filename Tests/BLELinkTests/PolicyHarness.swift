import Link
import Wire

@testable import BLELink

/// A policy with a clock in hand, and what it asked for so far.
struct PolicyHarness {
  var policy: BLEPolicy
  var now = Instant.zero
  private(set) var effects: [BLEEffect] = []
  private var lastLink: UInt32 = 0
  private var lastPath: UInt64 = 0

  static let adapter = AdapterID(1)

  init(
    seed: UInt64 = 1, adapter: BLEAdapter? = BLEAdapter(name: "hci0", address: BLEAddress(1)),
    allowed: Set<BLEAddress>? = nil, _ change: (inout BLELimits) -> Void = { _ in }
  ) {
    var limits = BLELimits.standard
    change(&limits)
    policy = BLEPolicy(limits: limits, allowed: allowed, seed: seed)
    if let adapter { act { $0.adapterUp(Self.adapter, adapter, now: $1) } }
  }

  /// Does something now; returns what the policy wants done.
  @discardableResult
  mutating func act(_ body: (inout BLEPolicy, Instant) -> Void) -> [BLEEffect] {
    body(&policy, now)
    let new = policy.takeEffects()
    effects += new
    return new
  }

  /// Lets time pass, waking the policy whenever it wants to be woken.
  @discardableResult
  mutating func pass(_ duration: Duration) -> [BLEEffect] {
    let end = now + duration
    var new: [BLEEffect] = []
    var wakes = 0
    while let deadline = policy.nextDeadline, deadline <= end {
      now = max(now, deadline)
      new += act { $0.wake(now: $1) }
      wakes += 1
      precondition(wakes < 10_000, "the policy wants to be woken for ever")
    }
    now = end
    return new
  }

  @discardableResult
  mutating func see(_ address: UInt64) -> [BLEEffect] {
    let device = device(address)
    return act { $0.sighted(device, now: $1) }
  }

  func device(_ address: UInt64) -> BLEDevice { BLEDevice(Self.adapter, BLEAddress(address)) }

  /// Brings a path up.
  @discardableResult
  mutating func bringUp(
    _ role: BLEPath.Role, to address: UInt64, limit: Int? = 510, outlet: UInt64? = nil,
    mayReorder: Bool = false
  ) -> PathID {
    lastPath += 1
    let path = PathID(lastPath)
    let description = BLEPath(
      device: device(address), role: role, chunkLimit: limit,
      outlet: OutletID(outlet ?? 1_000 + lastPath), mayReorder: mayReorder)
    var last = lastLink
    act { policy, now in
      policy.pathUp(path, description, now: now) {
        last += 1
        return LinkID(last)
      }
    }
    lastLink = last
    return path
  }

  /// Sees a device and links up with it: its link is proved.
  mutating func link(to address: UInt64) -> LinkID? {
    bringUp(.client, to: address)
    guard let link = policy.devices[device(address)]?.link else { return nil }
    act { policy, _ in policy.proved(link) }
    return link
  }

  /// All chunks that go out now, each taken.
  mutating func drain() -> [BLEPolicy.Chunk] {
    var chunks: [BLEPolicy.Chunk] = []
    while let chunk = policy.nextChunk(now: now) {
      chunks.append(chunk)
      policy.took(chunk, now: now)
    }
    return chunks
  }
}

extension [BLEEffect] {
  var connects: [BLEDevice] {
    compactMap { if case .connect(let device) = $0 { device } else { nil } }
  }
  var disconnects: [BLEDevice] {
    compactMap { if case .disconnect(let device) = $0 { device } else { nil } }
  }
  var announced: [LinkID] {
    compactMap { if case .announce(let link) = $0 { link } else { nil } }
  }
}
