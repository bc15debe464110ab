internal import ComboReplay
internal import ComboSystem

/// The results of `tune` as text, for the terminal and the page.
struct TuneReport {
  /// A combination with its figures.
  struct Row {
    /// The row's number, from 1.
    var number: Int
    var combination: TuneOptions.Combination
    var figures: TuneResult.Combination
    var isBest = false

    var name: String { combination.name }
    var total: RoomMeasure { figures.total }
    var busiest: RoomMeasure? { figures.busiest.first?.measure }
  }

  /// A figure of a row, as a column of the tables in the terminal and on the page.
  struct Column: Sendable {
    /// The heads in the terminal and on the page.
    let head: String
    let title: String
    /// Whether the tables of single rooms have it, too.
    var isOfRooms = true
    /// Returns the text of a cell from the figures of all rooms and those of the busiest one.
    let cell: @Sendable (RoomMeasure, _ busiest: RoomMeasure?) -> String
  }

  static let columns = [
    Column(head: "%well", title: "seen well") { all, _ in percent(all.seenWell) },
    Column(head: "p50", title: "wait p50") { all, _ in seconds(all.waits.quantile(0.5)) },
    Column(head: "p90", title: "p90") { all, _ in seconds(all.waits.quantile(0.9)) },
    Column(head: "p99", title: "p99") { all, _ in seconds(all.waits.quantile(0.99)) },
    Column(head: "max", title: "max") { all, _ in seconds(all.seen > 0 ? all.waits.max : nil) },
    Column(head: "%≤1s", title: "≤ 1 s", isOfRooms: false) { all, _ in percent(all.share(all.within1)) },
    Column(head: "%≤3s", title: "≤ 3 s") { all, _ in percent(all.share(all.within3)) },
    Column(head: "%≤10s", title: "≤ 10 s", isOfRooms: false) { all, _ in percent(all.share(all.within10)) },
    Column(head: "%skip", title: "skipped") { all, _ in percent(all.share(all.skipped)) },
    Column(head: "%worth", title: "of worth", isOfRooms: false) { all, _ in percent(all.skippedWorthShare) },
    Column(head: "banner", title: "banner seen") { all, _ in seconds(all.stays.quantile(0.5)) },
    Column(head: "p10", title: "p10") { all, _ in seconds(all.stays.quantile(0.1)) },
    Column(head: "%full", title: "screen full", isOfRooms: false) { all, _ in percent(all.fill) },
    Column(head: "upd/s", title: "upd/s", isOfRooms: false) { _, room in rate(room.map { $0.rate($0.updates) }) },
    Column(head: "inst/s", title: "inst/s", isOfRooms: false) { _, room in rate(room.map { $0.rate($0.instructions) }) },
  ]

  let result: TuneResult
  let rows: [Row]
  /// The recording's name.
  let source: String

  init(_ result: TuneResult, _ combinations: [TuneOptions.Combination], source: String) {
    self.result = result
    self.source = source
    var rows = zip(combinations, result.combinations).enumerated().map { index, pair in
      Row(number: index + 1, combination: pair.0, figures: pair.1)
    }
    if rows.count > 1, let winner = Self.winner(of: rows) { rows[winner - 1].isBest = true }
    self.rows = rows
  }

  /// The row of the current settings, if they were replayed.
  var base: Row? { rows.first(where: \.combination.isBase) }

  /// The winner, or nil if there is only one row.
  var best: Row? { rows.first(where: \.isBest) }

  /// Returns the number of the row with the largest share of gifts seen well (``RoomMeasure/seenWell``). Rows within one point of
  /// that are equally good; of these, the current settings win, or else the row with the shortest wait (p90), or else that with
  /// the fewest instructions.
  private static func winner(of rows: [Row]) -> Int? {
    let most = rows.map(\.total.seenWell).max() ?? 0
    func rank(_ row: Row) -> (Int, Int64, Int, Int) {
      (row.combination.isBase ? 0 : 1, row.total.waits.quantile(0.9) ?? .max, row.total.instructions, row.number)
    }
    return rows.filter { $0.total.seenWell >= most - 0.01 }.min { rank($0) < rank($1) }?.number
  }

