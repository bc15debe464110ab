internal import ComboReplay
internal import ComboSystem

/// The output of `tune` for the terminal.
struct TuneTable {
  private let report: TuneReport

  init(_ report: TuneReport) { self.report = report }

  var text: String {
    typealias R = TuneReport
    let head = [
      "", "settings", "%well", "p50", "p90", "p99", "max", "%≤1s", "%≤3s", "%≤10s", "%skip", "%worth", "banner", "p10", "%full",
      "upd/s", "inst/s",
    ]
    var cells = [head]
    for row in report.rows {
      let (total, busiest) = (row.total, row.busiest)
      cells.append([
        (row.isBest ? "*" : "") + (row.combination.isBase ? "=" : ""), DisplayWidth.harmless(row.name),
        Self.percent(total.seenWell), R.seconds(total.waits.quantile(0.5)), R.seconds(total.waits.quantile(0.9)),
        R.seconds(total.waits.quantile(0.99)),
        R.seconds(total.seen > 0 ? total.waits.max : nil), Self.percent(total.share(total.within1)),
        Self.percent(total.share(total.within3)),
        Self.percent(total.share(total.within10)), Self.percent(total.share(total.skipped)),
        Self.percent(total.skippedWorthShare),
        R.seconds(total.stays.quantile(0.5)), R.seconds(total.stays.quantile(0.1)), Self.percent(total.fill),
        R.rate(busiest.map { $0.rate($0.updates) }), R.rate(busiest.map { $0.rate($0.instructions) }),
      ])
    }
    let widths = head.indices.map { column in cells.map { DisplayWidth.columns(of: $0[column]) }.max() ?? 0 }
    var lines = [DisplayWidth.harmless(report.source) + ": " + report.extent, ""]
    for row in cells {
      let padded = row.enumerated().map { column, text in
        let space = String(repeating: " ", count: widths[column] - DisplayWidth.columns(of: text))
        return column < 2 ? text + space : space + text
      }
      var line = padded.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      lines.append(line)
    }
    lines += [
      "",
      "well: share of gifts that are seen within 10 s, on a banner that stays for 2 s; a shorter stay counts in proportion.",
      "p50 to max: seconds until gifts are seen. ≤1s: share of all gifts that are seen within a second.",
      "skip, worth: gifts never shown because too many banners wait, and their share of the worth. full: share of slots in use.",
      "banner, p10: minimum seconds on screen of half of the banners, and of nine of ten.",
      "upd/s, inst/s: updates and instructions per second in the busiest room.",
      "*: the best: most gifts seen well; of rows within one point of that, the current settings, or else the shortest p90, or else the fewest instructions.",
      "=: the current settings.",
      "",
    ]
    if let best = report.best {
      lines.append("The best is \(DisplayWidth.harmless(best.name)): \(report.meaning(of: best))")
      if let base = report.base, base.number != best.number {
        lines.append("With the current settings, \(report.meaning(of: base))")
      }
      lines.append("")
    }
    lines += report.caveats
    return lines.joined(separator: "\n") + "\n"
  }

  /// Formats a percentage without its sign, which is in the head.
  private static func percent(_ share: Double?) -> String {
    let text = TuneReport.percent(share)
    return text.hasSuffix(" %") ? String(text.dropLast(2)) : text
  }
}
