internal import ComboCore
internal import ComboHTTP
internal import ComboKafka
internal import ComboSystem

struct ServeOptions: Equatable, Sendable {
  var brokers: String
  var output: String
  /// The compacted topic of the rooms' newest screens, if there is one.
  var screens: String?
  /// The input whose rooms to serve, or nil for all.
  var input: String?
  /// The partitions to serve, ascending, or nil for all.
  var partitions: [Int32]?
  var http: HTTPAddress = .standard
  var httpToken: HTTPToken?
  var isPublic: Bool
  var origins: HTTPOrigins
  var readers: Int
  var backSeconds: Double
  /// The service's settings that clients receive, in the form of a `screen`: names and values in this order.
  var clientSettings: [ClientSetting] = []
  var logLevel: LogLevel
  var logFormat: LogFormat
  var kafka: [KafkaProperty]

  struct ClientSetting: Equatable, Sendable {
    var name: String
    var value: Int
  }

  init(_ reader: inout OptionReader) {
    brokers = reader.requiredText("brokers")
    output = reader.requiredText("output")
    screens = reader.optionalText("screens")
    input = reader.optionalText("of-input")
    if input != nil, screens != nil {
      reader.fault("--of-input cannot be used with --screens, whose topic does not name inputs: leave one of them out")
    }
    if let address = HTTPAddress(reader.text("http")) {
      http = address
    } else {
      reader.fault("--http must be an address: serve only serves HTTP")
    }
    httpToken = ServiceOptions.token(&reader)
    isPublic = reader.flag("http-public")
    if !http.isLoopback, !isPublic, !reader.isGiven("http-token-file") {
      reader.fault(
        "--http \(http.text) can be reached by other machines: give --http-token-file, or --http-public if anybody may see the rooms"
      )
    }
    origins = ServiceOptions.origins(&reader)
    readers = reader.integer("readers")
    backSeconds = reader.number("back")
    let settings = reader.settings()
    for (name, value) in [
      ("slots", settings.slots), ("enter_ms", settings.enterMs), ("count_ms", settings.countMs), ("exit_ms", settings.exitMs),
    ] where reader.isGiven(name.replacing("_", with: "-")) {
      clientSettings.append(ClientSetting(name: name, value: value))
    }
    logLevel = LogLevel(rawValue: reader.text("log-level"))!
    logFormat = LogFormat(rawValue: reader.text("log-format"))!
    kafka = reader.kafkaProperties()
    guard let list = reader.optionalText("partitions") else { return }
    partitions = Self.numbers(list)
    if partitions == nil { reader.fault("--partitions must be numbers and ranges such as 0-7,12, not \(Sentence.quoted(list))") }
  }

  /// Parses a list such as `0-7,12`. Returns nil if it is invalid.
  static func numbers(_ list: String) -> [Int32]? {
    var found: Set<Int32> = []
    for part in list.split(separator: ",", omittingEmptySubsequences: false) {
      let ends = part.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map { Int32($0) }
      guard let first = ends.first ?? nil, let last = ends.last ?? nil, 0 <= first, first <= last, last < 100_000 else {
        return nil
      }
      found.formUnion(first...last)
    }
    return found.sorted()
  }
}
