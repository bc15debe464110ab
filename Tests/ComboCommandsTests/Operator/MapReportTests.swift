import ComboMaps
import ComboWire
import Testing

@testable import ComboCommands
@testable import ComboTestSupport

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
  func reference() throws {
    let several = #"{"r":"r1","list":[{"u":"a","n":1},{"u":"b","n":2},{"u":"c\n","n":3}]}"#
    let bad = #"{"r":"r1","list":[{"n":1}]}"#
    var texts: [(title: String, text: String)] = []
    for (what, record) in [("several gifts", several), ("a bad record", bad), ("nothing for the map", "{}"), ("no JSON", "x")] {
      texts.append((what, try report(record, isJSON: false)))
      texts.append(("\(what), for programs", try report(record, isJSON: true)))
    }
    try GeneratedPart.expect(snapshot: "map.txt", is: texts)
    #expect(try !report(#"{"r":"r1","list":[{"u":"a","n":1}]}"#, isJSON: true).contains("further"))
  }
}
