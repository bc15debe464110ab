internal import CSimdJSON
internal import ComboCore
internal import ComboWire

extension Bytes {
  /// Whether it is an integer as in JSON, with leading zeros allowed.
  var isWrittenInteger: Bool {
    let digits = first == 0x2D ? self[1...] : self[...]
    return !digits.isEmpty && digits.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
  }

  /// The integer that is written here, or nil if there is none or it exceeds 64 bits.
  var writtenInteger: Int64? {
    guard isWrittenInteger else { return nil }
    let isNegative = first == 0x2D
    var value: Int64 = 0
    for byte in isNegative ? self[1...] : self[...] {
      let (shifted, high) = value.multipliedReportingOverflow(by: 10)
      let digit = Int64(byte) - 0x30
      let (sum, over) = isNegative ? shifted.subtractingReportingOverflow(digit) : shifted.addingReportingOverflow(digit)
      if high || over { return nil }
      value = sum
    }
    return value
  }

  /// The decimal number that is written here, with or without a fraction, or nil if there is none.
  var writtenNumber: Double? {
    guard count <= 40 else { return nil }
    // A time in letters is no number from its fifth byte on, so it is not split at a point first.
    let start = first == 0x2D ? 1 : 0
    let end = self[start...].firstIndex { $0 < 0x30 || $0 > 0x39 } ?? count
    if end == start { return nil }
    if end < count {
      guard self[end] == 0x2E, end + 1 < count, self[(end + 1)...].allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
    }
    return csj_double(baseAddress!.assumingMemoryBound(to: UInt8.self), count)
  }
}

/// Returns a text as a JSON string.
func quoted(_ text: String) -> String {
  let buffer = ByteBuffer(capacity: 64)
  buffer.append(jsonString: text)
  return String(decoding: buffer.bytes, as: UTF8.self)
}

/// Returns an object as JSON, on separate lines if there is an indent. Members without a value are left out.
func object(_ members: [(String, String?)], indent: String? = nil) -> String {
  let all = members.compactMap { name, value in value.map { "\(quoted(name)): \($0)" } }
  guard let indent else { return "{\(all.joined(separator: ", "))}" }
  return "{\n\(all.map { "\(indent)  \($0)" }.joined(separator: ",\n"))\n\(indent)}"
}

// Errors that only a map can cause. Each has one function, so that its wording is in one place.
extension BadEvent {
  @inline(never)
  static func byRule(_ rule: CompiledMap.Rule, _ envelope: String?) -> BadEvent {
    BadEvent(.unknownType, "\(rule.reason) (\(rule.name))\(envelope.map { "; \($0)" } ?? "")")
  }

  /// Returns a fault that names the record's element.
  @inline(never)
  static func ofElement(_ place: String, _ fault: BadEvent) -> BadEvent {
    BadEvent(fault.code, "element \(place) of the record's array: \(fault.reason)")
  }

  /// Returns a fault that names the map's source of the field.
  @inline(never)
  static func mapped(_ fault: BadEvent, _ rule: CompiledMap.Rule, _ source: String?) -> BadEvent {
    let place = source.map { " takes it from \($0)" } ?? " is for it"
    return BadEvent(fault.code, "\(fault.reason); \(rule.name),\(place)")
  }

  @inline(never)
  static func notInteger(_ bytes: Bytes, _ name: String) -> BadEvent {
    BadEvent(.wrongType, "\(name) is \"\(Excerpt(bytes))\"; it must be an integer")
  }

  @inline(never)
  static func notNumber(_ bytes: Bytes, _ name: String) -> BadEvent {
    BadEvent(.wrongType, "\(name) is \"\(Excerpt(bytes))\"; it must be a number")
  }

  @inline(never)
  static func notTime(_ bytes: Bytes, _ name: String, lacksZone: Bool) -> BadEvent {
    let advice = lacksZone ? #", and has no zone: let the map add one, as {"join": ["/at", "+08:00"], "unit": "rfc3339"}"# : ""
    return BadEvent(.wrongType, "\(name) is \"\(Excerpt(bytes))\"; it must be a time such as 2026-11-21T13:00:00Z\(advice)")
  }

  @inline(never)
  static func notUTF8(_ bytes: Bytes, _ name: String) -> BadEvent {
    BadEvent(.wrongType, "\(name) is \"\(Excerpt(bytes))\", which is not UTF-8")
  }

  @inline(never)
  static func outside(_ bytes: Bytes, _ name: String, _ range: ClosedRange<Int64>) -> BadEvent {
    BadEvent(.outOfRange, "\(name) is \(Excerpt(bytes)); \(range.lowerBound) to \(range.upperBound) is allowed")
  }

  @inline(never)
  static func outside(_ value: Int64, _ name: String, _ range: ClosedRange<Int64>) -> BadEvent {
    BadEvent(.outOfRange, "\(name) comes to \(value); \(range.lowerBound) to \(range.upperBound) is allowed")
  }

  @inline(never)
  static func outside(_ value: Double, _ name: String, _ allowed: String) -> BadEvent {
    BadEvent(.outOfRange, "\(name) comes to \(value); \(allowed) is allowed")
  }

  @inline(never)
  static func overflow(_ name: String) -> BadEvent {
    BadEvent(.outOfRange, "\(name) is a product that is too large")
  }

  static var mappedCountAndTotal: BadEvent {
    BadEvent(.outOfRange, "there is a count and a total; a gift may have one of them, not both")
  }

  @inline(never)
  static func notIRC(_ why: String) -> BadEvent {
    BadEvent(.notJSON, "the record \(why); a line of IRC is expected, as in @id=7 :tmi.twitch.tv USERNOTICE #channel")
  }

  @inline(never)
  static func notSTT(_ why: String) -> BadEvent {
    BadEvent(.notJSON, "the record \(why); STT is expected, as in type@=dgb/rid@=1/")
  }
}
