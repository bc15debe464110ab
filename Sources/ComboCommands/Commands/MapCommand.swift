internal import ComboCore
internal import ComboEdge
internal import ComboKafka
internal import ComboMaps
internal import ComboReplay
internal import ComboSystem
internal import ComboWire
internal import Glibc

/// `map`: shows the results of a map for records; lists, checks and generates maps.
enum MapCommand {
  static func run(_ options: MapOptions) -> Int32 {
    switch options.task {
    case .list: return list()
    case .print(let text): return Console.print(text)
    case .check(let file): return check(file)
    case .infer(let file): return infer(file)
    case .proto(let file, let message, let framing, let include): return proto(file, message, framing, include)
    case .explainFile(let map, let file): return explainFile(map, file, options)
    case .explainTopic(let map, let topic, let last): return explainTopic(map, topic, last, options)
    }
  }

  private static func list() -> Int32 {
    var text = ""
    let width = BuiltInMaps.names.map(\.count).max() ?? 0
    for name in BuiltInMaps.names {
      guard case .success(let map) = MapSource.map(name) else { continue }
      text += name + String(repeating: " ", count: width - name.count) + "  \(map.about)\n"
      for one in map.switches {
        let indent = String(repeating: " ", count: width + 2)
        for value in one.values {
          text += "\(indent)\(one.name)=\(value.name)\(value.name == one.initial ? " (default)" : "")  \(value.about)\n"
        }
      }
    }
    return Console.print(text)
  }

  private static func check(_ file: String) -> Int32 {
    switch MapSource.map(file) {
    case .success(let map):
      for note in map.notes { Console.write("note: \(note)\n", to: STDERR_FILENO) }
      return Console.print("\(validity(of: map, in: file))\n")
    case .failure(let failure):
      for sentence in failure.sentences { Console.write("\(sentence)\n", to: STDERR_FILENO) }
      return 1
    }
  }

  static func validity(of map: RecordMap, in file: String) -> String {
    "\(file) is a valid map: \(map.name).\(map.about.isEmpty ? "" : " \(map.about)")"
  }

  private static func infer(_ file: String?) -> Int32 {
    guard let records = records(file, elements: true) else { return 1 }
    let guess = MapInference(records.map(\.bytes))
    if guess.text.isEmpty {
      return Console.fail("\(file ?? "standard input"): \(DisplayWidth.harmless(guess.doubts.joined(separator: "; ")))")
    }
    for doubt in guess.doubts {
      // It has names of members, which anybody can make up.
      Console.report(DisplayWidth.harmless(doubt.hasPrefix("left out") ? doubt : "unsure: \(doubt)"))
    }
    return Console.print(guess.text)
  }

  private static func proto(_ file: String, _ message: String, _ framing: String, _ include: String) -> Int32 {
    do {
      var proto = try ProtoFile(try ProtoCompiler.descriptors(of: file))
      return Console.print(try proto.map(of: message, framing: framing, include: include))
    } catch {
      return Console.fail("\(file): \((error as? ProtoFile.Fault)?.sentence ?? "\(error)")")
    }
  }

  // MARK: - Explaining

  private static func explainFile(_ map: RecordMap, _ file: String?, _ options: MapOptions) -> Int32 {
    guard let records = records(file) else { return 1 }
    var limits = options.limits
    limits.roomFromBody = true
    let explainer = MapExplainer(map, limits: limits)
    var report = MapReport(isJSON: options.isJSON, width: width)
    // A replay uses this key, too.
    let key = ChunkDecoder.roomName.withUTF8Buffer { Bytes($0) }
    for record in records {
      let explanation = record.bytes.withUnsafeBytes { explainer.explain($0, key: key) }
      guard show(explainer, explanation, "line \(record.line)", &report, options) else { return 1 }
    }
    return end(report, options)
  }

  private static func explainTopic(_ map: RecordMap, _ topic: String, _ last: Int, _ options: MapOptions) -> Int32 {
    let log = ServiceLog(.error, hiding: options.kafka)
    return log.exitCode { () throws(EdgeError) in
      let properties = try KafkaProperties(brokers: options.brokers, clientID: "combo-consumer-map", options.kafka, log: log)
      let tail = try TopicTail(properties, topic)
      var map = map
      if let registry = options.registry {
        let schemas = try TopicSchemas(registry, map, tail, last: last, limits: options.limits)
        for (id, reason, _) in schemas.missing { Console.report("schema \(id): \(reason)") }
        if let folder = options.schemaFolder { return fetched(schemas, folder) }
        map = schemas.map
      }
      let explainer = MapExplainer(map, limits: options.limits)
      var report = MapReport(isJSON: options.isJSON, width: width)
      try tail.read(last: last) { partition, message, value in
        let explanation = explainer.explain(value, key: message.key, header: { message.withLastHeader($0, $1) })
        _ = show(explainer, explanation, "partition \(partition), offset \(message.offset)", &report, options)
      }
      return end(report, options)
    }
  }

