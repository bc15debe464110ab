internal import ComboCore
internal import ComboWire

/// Reads times in units other than milliseconds.
struct TimeReader {
  private let decoder: MappedDecoder

  init(_ decoder: MappedDecoder) { self.decoder = decoder }

  func milliseconds(_ value: MappedDecoder.Value, into arena: BumpArena) throws(BadEvent) -> Int64 {
    let range: ClosedRange<Int64> = 0...EventDecoder.timeMax
    let ms: Int64
    switch value.unit {
    case .ms: ms = try decoder.integer(value, "ts", range, into: arena)
    case .s:
      // Seconds may have a fraction.
      ms = try whole(try decoder.double(value, "ts", into: arena) * 1000)
    case .us: ms = try decoder.integer(value, "ts", 0...Int64.max, into: arena) / 1000
    case .ns: ms = try decoder.integer(value, "ts", 0...Int64.max, into: arena) / 1_000_000
    case .auto:
      guard let number = number(value) else { fallthrough }
      let seconds = number < 1e11 ? number : number < 1e14 ? number / 1e3 : number < 1e17 ? number / 1e6 : number / 1e9
      // A double of seconds may be slightly below its millisecond.
      ms = try whole(seconds * 1000 + 1e-3)
    case .rfc3339:
      let text = text(value)
      guard let read = Self.rfc3339(text, anyZone: !decoder.checks.rules.limitsZones) else {
        throw .notTime(text, "ts", lacksZone: Self.lacksZone(text))
      }
      ms = read
    }
    if !range.contains(ms) { throw .outside(ms, "ts", range) }
    return ms
  }

  private func whole(_ ms: Double) throws(BadEvent) -> Int64 {
    let whole = ms.rounded(.down)
    guard whole >= 0, whole <= Double(EventDecoder.timeMax) else { throw .outside(whole, "ts", "0 to \(EventDecoder.timeMax)") }
    return Int64(whole)
  }

  private func text(_ value: MappedDecoder.Value) -> Bytes {
    value.kind == .token ? decoder.text.slice(Int(value.token)).withoutQuotes : value.bytes
  }

  private func number(_ value: MappedDecoder.Value) -> Double? {
    if value.kind == .token, decoder.text[Int(value.token)].isNumber { return decoder.text.double(Int(value.token)) }
    return text(value).writtenNumber
  }

  private static func days(in month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Whether the text would be a time if it had a zone.
  private static func lacksZone(_ text: Bytes) -> Bool { rfc3339(Array(text) + [0x5A]) != nil }

  private static func rfc3339(_ text: [UInt8]) -> Int64? { text.withUnsafeBytes { rfc3339($0) } }

  /// Reads `2026-11-21T13:00:00.123Z`, or a time with `+08:00`, `+0800` or `+08`. Returns nil if it is no such time.
  /// - Parameter anyZone: Whether a zone may have more than 23 hours or 59 minutes.
  static func rfc3339(_ text: Bytes, anyZone: Bool = false) -> Int64? {
    guard text.count >= 20, text.count <= 40 else { return nil }
    func number(_ at: Int, _ length: Int) -> Int64? {
      var value: Int64 = 0
      for place in at..<at + length {
        guard place < text.count, text[place] >= 0x30, text[place] <= 0x39 else { return nil }
        value = value * 10 + Int64(text[place] - 0x30)
      }
      return value
    }
    // An array of separators would be allocated for each time.
    guard text[4] == 0x2D, text[7] == 0x2D, text[10] == 0x54 || text[10] == 0x74 || text[10] == 0x20, text[13] == 0x3A,
      text[16] == 0x3A
    else { return nil }
    guard let year = number(0, 4), let month = number(5, 2), let day = number(8, 2), let hour = number(11, 2),
      let minute = number(14, 2), let second = number(17, 2), (1...12).contains(month), day >= 1,
      day <= days(in: month, of: year),
      hour < 24, minute < 60, second <= 60
    else { return nil }
    var at = 19
    var ms: Int64 = 0
    if text[at] == 0x2E {
      at += 1
      var scale: Int64 = 100
      let first = at
      while at < text.count, text[at] >= 0x30, text[at] <= 0x39 {
        ms += Int64(text[at] - 0x30) * scale
        scale /= 10
        at += 1
      }
      if at == first { return nil }
    }
    guard at < text.count else { return nil }
    var offset: Int64 = 0
    switch text[at] {
    case 0x5A, 0x7A: at += 1
    case 0x2B, 0x2D:
      guard let hours = number(at + 1, 2) else { return nil }
      let sign: Int64 = text[at] == 0x2D ? -1 : 1
      at += 3
      if at < text.count, text[at] == 0x3A { at += 1 }
      var minutes: Int64 = 0
      if at < text.count || text[at - 1] == 0x3A {
        guard let written = number(at, 2) else { return nil }
        minutes = written
        at += 2
      }
      guard anyZone || hours < 24 && minutes < 60 else { return nil }
      offset = (hours * 60 + minutes) * 60_000 * sign
    default: return nil
    }
    guard at == text.count else { return nil }
    // Days since 1970 by the civil calendar: years begin in March, so that the leap day is their last.
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let days = era * 146_097 + dayOfEra - 719_468
    return ((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + ms - offset
  }
}

extension Bytes {
  fileprivate var withoutQuotes: Bytes { count >= 2 && self[0] == 0x22 ? Bytes(rebasing: self[1..<count - 1]) : self }
}
