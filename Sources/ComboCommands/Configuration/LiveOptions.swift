internal import ComboCore
internal import ComboHTTP
internal import ComboIntake
internal import ComboMaps
internal import ComboSystem

struct LiveOptions: Equatable, Sendable {
  /// The sources of records in addition to `POST /events`.
  var sources: [IntakeSource] = []
  /// The name of the map for records of sources without their own, as given, or nil if these records are events.
  var defaultMap: String?
  /// The maps named by `--map` and the sources, each once.
  var maps: [String] = []
  /// The map with which the service reads the input topic.
  var map: RecordMap?
  /// Whether records are in envelopes.
  var isWrapped = false
  /// `none` or a file, or nil for the default file.
  var data: String?
  var sizeMax: Int64 = 2 << 30
  var keepMs: Int64 = 86_400_000
  var prints = false
  var exports = false
  var printsDeadLetters = false
  var exportsMap = false
  var commitIntervalMs = 10
  /// Whether to discard the results of another version's entries where this version cannot derive them.
  var acceptReset = false
  /// The maximum age of a gift by its own time, in milliseconds; 0 for no limit.
  var maxAgeMs = 0
  var http: HTTPAddress?
  var httpToken: HTTPToken?
  var logLevel = LogLevel.info
  var logFormat = LogFormat.text
  var settings = Settings()

  init(_ reader: inout OptionReader) {
    for text in reader.texts("from") {
      do throws(IntakeSource.Fault) {
        sources.append(try IntakeSource(text))
      } catch {
        reader.fault(error.description)
      }
    }
    if sources.count(where: { $0.place == .standardInput }) > 1 {
      reader.fault("--from - was given twice, but standard input can be read only once")
    }
    defaultMap = reader.optionalText("map")
    readMaps(&reader)
    data = reader.optionalText("data")
    sizeMax = Int64(reader.integer("data-max-mib")) << 20
    keepMs = Int64(reader.number("keep-hours") * 3_600_000)
    prints = reader.flag("print")
    exports = reader.flag("export")
    exportsMap = reader.flag("export-map")
    printsDeadLetters = reader.flag("dead-letters")
    if exports || printsDeadLetters, data == "none" {
      reader.fault("--\(exports ? "export" : "dead-letters") needs a --data file: --data none keeps no records")
    }
    commitIntervalMs = reader.integer("commit-interval-ms")
    acceptReset = reader.flag("accept-reset")
    maxAgeMs = reader.integer("max-age-ms")
    http = HTTPAddress(reader.text("http"))
    httpToken = ServiceOptions.token(&reader)
    if let http, !http.isLoopback, httpToken == nil {
      reader.fault("--http \(http.text) can be reached by other machines, so --http-token-file is required")
    }
    logLevel = LogLevel(rawValue: reader.text("log-level"))!
    logFormat = LogFormat(rawValue: reader.text("log-format"))!
    settings = reader.settings()
  }

  /// Reads all named maps, which must be valid, and combines them into the one that the service uses.
  private mutating func readMaps(_ reader: inout OptionReader) {
    maps = defaultMap.map { [$0] } ?? []
    for source in sources {
      if let map = source.map, !maps.contains(map) { maps.append(map) }
    }
    isWrapped = !maps.isEmpty || sources.contains { $0.room != nil }
    if !isWrapped { return }
    var isRight = true
    for map in maps {
      if reader.value(of: MapSource.map(map), "map=\(map)") == nil { isRight = false }
    }
    if !isRight { return }
    switch MapSource.map(text: Intake.envelopeMap(maps), file: "the map of live's records") {
    case .success(let map): self.map = map
    case .failure(let failure): for sentence in failure.sentences { reader.fault(sentence) }
    }
  }
}
