internal import ComboCore
internal import ComboReplay
internal import ComboWire

/// The output of `tune` for programs: one JSON object.
enum TuneJSON {
  static func text(of report: TuneReport) -> String {
    let out = ByteBuffer()
    let result = report.result
    out.append(#"{"v":1,"input":"#, jsonString: report.source)
    out.append(#","lines":"#, result.lines)
    out.append(#","bad_lines":"#, result.badLines)
    out.append(#","gifts":"#, result.giftEvents)
    out.append(#","rooms":"#, result.rooms)
    out.append(#","first_ts":"#, orNull: result.first)
    out.append(#","last_ts":"#, orNull: result.last)
    out.append(#","combinations":"#, report.rows) { row in
      out.append(#"{"name":"#, jsonString: row.name)
      out.append(#","as_it_is":"#, row.combination.isBase)
      out.append(#","best":"#, row.isBest)
      out.append(#","settings":{"#)
      for (place, name) in SettingName.all.enumerated() {
        out.append(place == 0 ? "" : ",", jsonString: name.text)
        out.append(":", jsonString: SettingName.text(of: row.combination.settings[name]))
      }
      out.append("}")
      measure(row.total, out)
      out.append(#","busiest_rooms":"#, row.figures.busiest) { room in
        out.append(#"{"room":"#, jsonString: room.name)
        measure(room.measure, out)
        decimal(#","updates_per_s":"#, room.measure.rate(room.measure.updates), out)
        decimal(#","instructions_per_s":"#, room.measure.rate(room.measure.instructions), out)
        out.append("}")
      }
      out.append("}")
    }
    out.append(#","caveats":"#, report.caveats) { out.append(jsonString: $0) }
    out.append("}\n")
    return String(decoding: out.bytes, as: UTF8.self)
  }

  private static func measure(_ measure: RoomMeasure, _ out: ByteBuffer) {
    out.append(#","gifts":"#, measure.gifts)
    out.append(#","repeated":"#, measure.repeated)
    out.append(#","seen":"#, measure.seen)
    out.append(#","skipped":"#, measure.skipped)
    out.append(#","wait_ms":{"p50":"#, orNull: measure.waits.quantile(0.5))
    out.append(#","p90":"#, orNull: measure.waits.quantile(0.9))
    out.append(#","p99":"#, orNull: measure.waits.quantile(0.99))
    out.append(#","max":"#, orNull: measure.seen > 0 ? measure.waits.max : nil)
    decimal(#"},"seen_within":{"1s":"#, measure.share(measure.within1), out)
    decimal(#","3s":"#, measure.share(measure.within3), out)
    decimal(#","10s":"#, measure.share(measure.within10), out)
    decimal(#"},"seen_well":"#, measure.seenWell, out)
    decimal(#","skipped_share":"#, measure.share(measure.skipped), out)
    decimal(#","worth":"#, measure.worth, out)
    decimal(#","skipped_worth":"#, measure.skippedWorth, out)
    out.append(#","banner_ms":{"p10":"#, orNull: measure.stays.quantile(0.1))
    out.append(#","p50":"#, orNull: measure.stays.quantile(0.5))
    out.append(#","p90":"#, orNull: measure.stays.quantile(0.9))
    decimal(#"},"screen_fill":"#, measure.fill, out)
    out.append(#","instructions":"#, measure.instructions)
    out.append(#","updates":"#, measure.updates)
    out.append(#","peak_instructions_per_s":"#, measure.peakInstructions)
    out.append(#","peak_updates_per_s":"#, measure.peakUpdates)
  }

  /// Appends a number with six decimals, which do not depend on the order of a sum.
  private static func decimal(_ name: StaticString, _ value: Double?, _ out: ByteBuffer) {
    guard let value, value.isFinite else { return out.append(name, written: "null") }
    let rounded = value.magnitude < 1e9 ? (value * 1e6).rounded() / 1e6 : value.rounded()
    out.append(name)
    out.append("\(rounded)")
  }
}
