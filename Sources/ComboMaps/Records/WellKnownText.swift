/// Times and durations as Protobuf's JSON writes them (https://protobuf.dev/programming-guides/json/).
enum WellKnownText {
  /// Returns `2026-11-21T13:00:00.5Z`, or nil if the year is not 1 to 9999 or the nanoseconds are not part of a second.
  static func timestamp(_ seconds: Int64, _ nanos: Int64) -> String? {
    guard (-62_135_596_800...253_402_300_799).contains(seconds), (0...999_999_999).contains(nanos) else { return nil }
    let day = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
    let rest = seconds - day * 86_400
    // Converts days to a date, in years that begin in March
    // (https://howardhinnant.github.io/date_algorithms.html#civil_from_days).
    let shifted = day + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let march = (5 * dayOfYear + 2) / 153
    let month = march < 10 ? march + 3 : march - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let date = [padded(year, 4), padded(month, 2), padded(dayOfYear - (153 * march + 2) / 5 + 1, 2)].joined(separator: "-")
    let time = [rest / 3600, rest / 60 % 60, rest % 60].map { padded($0, 2) }.joined(separator: ":")
    return "\(date)T\(time)\(fraction(nanos))Z"
  }

  /// Returns `-1.5s`, or nil if the duration exceeds 10,000 years or its parts have different signs.
  static func duration(_ seconds: Int64, _ nanos: Int64) -> String? {
    guard seconds.magnitude <= 315_576_000_000, nanos.magnitude <= 999_999_999,
      seconds == 0 || nanos == 0 || (seconds < 0) == (nanos < 0)
    else { return nil }
    return "\(seconds < 0 || nanos < 0 ? "-" : "")\(seconds.magnitude)\(fraction(Int64(nanos.magnitude)))s"
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  private static func fraction(_ nanos: Int64) -> String {
    if nanos == 0 { return "" }
    var digits = padded(nanos, 9)
    while digits.hasSuffix("0") { digits.removeLast() }
    return ".\(digits)"
  }
}
