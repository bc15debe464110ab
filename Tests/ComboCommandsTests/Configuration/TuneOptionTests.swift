import ComboCore
import Foundation
import Testing

@testable import ComboCommands
@testable import ComboReplay
@testable import ComboTestSupport

@Suite("The options of tune")
struct TuneOptionTests {
  static func parse(_ words: [String], environment: [String: String] = [:]) -> Invocation {
    Invocation.parse(["tune"] + words, environment: { environment[$0] })
  }

  static func options(_ words: String...) throws -> TuneOptions {
    guard case .tune(let options) = parse(words) else { throw Unexpected(description: "\(parse(words))") }
    return options
  }

  struct Unexpected: Error { var description = "" }

  static func faults(_ words: String...) -> String { faults(words) }

  static func faults(_ words: [String]) -> String {
    guard case .refuse(let faults, _) = parse(words) else { return "" }
    return faults.joined(separator: "\n")
  }

  /// Creates files in a folder, passes the folder's path to `body`, and deletes the folder.
  static func withFiles(_ files: [String: String], _ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tune-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, text) in files { try Data(text.utf8).write(to: folder.appendingPathComponent(name)) }
    try body(folder.path)
  }

  @Test("several --vary make all combinations, the settings as they are among them")
  func product() throws {
    let options = try Self.options("gifts.jsonl", "--vary", "slots=1,2,3", "--vary", "linger-ms=1500,3000")
    #expect(options.file == "gifts.jsonl")
    #expect(
      options.combinations.map(\.name) == [
        "slots=1 linger-ms=1500", "slots=1 linger-ms=3000", "slots=2 linger-ms=1500", "slots=2 linger-ms=3000",
        "slots=3 linger-ms=1500", "slots=3 linger-ms=3000",
      ])
    #expect(options.combinations.map(\.isBase) == [false, false, false, true, false, false])
    #expect(options.combinations[4].settings.slots == 3 && options.combinations[4].settings.lingerMs == 1500)
  }

  @Test("the present settings are first where --vary does not contain them")
  func base() throws {
    let options = try Self.options("--slots", "4", "--vary", "slots=1,2")
    #expect(options.combinations.map(\.name) == ["current", "slots=1", "slots=2"])
    #expect(options.combinations.map(\.settings.slots) == [4, 1, 2] && options.combinations[0].isBase && options.file == nil)
    #expect(try Self.options("-").combinations.map(\.name) == ["current"])
  }

  @Test("the recording may be the file of live, and is one thing only")
  func data() throws {
    let options = try Self.options("--data", "live.db", "--since", "1000000000000", "--until", "2000000000000")
    #expect(options.data == "live.db" && options.since == 1_000_000_000_000 && options.until == 2_000_000_000_000)
    #expect(options.topic == nil && options.file == nil)
    #expect(Self.faults("gifts.jsonl", "--data", "live.db").contains("--input, --data and FILE exclude each other"))
    #expect(Self.faults("--input", "gifts", "--brokers", "b:1", "--data", "live.db").contains("exclude each other"))
    #expect(
      Self.faults("--data", "live.db", "--since", "2000000000000", "--until", "1000000000000").contains(
        "--until must be later than --since"))
    #expect(Self.faults("gifts.jsonl", "--since", "1000000000000").contains("--since needs --input or --data"))
    // A file named in the environment is ignored if a recording is named.
    guard case .tune(let named) = Self.parse(["gifts.jsonl"], environment: ["COMBO_DATA": "live.db"]) else {
      Issue.record("it is refused")
      return
    }
    #expect(named.data == nil && named.file == "gifts.jsonl")
  }

  @Test("lists are separated by a slash, words by a comma")
  func lists() throws {
    let options = try Self.options("--vary", "tiers=none/1000:4000:1000,10000:6000:2000", "--vary", "queue_order=fifo,tier")
    #expect(
      options.combinations.map(\.name) == [
        "tiers=none queue-order=fifo", "tiers=none queue-order=tier",
        "tiers=1000:4000:1000,10000:6000:2000 queue-order=fifo", "tiers=1000:4000:1000,10000:6000:2000 queue-order=tier",
      ])
    #expect(options.combinations[3].settings.tiers.count == 2 && options.combinations[3].settings.queueOrder == .tier)
  }

  @Test("--settings reads all files that follow it; their settings for run count, unless they have some for tune")
  func files() throws {
    try Self.withFiles([
      "a.conf": "brokers = k:9092\nslots = 3\n[run]\nlinger-ms = 1000\n[live]\nlinger-ms = 7\n",
      "b.conf": "slots = 2\n[tune]\nslots = 5\n",
    ]) { folder in
      let options = try Self.options("gifts.jsonl", "--settings", "\(folder)/a.conf", "\(folder)/b.conf", "--dwell-ms", "900")
      #expect(options.file == "gifts.jsonl" && options.combinations.map(\.name) == ["\(folder)/a.conf", "\(folder)/b.conf"])
      #expect(
        options.combinations.map(\.settings.slots) == [3, 5] && options.combinations.map(\.settings.lingerMs) == [1000, 3000])
      #expect(options.combinations.map(\.settings.dwellMs) == [900, 900])
      let both = try Self.options("--settings", "\(folder)/a.conf", "--settings=\(folder)/b.conf", "--vary", "exit-ms=0,250")
      #expect(both.combinations.count == 4 && both.combinations[1].name == "\(folder)/a.conf exit-ms=250" && both.file == nil)
      #expect(try Self.options("--settings", "\(folder)/a.conf", "--", "gifts.jsonl").file == "gifts.jsonl")
    }
  }

  @Test("--html overwrites no file but a page")
  func html() throws {
    let files = ["a.jsonl": "{}\n", "live.db": "SQLite", "a.conf": "slots = 3\n", "b.html": "<!doctype html>\n", "c.html": ""]
    try Self.withFiles(files) { folder in
      for line in [
        ["\(folder)/a.jsonl", "--html", "\(folder)/./a.jsonl"], ["--data", "\(folder)/live.db", "--html", "\(folder)/live.db"],
        ["a.jsonl", "--html", "\(folder)/a.conf", "--settings", "\(folder)/a.conf"],
      ] {
        #expect(Self.faults(line).contains("--html would overwrite"), "\(line)")
      }
      for page in ["b.html", "c.html", "new.html"] {
        #expect(Self.faults("\(folder)/a.jsonl", "--html", "\(folder)/\(page)").isEmpty)
      }
    }
  }

  @Test("each mistake is reported with its remedy")
  func reference() throws {
    let many = (1...100).map(String.init).joined(separator: ",")
    var texts: [(title: String, text: String)] = []
    for words in [
      ["--vary", "slot=1"], ["--vary", "nonsense=1"], ["--vary", "slots"], ["--vary", "slots="], ["--vary", "slots=1,99999"],
      ["--vary", "slots=1,1"], ["--vary", "slots=1", "--vary", "slots=2"], ["--vary", "queue-order=lifo"], ["--input", "gifts"],
      ["a.jsonl", "--input", "gifts", "--brokers", "k:1"], ["a.jsonl", "--since", "2026-01-01"],
      ["--input", "g", "--brokers", "k:1", "--since", "2026-01-02", "--until", "2026-01-01"], ["--format", "xml"],
      ["--vary", "linger-ms=\(many)", "--vary", "slots=1,2,3"], ["a.jsonl", "--html", "a.jsonl"], ["a.jsonl", "b.jsonl"],
      ["--settings", "/does/not/exist"],
    ] {
      texts.append((words.joined(separator: " "), Self.faults(words)))
    }
    #expect(Self.faults("--vary", "linger-ms=\(many)", "--vary", "slots=1").isEmpty)
    try Self.withFiles(["gifts.jsonl": "{\"room\":1}\n{\"room\":2}\n", "c.conf": "slots = 3\nslotz = 3\nlinger-ms = no\n"]) {
      folder in
      let swapped = Self.faults("--settings", "\(folder)/c.conf", "\(folder)/gifts.jsonl")
      texts.append(("--settings c.conf gifts.jsonl", swapped.replacing(folder, with: "FOLDER")))
    }
    try GeneratedPart.expect(snapshot: "tune-mistakes.txt", is: texts)
  }
}

