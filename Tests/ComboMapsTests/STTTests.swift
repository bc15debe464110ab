import ComboCore
import ComboMaps
import ComboWire
import Testing

@Suite("STT records")
struct STTTests {
  private let map = """
    {"map": 1, "name": "t", "text": "stt", "rules": [{"when": {"at": "/type", "is": "dgb"}, "event": "gift", "fields": {
      "room": "/rid", "sender": {"id": "/uid", "show": {"name": "/nn", "deep": "/list/1/a", "first": "/flat/0"}}, "gift": {"id": "/gfid"},
      "count": ["/gfcnt", {"const": 1}]}}], "otherwise": {"drop": "no gift"}}
    """

  @Test(
    "become the fields that pointers lead to",
    arguments: [
      ("type@=dgb/rid@=1/uid@=2/gfid@=3/gfcnt@=4/", #"gift|1|-1||2||3|0.0|count 4|{"id":"2"}||{"id":"3"}"#),
      ("type@=dgb/rid@=1/uid@=2/gfid@=3", #"gift|1|-1||2||3|0.0|count 1|{"id":"2"}||{"id":"3"}"#),
      ("type@=dgb/rid@=1/uid@=2/gfid@=3/\0", #"gift|1|-1||2||3|0.0|count 1|{"id":"2"}||{"id":"3"}"#),
      (
        #"type@=dgb/rid@=1/uid@=2/gfid@=3/nn@=a@Sb@Ac"@A@="#,
        #"gift|1|-1||2||3|0.0|count 1|{"id":"2","name":"a/b@c\"@@="}||{"id":"3"}"#
      ),
      // What looks like STT in a name stays a text: no pointer leads into it.
      (
        "type@=dgb/rid@=1/uid@=2/gfid@=3/nn@=x@A=y@S/", #"gift|1|-1||2||3|0.0|count 1|{"id":"2","name":"x@=y/"}||{"id":"3"}"#
      ),
      (
        "type@=dgb/rid@=1/uid@=2/gfid@=3/list@=x@Sa@AA=7@AS@S/flat@=p@Sq@S/",
        #"gift|1|-1||2||3|0.0|count 1|{"id":"2","deep":"7","first":"p"}||{"id":"3"}"#
      ),
      ("type@=dgb/rid@=1/uid@=2/uid@=9/gfid@=3/", #"gift|1|-1||2||3|0.0|count 1|{"id":"2"}||{"id":"3"}"#),
      ("type@=chatmsg/rid@=1/", "dropped: no gift (t, otherwise)"), ("type@=dgb/rid@=1/gfid@=3/", "missing_field"),
      // A record that ends within a name or an escape is cut off.
      ("type@=dgb/rid@=1/uid@=2/gfid@=3/gf", "not_json"), ("type@=dgb/rid@=1/uid@=2/gfid@=3/gfcnt@", "not_json"),
      ("type@=dgb/rid@=1/uid@=2/gfid@=3/nn@=a@", "not_json"), ("type@=chatmsg/ri", "not_json"),
      ("type@=dgb/rid@=1/uid@=2/gfid@=3/ \0\n", #"gift|1|-1||2||3|0.0|count 1|{"id":"2"}||{"id":"3"}"#),
      // JSON is read all the same.
      (#"{"type":"dgb","rid":1,"uid":"2","gfid":"3"}"#, #"gift|1|-1||2||3|0.0|count 1|{"id":"2"}||{"id":"3"}"#),
      // Two messages, for which the map has no root.
      ("type@=chatmsg/rid@=1/type@=dgb/rid@=1/uid@=2/gfid@=3/", "not_json"),
      ("{}", "dropped: no gift (t, otherwise)"), ("", "not_json"), ("/", "not_json"), ("{", "not_json"), ("type", "not_json"),
      ("@=", "not_json"),
    ])
  func records(_ record: String, _ result: String) throws {
    #expect(try mapped(map, record) == result)
  }

  @Test("that are not UTF-8 are bad")
  func notUTF8() throws {
    var limits = WireLimits()
    limits.roomFromBody = true
    let decoder = RecordDecoder(limits: limits, map: try RecordMap(Array(map.utf8), file: "m"))
    var event = Event()
    let record = Array("type@=dgb/rid@=1/uid@=2/gfid@=3/nn@=".utf8) + [0xff]
    #expect(throws: BadEvent(.notJSON, "the record is not UTF-8; STT in UTF-8 is expected")) {
      try record.withUnsafeBytes { _ = try decoder.decode($0, key: nil, into: BumpArena(), &event) }
    }
  }
}
