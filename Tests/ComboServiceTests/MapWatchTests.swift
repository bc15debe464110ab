import ComboMaps
import ComboWire
import Testing

@testable import ComboService

@Suite("Noticing a wrong map")
struct MapWatchTests {
  /// Returns a decoder with a map that accepts `{"u":1,"g":2}`.
  private func decoder() throws -> RecordDecoder {
    let text = #"""
      {"map":1,"name":"t","rules":[{"when":{"at":"/g","exists":true},"event":"gift","fields":{"sender":{"id":"/u"},"gift":{"id":"/g"}}}],
       "otherwise":{"drop":"no gift"}}
      """#
    return RecordDecoder(map: try RecordMap(Array(text.utf8), file: "t"))
  }

  private func read(_ record: String, _ count: Int, by decoder: RecordDecoder) {
    let arena = BumpArena()
    var event = Event()
    for _ in 0..<count {
      arena.reset()
      Array(record.utf8).withUnsafeBytes { record in
        Array("k".utf8).withUnsafeBytes { key in _ = try? decoder.decode(record, key: key, into: arena, &event) }
      }
    }
  }

  @Test("warns if most records become no event, with the commonest reason and the names of a record's fields")
  func most() throws {
    let decoder = try decoder()
    var watch = MapWatch()
    #expect(watch.check(0, decoder.outcomes) == nil)
    read(#"{"u":1,"g":2}"#, 400, by: decoder)
    read(#"{"cmd":"OTHER","data":{"secret":"words"}}"#, 500, by: decoder)
    read(#"{"g":2}"#, 100, by: decoder)
    #expect(watch.check(1, decoder.outcomes) == .init(records: 1000, taken: 400, dropped: 500, bad: 100))
    let most = try #require(decoder.commonestLoss)
    #expect("\(most.row.rule) \(most.row.outcome) \(most.row.reason) \(most.row.count)" == "t, otherwise dropped no gift 500")
    #expect(most.keys == "/cmd, /data/secret")
    // It is not reported again within an hour.
    read("{}", 1000, by: decoder)
    #expect(watch.check(2, decoder.outcomes) == nil)
    read("{}", 1000, by: decoder)
    #expect(watch.check(3_600_002, decoder.outcomes) != nil)
  }

  @Test("counts what came before its first check")
  func first() throws {
    let decoder = try decoder()
    read("{}", 1326, by: decoder)
    var watch = MapWatch()
    #expect(watch.check(5, decoder.outcomes)?.records == 1326)
  }

  @Test("does not warn if most become events, or if there are few records")
  func fine() throws {
    let decoder = try decoder()
    var watch = MapWatch()
    #expect(watch.check(0, decoder.outcomes) == nil)
    read(#"{"u":1,"g":2}"#, 600, by: decoder)
    read("{}", 400, by: decoder)
    #expect(watch.check(1, decoder.outcomes) == nil)
    read("{}", 19, by: decoder)
    #expect(watch.check(60_000, decoder.outcomes) == nil)
    read("{}", 1, by: decoder)
    #expect(watch.check(60_001, decoder.outcomes)?.records == 20)
  }

  @Test("counts by rule and reason, in at most a few dozen rows")
  func rows() throws {
    let decoder = try decoder()
    read(#"{"u":1,"g":2}"#, 3, by: decoder)
    read("{}", 2, by: decoder)
    read("[", 1, by: decoder)
    read(#"{"u":"\#(String(repeating: "x", count: 70_000))"}"#, 1, by: decoder)
    #expect(decoder.outcomes.bad == 2)
    #expect(
      decoder.rows.map { "\($0.rule) \($0.outcome) \($0.reason) \($0.count)" } == [
        "t, rule 1 event gift 3", "t, otherwise dropped no gift 2", "none bad not_json 1",
        "none bad too_large 1",
      ])
  }
}