@Suite("The report of tune")
struct TuneReportTests {
  static func report(_ figures: [(wait: Int64, stay: Int64, skipped: Int)], rooms: [String] = ["r1"]) -> TuneReport {
    var result = TuneResult()
    (result.lines, result.rooms, result.first, result.last) = (100, rooms.count, 1_732_104_000_000, 1_732_104_600_000)
    var combinations: [TuneOptions.Combination] = []
    for (index, figure) in figures.enumerated() {
      var measure = RoomMeasure(bits: 10)
      for _ in 0..<50 {
        measure.waits.add(figure.wait)
        measure.stays.add(figure.stay)
      }
      (measure.gifts, measure.skipped, measure.spanMs) = (50 + figure.skipped, figure.skipped, 600_000)
      if figure.wait <= RoomMeasure.inTimeMs { measure.readableMs = 50 * Int(min(figure.stay, RoomMeasure.readMs)) }
      let busiest = rooms.map { TuneResult.Room(name: $0, measure: measure) }
      result.combinations.append(TuneResult.Combination(total: measure, busiest: busiest))
      var settings = Settings()
      settings.slots = index + 1
      combinations.append(TuneOptions.Combination(name: "slots=\(index + 1)", settings: settings, isBase: index == 1))
    }
    return TuneReport(result, combinations, source: "gifts.jsonl")
  }