  /// Describes a row in a sentence.
  func meaning(of row: Row) -> String {
    let total = row.total
    guard let wait = total.waits.quantile(0.9), let stay = total.stays.quantile(0.5) else { return "no gift is seen." }
    let unseen = total.gifts - total.seen
    return
      "\(Self.percent(total.seenWell)) of the gifts are seen well; of those that are seen, nine of ten wait at most \(Self.seconds(wait)) s; half of the banners are seen for at least "
      + "\(Self.seconds(stay)) s; \(unseen == 0 ? "every gift is seen" : "\(Self.percent(total.share(unseen))) of the gifts are never seen")."
  }

  // MARK: - Extent and limits

  /// A description of the recording.
  var extent: String {
    let gifts = Counted.text(result.giftEvents, "gifts")
    guard let first = result.first, let last = result.last else { return "\(gifts), without times" }
    return "\(gifts) in \(Counted.text(result.rooms, "rooms")) over \(Self.span(last - first)) (\(Self.times(first, last)))"
  }

  /// Formats a span between two times, to the second.
  private static func times(_ first: Int64, _ last: Int64) -> String {
    let texts = [first, last].map { Timestamp.text($0).prefix(19).split(separator: "T") }
    let isOneDay = texts[0][0] == texts[1][0]
    return "\(texts[0].joined(separator: " ")) to \(isOneDay ? texts[1][1] : "\(texts[1].joined(separator: " "))") UTC"
  }

  /// The limits of the figures, one sentence each.
  var caveats: [String] {
    var sentences = [
      "Each combination was replayed, so the figures are exact for these gifts. Other days may differ."
    ]
    if result.rooms < 10 {
      sentences.append(
        "\(result.rooms == 1 ? "There is one room" : "There are only \(result.rooms) rooms"): other rooms may be busier or calmer."
      )
    }
    if result.giftEvents < 10_000 {
      sentences.append(
        "\(result.giftEvents == 1 ? "There is only 1 gift" : "There are only \(ProgressMeter.grouped(result.giftEvents)) gifts"): the p99 depends on \(max(1, result.giftEvents / 100)) of them."
      )
    }
    if let first = result.first, let last = result.last, last - first < 3_600_000 {
      sentences.append("They cover \(Self.span(last - first)): a recording of a whole evening is more reliable.")
    }
    let share = rows.first.flatMap { row in row.busiest.map { Double($0.events) / Double(max(1, row.total.events)) } } ?? 0
    if result.rooms > 1, share > 0.5 {
      sentences.append("\(Self.percent(share)) of the gifts are in one room, which dominates the figures.")
    }
    sentences.append(
      "Gifts are processed at their own times; a service processes them a little later. Viewers who see other banners may send other gifts."
    )
    return sentences
  }

  // MARK: - Numbers

  /// Formats milliseconds as seconds, with the significant digits.
  static func seconds(_ ms: Int64?) -> String {
    guard let ms else { return "-" }
    return fixed(Double(ms) / 1000, ms < 10_000 ? 2 : ms < 100_000 ? 1 : 0)
  }

  /// Formats a share as a percentage. Only 0 and 1 become 0 % and 100 %.
  static func percent(_ share: Double?) -> String {
    guard let share else { return "-" }
    if share <= 0 { return "0 %" }
    if share >= 1 { return "100 %" }
    if share < 0.001 { return "<0.1 %" }
    if share > 0.999 { return ">99.9 %" }
    return "\(fixed(share * 100, 1)) %"
  }

  /// Formats a rate per second.
  static func rate(_ value: Double?) -> String { value.map { fixed($0, $0 < 10 ? 2 : 1) } ?? "-" }

  /// Formats a number with the given number of decimals.
  static func fixed(_ value: Double, _ decimals: Int) -> String {
    let factor = [1.0, 10, 100, 1000][decimals]
    let scaled = Int((value * factor).rounded())
    if decimals == 0 { return "\(scaled)" }
    let fraction = "\(scaled.magnitude % UInt(factor))"
    return "\(scaled < 0 ? "-" : "")\(scaled.magnitude / UInt(factor))."
      + String(repeating: "0", count: decimals - fraction.count) + fraction
  }

  /// Formats a duration.
  static func span(_ ms: Int64) -> String {
    let seconds = ms / 1000
    if seconds < 120 { return "\(fixed(Double(ms) / 1000, 1)) s" }
    if seconds < 7200 { return "\(seconds / 60) min \(seconds % 60) s" }
    return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
  }
}
