internal import ComboSystem

/// The output of `tune` for the terminal.
struct TuneTable {
  let report: TuneReport

  var text: String {
    let head = ["", "settings"] + TuneReport.columns.map(\.head)
    var cells = [head]
    for row in report.rows {
      let marks = (row.isBest ? "*" : "") + (row.combination.isBase ? "=" : "")
      cells.append(
        [marks, DisplayWidth.harmless(row.name)] + TuneReport.columns.map { Self.withoutSign($0.cell(row.total, row.busiest)) })
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

  /// Returns a percentage without its sign, which is in the head.
  private static func withoutSign(_ text: String) -> String { text.hasSuffix(" %") ? String(text.dropLast(2)) : text }
}
