import ComboMaps
import Testing

/// Schemas that are added to a map, as a registry's are.
@Suite("Schemas of a map")
struct MapSchemaTests {
  private func map(_ schemas: String = "{}", name: String = "t") throws -> RecordMap {
    let text = #"{"map":1,"name":"\#(name)","include":"wire","record":{"framing":"confluent","schemas":\#(schemas)}}"#
    return try RecordMap(Array(text.utf8), file: "m")
  }

  @Test("make one map in any order, and those that it has stay")
  func order() throws {
    let (seven, eight) = (["7": #""long""#], ["8": #"{"type":"array","items":"string"}"#])
    let one = try map().adding(seven).adding(eight)
    #expect(one == (try map().adding(eight).adding(seven)))
    #expect(one == (try map().adding(seven.merging(eight) { a, _ in a })))
    #expect(one != (try map()))
    #expect(RecordMap.schemas(of: one.canonical) == seven.merging(eight) { a, _ in a })
    #expect(try map(#"{"7":"string"}"#).adding(seven) == (try map(#"{"7":"string"}"#)))
    #expect(throws: MapFaults.self) { try map().adding(["9": #""lang""#]) }
  }

  @Test("are all that two maps differ in, or not")
  func difference() throws {
    let one = try map().adding(["7": #""long""#])
    #expect(RecordMap.differInSchemas(one.canonical, try map().canonical))
    #expect(!RecordMap.differInSchemas(one.canonical, try map(name: "u").canonical))
    #expect(!RecordMap.differInSchemas(one.canonical, ""))
  }

  @Test("can be added only where records name them by an id")
  func kind() throws {
    #expect(try map().readsSchemasByID)
    let single = #"{"map":1,"name":"t","include":"wire","record":{"framing":"single-object","schemas":["long"]}}"#
    #expect(!(try RecordMap(Array(single.utf8), file: "m").readsSchemasByID))
    #expect(RecordMap.schemas(of: try RecordMap(Array(single.utf8), file: "m").canonical) == [:])
    #expect(RecordMap.schemas(of: "no map") == [:])
  }

  @Test("with more than a journal can hold are refused")
  func size() throws {
    let symbols = (0..<1500).map { "\"symbol_with_a_long_name_\($0)\"" }.joined(separator: ",")
    var map = try map()
    let fault = #expect(throws: MapFaults.self) {
      for id in 1...20 { map = try map.adding([String(id): #"{"type":"enum","name":"E","symbols":[\#(symbols)]}"#]) }
    }
    #expect("\(fault!.faults)".contains("524288 are allowed"))
    #expect(RecordMap.schemas(of: map.canonical).count > 5)
  }

  @Test("with references are one schema, in which each type is defined where it is first used")
  func references() throws {
    let person = #"{"type":"record","name":"Person","namespace":"live","fields":[{"name":"id","type":"string"}]}"#
    let pair = #"{"type":"record","name":"live.Pair","fields":[{"name":"a","type":"live.Person"},{"name":"b","type":"Person"}]}"#
    let text = try RecordMap.schema(
      Array(#"{"schema":{"type":"array","items":"live.Pair"},"references":[\#(person),\#(pair)]}"#.utf8), file: "s", id: "7")
    #expect(
      text == #"{"type":"array","items":{"name":"live.Pair","type":"record","fields":[{"name":"a","type":"#
        + #"{"name":"live.Person","type":"record","fields":[{"name":"id","type":"string"}]}},{"name":"b","type":"live.Person"}]}}"#
    )
    #expect(try RecordMap.schema(Array(#" ["null","long"]"#.utf8), file: "s", id: "7") == #"["null","long"]"#)
    // A record may have fields of these names.
    let plain = #"{"schema":1,"references":2,"type":"long"}"#
    #expect(try RecordMap.schema(Array(plain.utf8), file: "s", id: "7") == #""long""#)
    #expect(throws: MapFaults.self) {
      try RecordMap.schema(Array(#"{"schema":"live.Pair","references":[\#(pair),\#(person)]}"#.utf8), file: "s", id: "7")
    }
  }
}
