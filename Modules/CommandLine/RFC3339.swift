/// Times as RFC 3339 writes them, in UTC.
public enum RFC3339 {
  /// 9999-12-31T23:59:59.999Z, the last time RFC 3339 has a spelling for.
  static let lastMilliseconds: UInt64 = 253_402_300_799_999

  /// A time as `2025-01-31T12:34:56.789Z`.
  ///
  /// The milliseconds count from 1970-01-01 UTC without leap seconds. Any value may come from a
  /// radio; one past the year 9999 is shown as that year's last moment.
  public static func format(milliseconds: UInt64) -> String {
    let time = min(milliseconds, lastMilliseconds)
    let (year, month, day) = civil(daysSince1970: time / 86_400_000)
    let second = time / 1000 % 86_400
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
      + "T\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
      + ".\(padded(time % 1000, 3))Z"
  }

  /// The date of a day, by Howard Hinnant's `civil_from_days` (public domain), days from 1970 on.
  private static func civil(
    daysSince1970 days: UInt64
  ) -> (year: UInt64, month: UInt64, day: UInt64) {
    // Years begin in March, so that the leap day is a year's last; eras are 400 years.
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  private static func padded(_ number: UInt64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
