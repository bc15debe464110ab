internal import ComboKafka
internal import ComboMaps
internal import ComboRegistry
internal import ComboWire

struct MapOptions: Equatable, Sendable {
  /// The task that the options select.
  enum Task: Equatable, Sendable {
    case list
    /// A map's text.
    case print(String)
    case check(String)
    /// The file of samples, or nil for standard input.
    case infer(String?)
    /// A `.proto` or descriptor file, the message that a record is, its framing, and the map that reads its fields.
    case proto(String, message: String, framing: String, include: String)
    /// A map and the file of records, or nil for standard input.
    case explainFile(RecordMap, String?)
    case explainTopic(RecordMap, String, last: Int)
  }

  var task = Task.list
  /// The registry of the records' schemas, or nil for none.
  var registry: SchemaRegistry?
  /// The folder to which its schemas are written, or nil to write none.
  var schemaFolder: String?
  var isJSON = false
  /// Whether to print the records themselves, as JSON.
  var printsRecords = false
  var brokers = ""
  var limits = WireLimits()
  var kafka: [KafkaProperty] = []

  init(_ reader: inout OptionReader, operands: [String]) {
    isJSON = reader.flag("json")
    limits.roomFromBody = reader.flag("room-from-body")
    limits.roomSettings = reader.settingNames("room-settings")
    kafka = reader.kafkaProperties()
    printsRecords = reader.flag("records")
    registry = reader.registry()
    schemaFolder = reader.optionalText("fetch-schemas")
    let tasks = ["list", "print", "check", "infer", "proto"].filter {
      reader.isGiven($0) && ($0 != "list" || reader.flag("list"))
    }
    let file = operands.first
    func named(_ file: String) -> String? { file == "-" ? nil : file }
    let topic = reader.optionalText("from-topic")
    if tasks.count + (file == nil && topic == nil ? 0 : 1) > 1 || (file != nil && topic != nil) {
      reader.fault("map does one thing at a time: --list, --print, --check, --infer, --proto, a FILE or --from-topic")
      return
    }
    if schemaFolder != nil, registry == nil || topic == nil {
      reader.fault(
        "--fetch-schemas needs --schema-registry URL, which has the schemas, and --from-topic TOPIC, whose records name them")
    }
    switch tasks.first {
    case "list": task = .list
    case "print":
      let name = reader.text("print")
      if let text = reader.value(of: MapSource.bytes(name), "--print")?.text {
        task = .print(String(decoding: text, as: UTF8.self) + (text.last == 0x0a ? "" : "\n"))
      }
    case "check": task = .check(reader.text("check"))
    case "infer": task = .infer(named(reader.text("infer")))
    case "proto":
      let isRead = !reader.isGiven("map") || reader.map() != nil
      let message = reader.requiredText("message")
      if reader.text("framing") == "single-object" { reader.fault("--proto needs another --framing: single-object is for Avro") }
      if isRead {
        task = .proto(
          reader.text("proto"), message: message, framing: reader.text("framing"), include: reader.optionalText("map") ?? "wire")
      }
    default:
      guard let map = reader.map() else {
        if !reader.isGiven("map"), !reader.isGiven("schemas"), registry == nil {
          reader.fault(
            "map needs --map NAME|FILE to read records with, or one of --list, --print NAME, --check FILE, --infer FILE, --proto FILE"
          )
        }
        return
      }
      if let topic {
        brokers = reader.requiredText("brokers")
        task = .explainTopic(map, topic, last: reader.integer("last"))
      } else {
        task = .explainFile(map, file.flatMap(named))
      }
    }
  }
}
