import ComboCore
import ComboMaps
import ComboWire
import Foundation
import Testing

@testable import ComboTestSupport

/// A record that is binary as a whole, with the map that reads it and the JSON that must come out. `Samples/make_binary.py`
/// makes them.
struct BinarySample: CustomTestStringConvertible, Sendable {
  let name: String
  let record: [UInt8]
  let header: [UInt8]
  let json: String
  /// The member `record` of the map, or nil for a message of `gift.proto`.
  let form: String?
  let message: String?
  let framing: String

  var testDescription: String { name }

  static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Samples")

  static let all: [BinarySample] = {
    let text = try! String(contentsOf: folder.appending(path: "binary.jsonl"), encoding: .utf8)
    return text.split(separator: "\n").map { line in
      let all = try! JSONSerialization.jsonObject(with: Data(line.utf8)) as! [String: Any]
      func bytes(_ name: String) -> [UInt8] {
        let digits = Array(all[name] as! String)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16)! }
      }
      func text(_ value: Any) -> String {
        String(
          decoding: try! JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys]), as: UTF8.self)
      }
      var form: [String: Any]? = ["framing": all["framing"]!]
      for name in ["schema", "schemas"] { if let value = all[name] { form?[name] = value } }
      if all["message"] != nil { form = nil }
      return BinarySample(
        name: all["name"] as! String, record: bytes("record"), header: bytes("header"), json: text(all["json"]!),
        form: form.map(text), message: all["message"] as? String, framing: all["framing"] as! String)
    }
  }()

  func map() throws -> RecordMap {
    if let form { return try RecordMap(Array(#"{"map":1,"name":"t","include":"wire","record":\#(form)}"#.utf8), file: "m") }
    var proto = try ProtoFile(try Array(Data(contentsOf: Self.folder.appending(path: "gift.desc"))))
    return try RecordMap(Array(try proto.map(of: message!, framing: framing, include: "wire").utf8), file: "m")
  }
}

/// Reads records by a map; keeps what its decoder knows, as a service does.
struct BinaryReading {
  private let explainer: MapExplainer

  init(_ map: RecordMap, limits: WireLimits = WireLimits()) {
    var limits = limits
    limits.roomFromBody = true
    explainer = MapExplainer(map, limits: limits)
  }

  func explanation(_ record: [UInt8], header: [UInt8] = []) -> MapExplanation {
    record.withUnsafeBytes { record in
      header.withUnsafeBytes { header in
        explainer.explain(record, key: nil) { name, body in if name == "__value_schema_id", !header.isEmpty { body(header) } }
      }
    }
  }

  /// Returns the record as JSON with sorted names, or nil and the fault if it cannot be read.
  func json(_ record: [UInt8], header: [UInt8] = []) -> (json: String?, fault: BadEvent?, outcome: MapExplanation.Outcome) {
    let explanation = explanation(record, header: header)
    if case .bad(let fault) = explanation.outcome, explainer.record.isEmpty { return (nil, fault, explanation.outcome) }
    let value = try! JSONSerialization.jsonObject(with: Data(explainer.record.utf8))
    let text = String(decoding: try! JSONSerialization.data(withJSONObject: value, options: [.sortedKeys]), as: UTF8.self)
    return (text, nil, explanation.outcome)
  }
}

@Suite("Records in Protobuf and Avro")
struct BinaryRecordTests {
  @Test("are the JSON that their producers meant, in every frame", arguments: BinarySample.all)
  func samples(_ sample: BinarySample) throws {
    let reading = BinaryReading(try sample.map())
    for _ in 0..<2 {
      let read = reading.json(sample.record, header: sample.header)
      #expect(read.json == sample.json, "\(read.fault.map(\.description) ?? "")")
    }
  }

  private static let message = """
    {"map":1,"name":"t","include":"wire","record":{"framing":"confluent","message":"M"},
      "protobuf":{"M":{"1":"string a","2":"M inner","3":"int64 n","40":"string far"}}}
    """

  @Test("in Protobuf may have their fields in any order, one record after another")
  func order() throws {
    let reading = BinaryReading(try RecordMap(Array(Self.message.utf8), file: "m"))
    let frame: [UInt8] = [0, 0, 0, 0, 7, 0]
    let inOrder = Wire.of {
      $0.text(1, "x")
      $0.number(3, 5)
      $0.text(40, "z")
    }
    let unordered = Wire.of {
      $0.text(40, "z")
      $0.number(3, 4)
      $0.text(1, "x")
      $0.number(3, 5)
    }
    let json = #"{"a":"x","far":"z","n":5}"#
    for record in [inOrder, unordered, inOrder, unordered] {
      #expect(reading.json(frame + record).json == json)
      // The outer message is in order, the inner one is not.
      let nested = Wire.of {
        $0.text(1, "x")
        $0.long(2, record)
        $0.number(3, 5)
      }
      #expect(reading.json(frame + nested).json == #"{"a":"x","inner":\#(json),"n":5}"#)
    }
  }

  @Test("in Protobuf are read by the frame before them, whatever a header says, and else by the header")
  func frameBeforeHeader() throws {
    let reading = BinaryReading(try RecordMap(Array(Self.message.utf8), file: "m"))
    let header: [UInt8] = [0, 0, 0, 0, 9, 0]
    for (record, schema) in [([0, 0, 0, 0, 7, 0] + Wire.of { $0.text(1, "x") }, "7"), (Wire.of { $0.text(1, "x") }, "9")] {
      #expect(reading.json(record, header: header).json == #"{"a":"x"}"#)
      #expect(reading.explanation(record, header: header).schema?.description == schema)
    }
    #expect(reading.json(Wire.of { $0.text(1, "x") }).fault?.description.contains("the frame that the map names") ?? false)
  }

  @Test("are explained with the schema that they name, and with none where they name none")
  func schemas() throws {
    let samples = BinarySample.all.filter { $0.form?.contains(#""schemas":{"#) ?? false }
    #expect(samples.count >= 3)
    for sample in samples {
      let reading = BinaryReading(try sample.map())
      let schema = try #require(reading.explanation(sample.record, header: sample.header).schema, "\(sample.name)")
      #expect(sample.form!.contains("\"\(schema)\":"), "\(sample.name): \(schema)")
      #expect(reading.explanation([]).schema == nil)
      #expect(reading.explanation(Array(repeating: 0, count: 70_000)).schema == nil)
    }
  }

  @Test("are gifts without a map of their own, if their fields are called as an event's are")
  func events() throws {
    let gifts = BinarySample.all.filter { $0.json.contains(#""room""#) }
    #expect(gifts.count >= 10)
    for sample in gifts {
      #expect(
        BinaryReading(try sample.map()).json(sample.record, header: sample.header).outcome == .event("gift"), "\(sample.name)")
    }
  }

  @Test("in Avro or compressed are bad events when they are cut off anywhere", arguments: BinarySample.all)
  func cut(_ sample: BinarySample) throws {
    let reading = BinaryReading(try sample.map())
    for count in 0..<sample.record.count {
      let read = reading.json(Array(sample.record[..<count]), header: sample.header)
      // A message of Protobuf may end after any field.
      guard sample.message == nil || sample.framing == "glue" else { continue }
      #expect(read.json == nil, "the first \(count) bytes")
    }
  }

  @Test("do not crash the decoder when their bytes are altered", arguments: BinarySample.all)
  func altered(_ sample: BinarySample) throws {
    let reading = BinaryReading(try sample.map())
    let seed = UInt64.random(in: 0 ... .max)
    print("BinaryRecordTests.altered: seed \(seed)")
    var random = SplitMix64(seed: seed)
    for _ in 0..<500 {
      var record = sample.record
      for _ in 0...Int(random.next() % 3) {
        let place = Int(random.next() % UInt64(record.count))
        switch random.next() % 3 {
        case 0: record[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: record.remove(at: place)
        default: record.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
        }
        if record.isEmpty { break }
      }
      _ = reading.json(record, header: sample.header)
    }
    #expect(reading.json(sample.record, header: sample.header).json == sample.json)
  }

  /// The schema of a record with one field, `v`, since a record must be an object.
  private func field(_ type: String) -> String { #"{"type":"record","name":"R","fields":[{"name":"v","type":\#(type)}]}"# }

  private func reading(_ record: String, more: String = "") throws -> BinaryReading {
    BinaryReading(try RecordMap(Array(#"{"map":1,"name":"t","include":"wire","record":\#(record)\#(more)}"#.utf8), file: "m"))
  }

  @Test("name the schema that the map does not have, and the frame that they do not begin with")
  func frames() throws {
    let long = field(#""long""#)
    let byID = try reading(#"{"framing":"confluent","schemas":{"7":"string","9":\#(long)}}"#)
    #expect(byID.json([0, 0, 0, 0, 9, 4]).json == #"{"v":2}"#)
    #expect(
      byID.json([0, 0, 0, 0, 8, 4]).fault?.description.contains("schema is 8, which the map does not have; it has 7, 9") == true)
    #expect(byID.json([5, 0, 0, 0, 9, 4]).fault?.description.contains("does not begin with the frame") == true)
    #expect(byID.json([]).fault?.code == .notJSON)
    let uuid = Array(UInt8(1)...16)
    #expect(byID.json([1] + uuid).fault?.description.contains("schema is 01020304-0506-0708-090a-0b0c0d0e0f10") == true)
    // The header goes before what the record begins with.
    #expect(byID.json([4], header: [0, 0, 0, 0, 9]).json == #"{"v":2}"#)
    let single = try reading(#"{"framing":"single-object","schemas":[\#(long)]}"#)
    #expect(single.json([0xc3, 1, 1, 2, 3, 4, 5, 6, 7, 8, 4]).fault?.description.contains("schema is 0807060504030201") == true)
    #expect(single.json([0xc3, 2]).fault?.description.contains("C3 01") == true)
    let glue = try reading(#"{"framing":"glue","schemas":{"01020304-0506-0708-090a-0b0c0d0e0f10":\#(long)}}"#)
    #expect(glue.json([3, 0] + uuid + [4]).json == #"{"v":2}"#)
    #expect(glue.json([3, 1] + uuid + [4]).fault?.description.contains("compression is 1") == true)
    #expect(glue.json([3, 5] + uuid + [4]).fault?.code == .notJSON)
  }

  @Test("in Protobuf are not read as another message of their file")
  func messages() throws {
    let item = try #require(BinarySample.all.first { $0.name == "protobuf Gift.Item, prefix" })
    let gift = try #require(BinarySample.all.first { $0.name == "protobuf Gift, prefix" })
    let fault = BinaryReading(try gift.map()).json(item.record).fault
    #expect(
      fault?.description.contains("the message 1.0 of its file, but the map reads message 1") == true,
      "\(fault?.description ?? "none")"
    )
  }

  /// Returns a number as a zigzag varint.
  private func long(_ value: Int64) -> [UInt8] {
    var rest = UInt64(bitPattern: value << 1 ^ value >> 63)
    var bytes: [UInt8] = []
    while rest > 127 {
      bytes.append(UInt8(rest & 127) | 128)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  @Test("cost no more than their bytes and the JSON that a record may have")
  func bounds() throws {
    // A million values from four bytes, of a type without bytes.
    let nulls = try reading(#"{"schema":{"type":"array","items":"null"}}"#)
    #expect(nulls.json(long(3) + long(0)).json == "[null,null,null]")
    #expect(nulls.json(long(1_000_000) + long(0)).fault?.code == .tooLarge)
    #expect(nulls.json(long(.min) + long(0) + long(0)).fault?.code == .notJSON)
    #expect(nulls.json(long(.max)).fault?.code == .tooLarge)
    let empty = try reading(#"{"schema":{"type":"array","items":{"type":"record","name":"E","fields":[]}}}"#)
    #expect(empty.json(long(1_000_000) + long(0)).fault?.code == .tooLarge)
    // A type that contains itself without end, and one that may.
    let endless = try reading(#"{"schema":{"type":"record","name":"A","fields":[{"name":"a","type":"A"}]}}"#)
    #expect(endless.json([0, 0, 0]).fault?.description.contains("nested deeper") == true)
    let chain = try reading(
      #"{"schema":{"type":"record","name":"A","fields":[{"name":"a","type":["null","A"]}]}}"#)
    #expect(chain.json([2, 2, 0]).json == #"{"a":{"a":{"a":null}}}"#)
    #expect(chain.json(Array(repeating: 2, count: 40)).fault?.description.contains("nested deeper") == true)
    let text = try reading(#"{"schema":"string"}"#)
    #expect(text.json(long(-1)).fault?.description.contains("longer than the rest") == true)
    #expect(text.json(long(.max)).fault?.description.contains("longer than the rest") == true)
    #expect(text.json(long(2) + [0xc3, 0x28]).fault?.description.contains("not UTF-8") == true)
    #expect(text.json(long(1) + [0x61, 0x61]).fault?.description.contains("1 bytes are left") == true)
    let number = try reading(#"{"schema":"long"}"#)
    #expect(number.json(Array(repeating: 0xff, count: 11)).fault?.description.contains("more than 64 bits") == true)
    #expect(try reading(#"{"schema":"int"}"#).json(long(1 << 31)).fault?.description.contains("more than 32 bits") == true)
    #expect(try reading(#"{"schema":"boolean"}"#).json([2]).fault?.description.contains("no boolean") == true)
    let choice = try reading(#"{"schema":\#(field(#"["null","long","string"]"#))}"#)
    #expect(choice.json([2, 4]).json == #"{"v":{"long":2}}"#)
    #expect(choice.json([6]).fault?.description.contains("no branch 3") == true)
    #expect(choice.json([1]).fault?.description.contains("no branch -1") == true)
    let symbols = try reading(#"{"schema":{"type":"enum","name":"K","symbols":["A"]}}"#)
    #expect(symbols.json([2]).fault?.description.contains("an enum before byte 1 has no symbol 1") == true)
    let decimal = try reading(
      #"{"schema":\#(field(#"{"type":"bytes","logicalType":"decimal","precision":4,"scale":3}"#))}"#)
    #expect(decimal.json(long(1) + [0xff]).json == #"{"v":-0.001}"#)
    #expect(decimal.json(long(2) + [0x7f, 0xff]).json == #"{"v":32.767}"#)
    let uuid = try reading(
      #"{"schema":\#(field(#"{"type":"fixed","name":"U","size":16,"logicalType":"uuid"}"#))}"#)
    #expect(uuid.json(Array(UInt8(1)...16)).json == #"{"v":"01020304-0506-0708-090a-0b0c0d0e0f10"}"#)
  }

  @Test("groups of Protobuf's second edition are skipped, and maps have values that were left out")
  func groups() throws {
    let reading = try reading(
      #"{"message":"M"}"#,
      more: #", "protobuf":{"M":{"1":"int32 a","2":"map<string,int32> m","3":"map<bool,N> n"},"N":{"1":"string s"}}"#)
    // Group 5, within it group 6 and a number, then field 1.
    #expect(reading.json([0x2b, 0x33, 0x08, 0x01, 0x34, 0x2c, 0x08, 0x07]).json == #"{"a":7}"#)
    #expect(reading.json([0x2b, 0x34]).fault?.description.contains("a group ends") == true)
    #expect(reading.json([0x2b, 0x08, 0x01]).fault?.description.contains("cut off") == true)
    #expect(reading.json(Array(repeating: 0x2b, count: 100)).fault?.description.contains("nested deeper") == true)
    // Entries with key and value, without value, without key; a message that is left out.
    #expect(
      reading.json([0x12, 5, 0x0a, 1, 0x6b, 0x10, 3, 0x12, 3, 0x0a, 1, 0x6c, 0x12, 2, 0x10, 9]).json
        == #"{"m":{"":9,"k":3,"l":0}}"#)
    #expect(reading.json([0x1a, 2, 0x08, 1]).json == #"{"n":{"true":{}}}"#)
    #expect(reading.json([0x12, 2, 0x08, 1]).fault?.description.contains("wire type") == true)
  }

  @Test("a schema that cannot be is refused where it stands")
  func schemaFaults() {
    func fault(_ record: String) -> String {
      faults(of: #"{"map":1,"name":"t","include":"wire","record":\#(record)}"#).joined(separator: " | ")
    }
    #expect(fault(#"{"framing":"confluent"}"#).contains("record needs one of message (Protobuf), schema and schemas (Avro)"))
    #expect(fault(#"{"schemas":{"7":"long"}}"#).contains("schemas by id need a framing"))
    #expect(fault(#"{"framing":"confluent","schemas":{"x":"long"}}"#).contains("must be its id, a number or a UUID, not \"x\""))
    #expect(fault(#"{"framing":"confluent","schemas":{}}"#) == "")
    #expect(fault(#"{"framing":"frame","schema":"long"}"#).contains("framing must be"))
    #expect(fault(#"{"message":"M"}"#).contains("there is no message \"M\""))
    #expect(fault(#"{"schema":"lang"}"#).contains("there is no Avro type \"lang\""))
    #expect(fault(#"{"schema":[]}"#).contains("a union must have 1 to"))
    #expect(fault(#"{"schema":{"type":"record","name":"A"}}"#).contains("\"fields\" is missing"))
    #expect(fault(#"{"schema":{"type":"enum","name":"A","symbols":[]}}"#).contains("symbols must be"))
    #expect(fault(#"{"schema":{"type":"fixed","name":"A","size":-1}}"#).contains("size must be"))
    #expect(fault(#"{"schema":{"type":"record","name":"A b","fields":[]}}"#).contains("a name in Avro"))
    #expect(
      fault(#"{"schema":["long",{"type":"fixed","name":"A","size":1},{"type":"fixed","name":"A","size":2}]}"#)
        .contains("defines \"A\" twice"))
    #expect(
      fault(#"{"schema":{"type":"record","name":"A","fields":[{"name":"a","type":"long"},{"name":"a","type":"long"}]}}"#)
        .contains("the field \"a\" twice"))
  }

  @Test("a message of a .proto file is found by its name, and imports that are missing are named")
  func protoFiles() throws {
    let descriptors = try Array(Data(contentsOf: BinarySample.folder.appending(path: "gift.desc")))
    var proto = try ProtoFile(descriptors)
    func fault(_ body: () throws -> Void) -> String {
      do { try body() } catch { return (error as? ProtoFile.Fault)?.sentence ?? "\(error)" }
      return ""
    }
    #expect(
      fault { _ = try proto.map(of: "Gifts", framing: "none", include: "wire") }.contains("there is no message Gifts; there are"))
    #expect(try proto.map(of: "live.Gift", framing: "none", include: "wire").contains(#""message": "Gift""#))
    #expect(try proto.map(of: "Item", framing: "confluent", include: "wire").contains(#""indexes": [1, 0]"#))
    #expect(fault { _ = try ProtoFile([1, 2, 3]) }.contains("no descriptor set"))
    #expect(fault { _ = try ProtoFile(Array("{}".utf8)) }.contains("no descriptor set"))
  }
}
