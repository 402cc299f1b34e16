public import Outbox
public import Router

/// What the protocol leaves to be settled by evidence, in one place; `docs/MESH.md` has the figures.
///
/// Devices of different policies understand each other: none of it changes a byte on the wire.
public struct MeshPolicy: Sendable {
  public var hopLimits = HopLimits.standard
  /// When texts are sent again.
  public var outbox = OutboxLimits.standard
  /// Whether a text that comes again is answered with its receipt again.
  public var answersRepeats = true
  /// Whether a receipt may go back at least as far as its message came.
  ///
  /// By the table alone, one written in a crowd ends a few hops short of a sender in a thin chain.
  public var receiptsGoAsFar = true
  /// How long a packet for others waits, drawn afresh for each, before it is relayed; nil: at once.
  ///
  /// Neighbours who send us a copy meanwhile do not get one.
  public var relayWait: ClosedRange<Duration>?

  /// What ships: as `init()`, and a wait before relaying.
  ///
  /// Of the copies that come meanwhile the one with the most hops left counts. So a packet gets as far
  /// as it may, where the first copy had often come the longer way; and it is sent a third less often.
  public static let standard: MeshPolicy = {
    var policy = MeshPolicy()
    policy.relayWait = .milliseconds(10)...(.milliseconds(50))
    return policy
  }()

  /// Everything relayed at once.
  public init() {}
}
