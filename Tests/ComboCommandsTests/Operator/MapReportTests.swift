import ComboMaps
import ComboWire
import Testing

@testable import ComboCommands

@Suite("The report of `map`")
struct MapReportTests {
  private func report(_ record: String, isJSON: Bool) throws -> String {
    let map = #"""
      {"map": 1, "name": "t", "roots": ["/list/*"], "rules": [{"event": "gift", "fields": {
        "room": "^/r", "sender": {"id": "/u"}, "gift": {"id": {"const": "g"}}, "count": "/n"}}]}
      """#
    var limits = WireLimits()
    limits.roomFromBody = true
    let explainer = MapExplainer(try RecordMap(Array(map.utf8), file: "t"), limits: limits)
    var report = MapReport(isJSON: isJSON, width: 100)
    return Array(record.utf8).withUnsafeBytes { report.text(of: explainer.explain($0, key: nil), place: "line 1") }
  }

  @Test("has a line for each further gift of a record")
  func further() throws {
    let record = #"{"r":"r1","list":[{"u":"a","n":1},{"u":"b","n":2},{"u":"c\n","n":3}]}"#
    let table = try report(record, isJSON: false).split(separator: "\n").map(String.init)
    #expect(table[0] == "line 1: gift by t, rule 1, the first of 3 in this record")
    #expect(
      table.suffix(2) == [
        "  gift 2: room r1, sender.id b, gift.id g, gift.value 0, count 2",
        "  gift 3: room r1, sender.id c, gift.id g, gift.value 0, count 3",
      ], "\(table)")
    let json = try report(record, isJSON: true)
    #expect(
      json.hasSuffix(
        #"],"further":[{"room":"r1","sender.id":"b","gift.id":"g","gift.value":"0","count":"2"},{"room":"r1","sender.id":"c\n","gift.id":"g","gift.value":"0","count":"3"}]}"#
          + "\n"), "\(json)")
    #expect(try !report(#"{"r":"r1","list":[{"u":"a","n":1}]}"#, isJSON: true).contains("further"))
  }
}