  private static func fetched(_ schemas: TopicSchemas, _ folder: String) -> Int32 {
    if let fault = schemas.write(to: folder) { return Console.fail(fault) }
    let ids = schemas.found.map(\.id).joined(separator: ", ")
    let code = Console.print("\(Counted.text(schemas.found.count, "schemas")) in \(folder)\(ids.isEmpty ? "" : ": \(ids)")\n")
    return schemas.missing.isEmpty ? code : 1
  }

  /// Prints a record, or the result of a map for it.
  /// - Returns: Whether it could be written.
  private static func show(
    _ explainer: MapExplainer, _ explanation: MapExplanation, _ place: String, _ report: inout MapReport, _ options: MapOptions
  ) -> Bool {
    let text = report.text(of: explanation, place: place)
    guard options.printsRecords else { return Console.write(text, to: STDOUT_FILENO) }
    let record = explainer.record
    if !record.isEmpty { return Console.write(record, to: STDOUT_FILENO) }
    report.unreadable += 1
    if case .bad(let fault) = explanation.outcome { Console.report("\(place) cannot be read: \(fault)") }
    return true
  }

  private static func end(_ report: MapReport, _ options: MapOptions) -> Int32 {
    if options.printsRecords { return report.unreadable > 0 ? 1 : 0 }
    Console.write(report.summary, to: STDOUT_FILENO)
    return report.bad > 0 ? 1 : 0
  }

  /// Without a terminal, lines may be long.
  private static var width: Int { TerminalScreen.size()?.width ?? 160 }

  /// Samples are small; a larger file is a mistake.
  private static let fileMax = 64 << 20

  private static func records(_ file: String?, elements: Bool = false) -> [RecordFile.Record]? {
    switch TextFile.bytes(of: file ?? "/dev/stdin", limit: fileMax) {
    case .success(let bytes): return RecordFile(bytes, elements: elements).records
    case .failure(let failure):
      Console.report("\(failure)")
      return nil
    }
  }
}

/// The newest records of a topic.
struct TopicTail {
  private static let withinMs: Int64 = 10_000
  private let client: ReaderClient
  private let control: ControlClient
  private let topic: String

  init(_ properties: KafkaProperties, _ topic: String) throws(EdgeError) {
    self.topic = topic
    control = try ControlClient(properties)
    client = try ReaderClient(properties)
  }

  /// Calls `body` with the newest `last` records of each partition that have a value, partition by partition. Records of open
  /// transactions are left out.
  func read(last: Int, _ body: (Int32, KafkaMessage, UnsafeRawBufferPointer) -> Void) throws(EdgeError) {
    guard let count = try control.partitionCount(topic, withinMs: Self.withinMs) else {
      throw EdgeError(.unknownTopic, "the topic \"\(topic)\" does not exist: check --from-topic")
    }
    for partition in 0..<Int32(count) {
      let first = try control.watermarks(topic, partition, withinMs: Self.withinMs).first
      let end = try control.watermarks(topic, partition, seenBy: client.client, withinMs: Self.withinMs).end
      // Ends of transactions, aborted records and records removed by compaction occupy offsets, too.
      var offsets: [Int64] = []
      var (from, width) = (end, Int64(last))
      while offsets.count < last, from > first {
        let to = from
        from = max(first, to - width)
        width = min(2 * width, Self.widthMax)
        var older: [Int64] = []
        try read(partition, from: from, to: to) { message, _ in older.append(message.offset) }
        offsets = older + offsets
      }
      if let start = offsets.suffix(last).first { try read(partition, from: start, to: end) { body(partition, $0, $1) } }
    }
  }

  /// The maximum number of offsets that one pass reads.
  private static let widthMax: Int64 = 1 << 20

  private func read(
    _ partition: Int32, from start: Int64, to end: Int64, _ body: (KafkaMessage, UnsafeRawBufferPointer) -> Void
  ) throws(EdgeError) {
    try client.read(topic, partition, from: start, to: end, silenceMaxMs: Self.withinMs, advice: "is its leader away?") {
      if let value = $0.value { body($0, value) }
    }
  }
}
