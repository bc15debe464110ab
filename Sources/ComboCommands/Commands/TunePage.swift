internal import ComboCore
internal import ComboReplay
internal import ComboSystem

/// The output of `tune` as a page: one self-contained file.
struct TunePage {
  let report: TuneReport

  var text: String {
    let title = "Banner settings compared: \(name(of: report.source))"
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(Self.escaped(title))</title>
      <style>\(Self.style)</style>
      </head>
      <body>
      <main>
      <h1>\(Self.escaped(title))</h1>
      <p class="extent">\(Self.escaped(report.extent)). \(report.rows.count) combination\(report.rows.count == 1 ? "" : "s") of settings.</p>
      \(verdict)
      <section>
      <h2>Wait and readability</h2>
      <figure>\(plot(report.rows))
      <figcaption>Each point is a combination of settings; its number is in the table. Up and to the left is better: gifts are seen sooner,
      and banners stay long enough to be read. The <b class="mark">filled point</b> is the best: most gifts are seen well;
      of combinations within one point of that, it is the current settings or else the one with the shortest wait. \(report.base == nil ? "" : "The square marks the current settings.")</figcaption></figure>
      </section>
      <section>
      <h2>All combinations</h2>
      <div class="wide">\(table(report.rows.map { ($0, $0.total, $0.busiest) }, isFull: true))</div>
      \(Self.legend)
      </section>
      \(rooms)
      <section>
      <h2>Limits of these figures</h2>
      <ul>\(report.caveats.map { "<li>\(Self.escaped($0))</li>" }.joined())</ul>
      </section>
      \(settings)
      <footer>Made by combo-consumer \(Version.number) tune.</footer>
      </main>
      </body>
      </html>

      """
  }

  // MARK: - Parts

  private var verdict: String {
    guard let best = report.best else {
      return report.rows.first.map { "<p>With these settings, \(Self.escaped(report.meaning(of: $0)))</p>" } ?? ""
    }
    func card(_ title: String, _ row: TuneReport.Row, _ kind: String = "") -> String {
      "<div class=\"card \(kind)\"><h3>\(title)</h3><p class=\"name\">\(row.number). \(Self.escaped(row.name))</p>"
        + "<p>\(Self.escaped(Self.capitalized(report.meaning(of: row))))</p></div>"
    }
    var cards = card("Best", best, "chosen")
    let seen = report.rows.filter { $0.total.seen > 0 }
    let quickest = seen.min {
      ($0.total.waits.quantile(0.9) ?? .max, $0.number) < ($1.total.waits.quantile(0.9) ?? .max, $1.number)
    }
    let longest = seen.max { ($0.total.stays.quantile(0.5) ?? 0, $1.number) < ($1.total.stays.quantile(0.5) ?? 0, $0.number) }
    if let quickest, quickest.number != best.number { cards += card("Shortest wait", quickest) }
    if let longest, longest.number != best.number { cards += card("Longest on screen", longest) }
    if let base = report.base, base.number != best.number { cards += card("Current settings", base) }
    return "<section><h2>In short</h2><div class=\"cards\">\(cards)</div>\(varied)</section>"
  }

  /// A legend of the settings that differ between combinations.
  private var varied: String {
    let items = settingNames(areShared: false).map { name in
      let base = report.base.map { " (current: \(SettingName.text(of: $0.combination.settings[name])))" } ?? ""
      return "<b>\(Variation.dashed(name.text))</b>: \(Self.escaped(name.help + base))"
    }
    return items.isEmpty ? "" : "<p class=\"legend\">\(items.joined(separator: ".<br>")).</p>"
  }

  /// The settings that are the same in all combinations, or the others.
  private func settingNames(areShared: Bool) -> [SettingName] {
    guard let first = report.rows.first?.combination.settings else { return [] }
    return SettingName.all.filter { name in
      report.rows.allSatisfy { $0.combination.settings[name] == first[name] } == areShared
    }
  }

  private func plot(_ rows: [TuneReport.Row]) -> String {
    let points = rows.compactMap { row in Self.point(row, row.total, isBest: row.isBest) }
    let title = "Wait of nine of ten gifts, and the time for which half of the banners are seen, for each combination"
    return TunePlot.svg(points, title: title, size: .wide) + TunePlot.svg(points, title: title, size: .phone)
  }

  private static func point(_ row: TuneReport.Row, _ measure: RoomMeasure, isBest: Bool) -> TunePlot.Point? {
    guard let wait = measure.waits.quantile(0.9), let stay = measure.stays.quantile(0.5) else { return nil }
    return TunePlot.Point(
      number: row.number, name: row.name, wait: Double(wait) / 1000, stay: Double(stay) / 1000, isBest: isBest,
      isBase: row.combination.isBase)
  }

  private var rooms: String {
    guard let first = report.rows.first, report.result.rooms > 1 else { return "" }
    var text =
      "<section><h2>The busiest rooms one by one</h2><p>The best settings for all rooms are not always the best for the busiest. "
    text += "The axes are as above. The filled point is the best for all rooms together.</p><div class=\"rooms\">"
    for (index, room) in first.figures.busiest.enumerated() {
      let measures = report.rows.map { ($0, $0.figures.busiest[index].measure) }
      let name = Self.escaped(room.name)
      text += "<article><h3>\(name)</h3><p class=\"extent\">\(Counted.text(room.measure.events, "gifts"))</p>"
      text += TunePlot.svg(
        measures.compactMap { Self.point($0.0, $0.1, isBest: $0.0.isBest) }, title: "Room \(room.name)", size: .small)
      text += "<details><summary>Figures</summary><div class=\"wide\">"
      text += table(measures.map { ($0.0, $0.1, nil) }, isFull: false) + "</div></details></article>"
    }
    return text + "</div></section>"
  }

  private func table(_ rows: [(TuneReport.Row, RoomMeasure, RoomMeasure?)], isFull: Bool) -> String {
    let columns = TuneReport.columns.filter { isFull || $0.isOfRooms }
    let head = ["", "settings"] + columns.map(\.title)
    var text = "<table><thead><tr>" + head.map { "<th>\($0)</th>" }.joined() + "</tr></thead><tbody>"
    for (row, measure, busiest) in rows {
      var mark = row.combination.isBase && row.name != TuneOptions.baseName ? " <i>(current)</i>" : ""
      if row.isBest { mark += " <i>(best)</i>" }
      text +=
        "<tr class=\"\(row.isBest ? "bestrow" : "")\"><td>\(row.number)</td><th scope=\"row\">\(Self.escaped(row.name))\(mark)</th>"
      text += columns.map { "<td>\($0.cell(measure, busiest))</td>" }.joined() + "</tr>"
    }
    return text + "</tbody></table>"
  }

  private static let legend = """
    <p class="legend">All times are in seconds. <b>Seen well</b>: share of gifts that are seen within 10 s, on a banner that stays for 2 s; a shorter stay counts in proportion. <b>Wait</b>: seconds from a gift to the first moment at which the screen counts it, of the gifts that are seen; p90:
    nine of ten wait at most this long. <b>≤ 1 s</b>: share of all gifts that are seen within a second. <b>Skipped</b>: gifts whose banner was never shown because too many waited, and their
    share of the worth of all gifts. <b>Banner seen</b>: half of the banners are on screen for at least this many seconds; p10: nine of ten.
    <b>Screen full</b>: share of the slots in use, from a room's first gift to its last banner. <b>upd/s, inst/s</b>: number changes and
    instructions per second in the busiest room. The shaded row is the best.</p>
    """

  /// The options that all combinations share, so that the page can be understood later.
  private var settings: String {
    guard let first = report.rows.first else { return "" }
    let shared = first.combination.settings
    let items = settingNames(areShared: true).map { "\(Variation.dashed($0.text)) = \(SettingName.text(of: shared[$0]))" }
    return "<section><details><summary>Settings that all combinations share</summary><pre>"
      + Self.escaped(items.joined(separator: "\n")) + "</pre></details></section>"
  }

  // MARK: - Text

  private func name(of source: String) -> String { source.split(separator: "/").last.map(String.init) ?? source }

  private static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

  /// Escapes a text for HTML.
  static func escaped(_ text: String) -> String {
    DisplayWidth.harmless(text).reduce(into: "") { escaped, character in
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      default: escaped.append(character)
      }
    }
  }

  private static let style = """
    :root{--page:#f7f7f5;--card:#fff;--ink:#1d1f23;--soft:#5d636d;--line:#dcdde0;--accent:#0b62c4;--tint:#e8f1fc;--dot:#9aa1ab}
    @media (prefers-color-scheme:dark){:root{--page:#15171a;--card:#1e2125;--ink:#e8eaed;--soft:#a3a9b3;--line:#373b41;--accent:#6db3ff;--tint:#1c2f45;--dot:#737a85}}
    *{box-sizing:border-box}body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
    main{max-width:1240px;margin:0 auto;padding:24px 16px 48px}h1{font-size:1.6rem;line-height:1.25;margin:0 0 4px;overflow-wrap:anywhere}
    h2{font-size:1.2rem;margin:36px 0 10px}h3{font-size:1rem;margin:0;overflow-wrap:anywhere}p{margin:6px 0}
    .extent,.legend,figcaption,footer{color:var(--soft);font-size:.9rem}footer{margin-top:36px}
    .cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(220px,1fr));gap:12px}
    .card,article,figure{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:14px 16px;margin:0}
    .card h3{color:var(--soft);font-size:.85rem;font-weight:600}.card .name{font-weight:600;overflow-wrap:anywhere}
    .chosen{border-color:var(--accent);background:var(--tint)}
    .rooms{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(300px,100%),1fr));gap:12px}article{min-width:0}
    svg{display:block;width:100%;height:auto}figure svg{max-width:860px;margin:0 auto}svg.phone{display:none}@media(max-width:600px){svg.phone{display:block}svg.wide{display:none}}figcaption{margin-top:8px}
    svg text{fill:var(--ink);font-size:13px}svg .tick{fill:var(--soft);font-size:12px}svg .axis{fill:var(--soft)}svg .hint{fill:var(--accent);font-weight:600}
    .grid{stroke:var(--line)}
    .best circle,.best rect{fill:var(--accent)}.other circle,.other rect{fill:var(--card);stroke:var(--dot);stroke-width:1.8}
    svg .label{fill:var(--soft)}svg .bestlabel{fill:var(--accent);font-weight:700}.mark{color:var(--accent)}
    .wide{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums;white-space:nowrap;width:100%}
    th,td{padding:5px 6px;text-align:right;border-bottom:1px solid var(--line)}thead th{color:var(--soft);font-weight:600}
    th:nth-child(2){text-align:left;white-space:normal;min-width:130px}tbody th{font-weight:500}.bestrow td,.bestrow th{background:var(--tint)}.bestrow th{font-weight:700}
    summary{cursor:pointer;color:var(--accent);padding:6px 0}pre{font-size:.85rem;overflow-x:auto}
    @media print{body{background:#fff}details{display:none}}
    """
}
