internal import ComboCore
internal import ComboReplay
internal import ComboWire

/// The output of `tune` for programs: one JSON object.
enum TuneJSON {
  static func text(of report: TuneReport) -> String {
    let out = ByteBuffer()
    let result = report.result
    out.append("{\"v\":1")
    text("input", report.source, out)
    number("lines", result.lines, out)
    number("bad_lines", result.badLines, out)
    number("gifts", result.giftEvents, out)
    number("rooms", result.rooms, out)
    number("first_ts", result.first, out)
    number("last_ts", result.last, out)
    list("combinations", report.rows, out) { row in
      out.append("{")
      text("name", row.name, out, isFirst: true)
      flag("as_it_is", row.combination.isBase, out)
      flag("best", row.isBest, out)
      out.append(",\"settings\":{")
      for (place, name) in SettingName.all.enumerated() {
        text(name.text, SettingName.text(of: row.combination.settings[name]), out, isFirst: place == 0)
      }
      out.append("}")
      measure(row.total, out)
      list("busiest_rooms", row.figures.busiest, out) { room in
        out.append("{")
        text("room", room.name, out, isFirst: true)
        measure(room.measure, out)
        decimal("updates_per_s", room.measure.rate(room.measure.updates), out)
        decimal("instructions_per_s", room.measure.rate(room.measure.instructions), out)
        out.append("}")
      }
      out.append("}")
    }
    list("caveats", report.caveats, out) { out.append(jsonString: $0) }
    out.append("}\n")
    return String(decoding: out.bytes, as: UTF8.self)
  }

  private static func measure(_ measure: RoomMeasure, _ out: ByteBuffer) {
    number("gifts", measure.gifts, out)
    number("repeated", measure.repeated, out)
    number("seen", measure.seen, out)
    number("skipped", measure.skipped, out)
    out.append(",\"wait_ms\":{")
    number("p50", measure.waits.quantile(0.5), out, isFirst: true)
    number("p90", measure.waits.quantile(0.9), out)
    number("p99", measure.waits.quantile(0.99), out)
    number("max", measure.seen > 0 ? measure.waits.max : nil, out)
    out.append("},\"seen_within\":{")
    decimal("1s", measure.share(measure.within1), out, isFirst: true)
    decimal("3s", measure.share(measure.within3), out)
    decimal("10s", measure.share(measure.within10), out)
    out.append("}")
    decimal("seen_well", measure.seenWell, out)
    decimal("skipped_share", measure.share(measure.skipped), out)
    decimal("worth", measure.worth, out)
    decimal("skipped_worth", measure.skippedWorth, out)
    out.append(",\"banner_ms\":{")
    number("p10", measure.stays.quantile(0.1), out, isFirst: true)
    number("p50", measure.stays.quantile(0.5), out)
    number("p90", measure.stays.quantile(0.9), out)
    out.append("}")
    decimal("screen_fill", measure.fill, out)
    number("instructions", measure.instructions, out)
    number("updates", measure.updates, out)
    number("peak_instructions_per_s", measure.peakInstructions, out)
    number("peak_updates_per_s", measure.peakUpdates, out)
  }

  private static func list<Element>(_ name: String, _ elements: [Element], _ out: ByteBuffer, _ write: (Element) -> Void) {
    key(name, out, false)
    out.append("[")
    for (place, element) in elements.enumerated() {
      if place > 0 { out.append(",") }
      write(element)
    }
    out.append("]")
  }

  private static func key(_ name: String, _ out: ByteBuffer, _ isFirst: Bool) {
    if !isFirst { out.append(",") }
    out.append(jsonString: name)
    out.append(":")
  }

  private static func text(_ name: String, _ value: String, _ out: ByteBuffer, isFirst: Bool = false) {
    key(name, out, isFirst)
    out.append(jsonString: value)
  }

  private static func flag(_ name: String, _ value: Bool, _ out: ByteBuffer) {
    key(name, out, false)
    out.append(value ? "true" : "false")
  }

  private static func number(_ name: String, _ value: Int?, _ out: ByteBuffer, isFirst: Bool = false) {
    number(name, value.map(Int64.init), out, isFirst: isFirst)
  }

  private static func number(_ name: String, _ value: Int64?, _ out: ByteBuffer, isFirst: Bool = false) {
    key(name, out, isFirst)
    if let value { out.append(value) } else { out.append("null") }
  }

  /// Six decimals are enough, and do not depend on the order of a sum.
  private static func decimal(_ name: String, _ value: Double?, _ out: ByteBuffer, isFirst: Bool = false) {
    key(name, out, isFirst)
    guard let value, value.isFinite else {
      out.append("null")
      return
    }
    let rounded = value.magnitude < 1e9 ? (value * 1e6).rounded() / 1e6 : value.rounded()
    for byte in "\(rounded)".utf8 { out.append(byte) }
  }
}
