internal import ComboCore
internal import ComboKafka
internal import ComboMaps
internal import ComboReplay
internal import ComboSystem
internal import Glibc

struct TuneOptions: Equatable, Sendable {
  /// Settings to replay with.
  struct Combination: Equatable, Sendable {
    /// Its distinguishing options, such as `slots=1 linger-ms=1500`, or a file's name.
    var name: String
    var settings: Settings
    /// Whether these are the current settings, that is, those without --vary and --settings.
    var isBase = false
  }

  /// The name of the unchanged settings.
  static let baseName = "current"

  /// A topic to read instead of a file.
  struct TopicSource: Equatable, Sendable {
    var name: String
    var brokers: String
    var kafka: [KafkaProperty]
  }

  /// The file to read, or nil for standard input, a topic, or a file of `live`.
  var file: String?
  var topic: TopicSource?
  /// A file of `live` or `demo` to read instead of a file of lines.
  var data: String?
  /// The start and end of the span, in milliseconds since the Unix epoch, or nil for the oldest record and the present end.
  var since: Int64?
  var until: Int64?
  var maxRestedRooms = 65_536
  /// The number of threads; 0 for one per processor.
  var threads = 0
  /// The map that turns lines into events, or nil if they are events.
  var map: RecordMap?
  /// The combinations to compare; at least one.
  var combinations: [Combination] = []
  var isJSON = false
  /// The file for the page, or nil for none.
  var html: String?

  init(_ reader: inout OptionReader, operands: [String]) {
    file = operands.first.flatMap { $0 == "-" ? nil : $0 }
    maxRestedRooms = reader.integer("max-rested-rooms")
    threads = reader.integer("threads")
    map = reader.map()
    isJSON = reader.text("format") == "json"
    html = reader.optionalText("html")
    let kafka = reader.kafkaProperties()
    // A shared option in the environment or a file does not override a recording that is named.
    let (isTopicAsked, isDataAsked) = (reader.isNamed("input"), reader.isNamed("data"))
    if [isTopicAsked, isDataAsked, !operands.isEmpty].count(where: { $0 }) > 1 {
      reader.fault("--input, --data and FILE exclude each other: give only one of them")
    }
    since = reader.optionalText("since").flatMap { Timestamp.milliseconds($0) }
    until = reader.optionalText("until").flatMap { Timestamp.milliseconds($0) }
    if let path = reader.optionalText("data"), isDataAsked || operands.isEmpty && !isTopicAsked {
      data = path
    } else if let name = reader.optionalText("input"), isTopicAsked || operands.isEmpty {
      topic = TopicSource(name: name, brokers: reader.requiredText("brokers"), kafka: kafka)
    } else {
      for name in ["since", "until"] where reader.isGiven(name) {
        reader.fault("--\(name) needs --input or --data: a file of lines is always read completely")
      }
    }
    if let html, html == file || !Self.mayOverwrite(html) {
      reader.fault("--html would overwrite \(html), which is no page: give another file")
    }
    if let since, let until, since >= until { reader.fault("--until must be later than --since") }
    combinations = Self.combinations(&reader, hasFile: !operands.isEmpty)
  }

  /// Whether there is no file with contents, or a page. Any other file may be one that is read: the recording, settings, a map.
  private static func mayOverwrite(_ path: String) -> Bool {
    var about = stat()
    guard stat(path, &about) == 0, about.st_mode & S_IFMT == S_IFREG, about.st_size > 0 else { return true }
    let file = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    var start = [UInt8](repeating: 0, count: 9)
    return pread(file, &start, start.count, 0) == start.count && start.elementsEqual("<!doctype".utf8)
  }

  private static func combinations(_ reader: inout OptionReader, hasFile: Bool) -> [Combination] {
    let base = reader.settings()
    var variations: [Variation] = []
    for text in reader.texts("vary") {
      guard case .success(let variation) = Variation.read(text) else { continue }
      if variations.contains(where: { $0.name == variation.name }) {
        reader.fault("--vary \(Variation.dashed(variation.name.text)) is given twice: put all values into one --vary")
      }
      variations.append(variation)
    }
    let files = reader.texts("settings")
    // Counted before they are created.
    var count = max(1, files.count)
    for variation in variations {
      let product = count.multipliedReportingOverflow(by: variation.values.count)
      count = product.overflow ? .max : product.partialValue
    }
    if count > TuneReplay.combinationsMax {
      reader.fault(
        "--vary and --settings make \(count == .max ? "too many" : ProgressMeter.grouped(count)) combinations; at most "
          + "\(TuneReplay.combinationsMax) are compared at once: give fewer values")
      return [Combination(name: baseName, settings: base, isBase: true)]
    }
    var combinations =
      files.isEmpty ? [Combination(name: "", settings: base)] : read(files, over: base, &reader, hasFile: hasFile)
    for variation in variations {
      combinations = combinations.flatMap { one in
        variation.values.map { value in
          var next = one
          next.settings.apply(value)
          next.name += (one.name.isEmpty ? "" : " ") + "\(Variation.dashed(variation.name.text))=\(SettingName.text(of: value))"
          return next
        }
      }
    }
    if let known = combinations.firstIndex(where: { $0.settings == base }) {
      combinations[known].isBase = true
      if combinations[known].name.isEmpty { combinations[known].name = baseName }
    } else if files.isEmpty, combinations.count < TuneReplay.combinationsMax {
      combinations.insert(Combination(name: baseName, settings: base, isBase: true), at: 0)
    }
    return combinations
  }

  /// Reads the combinations of files, which change the base settings.
  private static func read(
    _ files: [String], over base: Settings, _ reader: inout OptionReader, hasFile: Bool
  ) -> [Combination] {
    var combinations: [Combination] = []
    for name in files {
      switch TextFile.read(name, limit: ConfigFile.bytesMax) {
      case .failure(let failure): reader.fault("--settings: \(failure)")
      case .success(let text):
        let file = ConfigFile(text, named: name)
        for fault in file.faults.prefix(5) { reader.fault(fault) }
        if !file.faults.isEmpty, !hasFile {
          reader.fault("--settings takes all arguments that follow it: if \(name) is the recording, name it first")
        }
        // The section of `run` applies, unless there is one of `tune`.
        let source = file.source(for: file.entries.contains { $0.command == .tune } ? .tune : .run)
        var settings = base
        for setting in SettingName.all {
          guard let value = source.values[Variation.dashed(setting.text)]?.last?.text,
            case .success(let parsed) = setting.parse(value), parsed.fault == nil
          else { continue }
          settings.apply(parsed)
        }
        combinations.append(Combination(name: name, settings: settings))
      }
    }
    return combinations
  }
}
