/// Every bound and number of the outbox in one place (PROTOCOL, section 6).
public struct OutboxLimits: Sendable {
  /// Messages it holds.
  public var messages = 1_024
  /// Bytes it holds: for each message its packet and what the caller says it keeps of it.
  public var bytes = 4 * 1_024 * 1_024
  /// How long it waits for a receipt before it gives up; on the monotonic clock.
  public var patience = Duration.seconds(24 * 3_600)
  /// Past this age, by the wall clock, every receiver refuses a message; exactly this old is fine.
  public var maximumAge = Duration.seconds(6 * 3_600)
  /// After a hello a message goes out again only when its last sending is more than this ago.
  public var quietBeforeHello = Duration.seconds(10)
  /// At least this lies between two sendings of one message that a hello brought about.
  public var betweenHellos = Duration.seconds(60)
  /// At least this lies between two fresh packets of one message.
  public var betweenFresh = Duration.seconds(10)
  /// When it is sent again, counted from the first sending, each a quarter sooner or later.
  public var schedule: [Duration] = [30, 120, 480, 1_800].map { .seconds($0) }
  /// The step that follows the schedule's end, over and over, a quarter of it sooner or later.
  public var laterStep = Duration.seconds(1_800)
  /// Between two packets offered on one link, and between two messages sent again: 50 a second, so
  /// that a neighbour's fair share is not overrun.
  public var pace = Duration.milliseconds(20)
  /// How long a link that shed a packet is left alone.
  public var afterShedding = Duration.milliseconds(250)
  /// How often messages past their age are looked at again, in case the clock is put right.
  public var clockRecheck = Duration.seconds(600)

  public static let standard = OutboxLimits()

  public init() {}
}