  @Test("one row is the best: most gifts seen well, and of rows as good the current settings, or the shortest wait")
  func best() {
    func winner(_ figures: [(wait: Int64, stay: Int64, skipped: Int)]) -> Int? { Self.report(figures).best?.number }
    // Seen at once but hardly read; read but seen too late; both seen in time and read.
    #expect(winner([(500, 900, 0), (11_000, 3000, 0), (1500, 1990, 0), (1500, 2700, 20)]) == 3)
    // Within one point of each other: the current settings, which are the second ones.
    #expect(winner([(500, 2000, 0), (9000, 1990, 0), (1500, 2800, 0)]) == 2)
    #expect(winner([(1500, 2000, 0), (9000, 1900, 0), (500, 2800, 0)]) == 3)
    #expect(winner([(500, 2000, 0)]) == nil)
  }

  @Test("reads as in the snapshot")
  func reference() throws {
    let one = Self.report([(500, 900, 0), (11_000, 3000, 0), (1500, 2800, 0), (9000, 900, 0)])
    let two = Self.report([(500, 900, 0), (9000, 3000, 50)], rooms: ["r1", "r2\u{1b}[2J"])
    try GeneratedPart.expect(
      snapshot: "tune.txt",
      is: [
        ("one room", TuneTable(report: one).text), ("two rooms, and gifts that are skipped", TuneTable(report: two).text),
        ("for programs", TuneJSON.text(of: two)),
      ])
  }

  @Test("numbers have as many digits as matter, and a rounded share does not appear as all")
  func numbers() {
    #expect(
      [0, 95, 9_994, 12_340, 99_950, 250_000].map { TuneReport.seconds($0) } == ["0.00", "0.10", "9.99", "12.3", "100.0", "250"])
    #expect(
      [0, 0.0004, 0.123, 0.9996, 1].map { TuneReport.percent($0) } == ["0 %", "<0.1 %", "12.3 %", ">99.9 %", "100 %"])
    #expect([119_900, 121_000, 7_260_000].map { TuneReport.span($0) } == ["119.9 s", "2 min 1 s", "2 h 1 min"])
  }

  @Test("the page is one file that loads nothing, and names cannot break out of it")
  func page() {
    let report = Self.report([(500, 900, 0), (9000, 3000, 3)], rooms: ["<script>alert(1)</script>\u{1b}[2J", "b&\"c"])
    let page = TunePage(report: report).text
    #expect(
      !page.contains("<script") && page.contains("&lt;script&gt;alert(1)&lt;/script&gt;[2J") && page.contains("b&amp;&quot;c"))
    for word in ["http://", "https://", "<link", "@import", "url("] { #expect(!page.contains(word), "\(word)") }
    #expect(page.contains("prefers-color-scheme:dark") && page.contains("viewport"))
    // The page closes as many elements as it opens.
    for element in ["svg", "table", "section", "details", "g", "figure", "article", "div"] {
      let opened = page.components(separatedBy: "<\(element)>").count + page.components(separatedBy: "<\(element) ").count - 2
      #expect(opened == page.components(separatedBy: "</\(element)>").count - 1, "\(element)")
    }
    #expect(page.components(separatedBy: "<svg").count - 1 == 4)
    let equal = TuneReport(report.result, [report.rows[0].combination, report.rows[0].combination], source: "g")
    #expect(!TunePage(report: equal).text.contains(#"<p class="legend">.</p>"#))
  }

  @Test("a plot of equal, tiny or huge values has all its points within it")
  func plot() throws {
    for values in [[(0.0, 0.0)], [(1.0, 2.0), (1.0, 2.0)], [(0.0, 0.1), (90_000, 50)], [(0.3, 0.75), (0.31, 0.75)]] {
      let points = values.enumerated().map { index, value in
        TunePlot.Point(number: index + 1, name: "n", wait: value.0, stay: value.1, isBest: index == 0, isBase: index == 1)
      }
      for size in [TunePlot.Size.wide, .phone, .small] {
        let svg = TunePlot.svg(points, title: "t", size: size)
        #expect(!svg.contains("nan") && !svg.contains("inf"))
        for part in svg.components(separatedBy: "cx=\"").dropFirst() {
          let place = try #require(Double(part.prefix { $0 != "\"" }))
          #expect((0...760).contains(place))
        }
      }
    }
  }

  @Test("the object for programs is JSON, with null where there is no figure")
  func json() throws {
    let text = TuneJSON.text(of: Self.report([(500, 900, 0), (9000, 3000, 50)]))
    let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let combinations = try #require(object["combinations"] as? [[String: Any]])
    #expect(combinations.count == 2 && combinations[1]["skipped_share"] as? Double == 0.5)
    #expect((combinations[1]["wait_ms"] as? [String: Int])?["p90"] == 9000 && combinations[1]["as_it_is"] as? Bool == true)
    #expect(combinations[0]["screen_fill"] is NSNull && (combinations[0]["settings"] as? [String: String])?["slots"] == "1")
  }
}
