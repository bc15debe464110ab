internal import Glibc

/// A time on the command line: ISO 8601, such as `2026-11-21T13:00:00Z`, or milliseconds since the Unix epoch.
package enum Timestamp {
  /// Returns milliseconds since the Unix epoch, or nil if the text is not a time. Without a zone it is UTC, without a time the
  /// day's beginning. `earliest` is before all times.
  package static func milliseconds(_ text: String) -> Int64? {
    if text == "earliest" { return .min }
    if let number = Int64(text) { return number >= 0 && !text.hasPrefix("+") ? number : nil }
    var rest = Substring(text)
    guard let year = digits(4, &rest), skip("-", &rest), let month = digits(2, &rest), skip("-", &rest),
      let day = digits(2, &rest), var ms = midnight(year, month, day)
    else { return nil }
    if rest.isEmpty { return ms }
    guard skip("T", &rest) || skip("t", &rest) || skip(" ", &rest), let hour = digits(2, &rest), hour <= 23, skip(":", &rest),
      let minute = digits(2, &rest), minute <= 59
    else { return nil }
    ms += (hour * 60 + minute) * 60_000
    if skip(":", &rest) {
      guard let second = digits(2, &rest), second <= 60 else { return nil }
      ms += second * 1000
      if skip(".", &rest) {
        let fraction = rest.prefix { ("0"..."9").contains($0) }
        guard (1...9).contains(fraction.count) else { return nil }
        rest = rest.dropFirst(fraction.count)
        ms += Int64((fraction + "00").prefix(3))!
      }
    }
    if rest.isEmpty || rest == "Z" || rest == "z" { return ms }
    let isEast = skip("+", &rest)
    guard isEast || skip("-", &rest), let hours = digits(2, &rest), hours <= 23 else { return nil }
    _ = skip(":", &rest)
    guard let minutes = rest.isEmpty ? 0 : digits(2, &rest), minutes <= 59, rest.isEmpty else { return nil }
    return ms - (isEast ? 1 : -1) * (hours * 60 + minutes) * 60_000
  }

  /// Returns a time as ISO 8601 in UTC, to the millisecond.
  package static func text(_ milliseconds: Int64) -> String {
    let fraction = (milliseconds % 1000 + 1000) % 1000
    var seconds = time_t(milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0))
    var parts = unsafe tm()
    unsafe gmtime_r(&seconds, &parts)
    func padded(_ number: Int32, _ width: Int = 2) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    return unsafe "\(parts.tm_year + 1900)-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))T\(padded(parts.tm_hour)):"
      + "\(padded(parts.tm_min)):\(padded(parts.tm_sec)).\(padded(Int32(fraction), 3))Z"
  }

  private static func digits(_ count: Int, _ rest: inout Substring) -> Int64? {
    let digits = rest.prefix(count)
    guard digits.count == count, digits.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
    rest = rest.dropFirst(count)
    return Int64(digits)
  }

  private static func skip(_ character: Character, _ rest: inout Substring) -> Bool {
    guard rest.first == character else { return false }
    rest = rest.dropFirst()
    return true
  }

  /// Returns the beginning of a day in milliseconds since the Unix epoch, or nil if there is no such day.
  private static func midnight(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64? {
    var parts = unsafe tm()
    unsafe (parts.tm_year, parts.tm_mon, parts.tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
    let seconds = unsafe timegm(&parts)
    // 30 February would have become 1 or 2 March.
    return unsafe (Int64(parts.tm_mon) + 1, Int64(parts.tm_mday)) == (month, day) ? Int64(seconds) * 1000 : nil
  }
}
