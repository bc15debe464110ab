import ComboCore
import ComboMaps
import ComboWire
import Testing

/// The short forms of a map's file by `include`, `define` and `use`.
@Suite("The short forms of a map's file")
struct MapExpansionTests {
  private static let rule = #"{"event":"gift","fields":{"sender":{"id":"/u"},"gift":{"id":"/g"},"count":"/n"}}"#

  /// The text that a journal keeps of a map.
  private func kept(_ map: String, library: MapLibrary = .builtIn) throws -> String {
    let map = try RecordMap(Array(map.utf8), file: "m", library: library)
    let again = try RecordMap(canonical: map.canonical)
    #expect(again == map, "what is kept needs no other file")
    return map.canonical
  }

  @Test(
    "are written out: the map is the same as without them",
    arguments: [
      // A value, and text in a string.
      (
        #""define": {"who": "/u"}, "rules": [{"event": "gift", "fields": {"sender": {"id": {"use": "who"}}, "gift": {"id": "/g"}, "count": "/n"}}]"#,
        ""
      ),
      (
        #""define": {"way": "/"}, "rules": [{"event": "gift", "fields": {"sender": {"id": "${way}u"}, "gift": {"id": "${way}g"}, "count": "/n"}}]"#,
        ""
      ),
      // Members of an object: its own come before those of what it uses, also of what that uses.
      (
        #""define": {"gift": {"event": "gift", "fields": {"use": "fields"}}, "fields": {"sender": {"id": "/x"}, "gift": {"id": "/g"}}}, "rules": [{"event": "gift", "fields": {"sender": {"id": "/u"}, "use": "fields", "count": "/n"}}]"#,
        ""
      ),
      (
        #""define": {"a": {"sender": {"id": "/u"}}, "b": {"gift": {"id": "/g"}, "count": "/n"}}, "rules": [{"event": "gift", "fields": {"use": ["a", "b"]}}]"#,
        ""
      ),
      // Elements of an array.
      (
        #""define": {"all": [{"event": "gift", "fields": {"sender": {"id": "/u"}, "gift": {"id": "/g"}, "count": "/n"}}]}, "rules": [{"use": "all"}]"#,
        ""
      ),
      // Arguments, which hold in what is used there, too; one use for each of several.
      (
        #""define": {"gift": {"event": "gift", "fields": {"sender": {"use": "party"}, "gift": {"id": "${way}g"}, "count": "/n"}}, "party": {"id": "${way}u"}}, "rules": [{"use": "gift", "with": {"way": "/"}}]"#,
        ""
      ),
      (
        #""define": {"test": {"at": "/${name}", "exists": true}}, "rules": [{"when": [{"use": "test", "with": [{"name": "a"}, {"name": 7}]}], "drop": "x"}, {"event": "gift", "fields": {"sender": {"id": "/u"}, "gift": {"id": "/g"}, "count": "/n"}}]"#,
        #"{"when":[{"at":"/a","exists":true},{"at":"/7","exists":true}],"drop":"x"},"#
      ),
      // A string for each of an argument's values.
      (
        #""define": {"roots": ["/a", "/b"]}, "rules": [{"when": {"at": ["${roots}/c${roots}", "/d"], "exists": true}, "drop": "x"}, {"event": "gift", "fields": {"sender": {"id": "/u"}, "gift": {"id": "/g"}, "count": "/n"}}]"#,
        #"{"when":{"at":["/a/c/a","/a/c/b","/b/c/a","/b/c/b","/d"],"exists":true},"drop":"x"},"#
      ),
      // What is for the file only.
      (
        #""$schema": "map.schema.json", "notes": ["x"], "rules": [{"event": "gift", "fields": {"sender": {"id": "/u"}, "gift": {"id": "/g"}, "count": "/n"}}]"#,
        ""
      ),
    ])
  func same(written: String, before: String) throws {
    #expect(
      try kept(#"{"map": 1, "name": "t", \#(written)}"#) == #"{"map":{"map":1,"name":"t","rules":[\#(before)\#(Self.rule)]}}"#)
  }

  @Test("words of one's own stay names where a file shortens nothing")
  func names() throws {
    let text =
      #"{"map":1,"name":"t","rules":[{"event":"gift","fields":{"sender":{"id":"/u","show":{"use":"/x","with":"/${y}"}},"gift":{"id":"/g"}}}]}"#
    #expect(try kept(text) == #"{"map":\#(text)}"#)
  }

  private let library = MapLibrary { name in
    switch name {
    case "base.json":
      (
        Array(
          #"""
          {"map": 1, "name": "base", "about": "theirs", "include": "words.json", "names": "loose", "switches": {"s": {"default": "a", "values": {"a": "A", "b": "B"}}},
           "fields": {"ts": "/ts", "room": "/r"}, "rules": [{"event": "gift", "fields": {"sender": {"id": {"use": "who"}}, "gift": {"id": "/g"}, "count": "/n"}}],
           "otherwise": {"drop": "theirs"}}
          """#.utf8), name
      )
    case "words.json": (Array(#"{"map": 1, "name": "words", "define": {"who": "/u"}}"#.utf8), name)
    case "faulty.json": (Array("{\n \"map\": 1, \"name\": \"faulty\",\n \"rules\": [{\"event\": \"present\"}]}".utf8), name)
    default: nil
    }
  }

  @Test("an included file's members follow the file's own, which take precedence; its name is not used")
  func include() throws {
    let written = #"""
      {"map": 1, "name": "own", "include": ["base.json", "words.json"], "fields": {"room": "/room", "id": "/id"},
       "rules": [{"when": {"at": "/test", "exists": true}, "drop": "a test"}], "otherwise": {"bad": "mine"}}
      """#
    #expect(
      try kept(written, library: library)
        == #"{"map":{"map":1,"name":"own","fields":{"room":"/room","id":"/id","ts":"/ts"},"rules":[{"when":{"at":"/test","exists":true},"drop":"a test"},\#(Self.rule)],"otherwise":{"bad":"mine"},"names":"loose","switches":{"s":{"default":"a","values":{"a":"A","b":"B"}}}}}"#
    )
    let other = #"{"map": 1, "name": "own", "include": "base.json", "define": {"who": "/other"}}"#
    #expect(
      try kept(other, library: library).contains(#""sender":{"id":"/other"}"#), "a definition of one's own is meant everywhere")
  }

  @Test("any map's switches and fields can be added to without repeating it")
  func builtIn() throws {
    let text = #"{"map": 1, "name": "mine", "include": "tiktok", "fields": {"combo": "/groupId"}}"#
    let mine = try RecordMap(Array(text.utf8), file: "m")
    let theirs = try RecordMap(Array(#require(BuiltInMaps.text("tiktok")).utf8), file: "tiktok")
    #expect(mine.switches == theirs.switches)
    #expect(
      mine.canonical.count == theirs.canonical.count + #","combo":"/groupId""#.count + "mine".count - "tiktok".count
        - theirs.about.count - 11)
  }

  @Test(
    "faults are reported where they were written",
    arguments: [
      (
        #"{"map": 1, "name": "t", "define": {"a": 5}, "rules": [{"use": §"b"}]}"#,
        #"there is no definition "b": write it under define, or include the file that has it"#
      ),
      (
        #"{"map": 1, "name": "t", "define": {"a": §"present"}, "rules": [{"event": {"use": "a"}, "fields": {}}]}"#,
        #"event must be "gift" or "retract" or "room_closed" or "room_settings", not "present""#
      ),
      (
        #"{"map": 1, "name": "t", "define": {"a": [{"use": §"a"}]}, "rules": {"use": "a"}}"#,
        #"a definition must not use itself, nor by way of others: "a" uses "a""#
      ),
      (
        #"{"map": 1, "name": "t", "define": {"a": {"show": {"n": {"use": "b"}}}, "b": {"m": {"use": §"a"}}}, "rules": [{"use": "a"}]}"#,
        #"a definition must not use itself, nor by way of others: "a" uses "b" uses "a""#
      ),
      (
        #"{"map": 1, "name": "t", "define": {"a": ["x", "y"]}, "rules": [{"drop": §"${a}"}]}"#,
        "the string becomes 2 strings, which only an array can hold"
      ),
      (
        #"{"map": 1, "name": "t", "define": {"a": "x"}, "rules": [{"drop": §"${a"}]}"#,
        "${ begins the name of an argument, which } must end"
      ),
      (
        #"{"map": 1, "name": "t", "define": {"a": {"drop": "x"}}, "rules": [{"drop": §"${a}"}]}"#,
        "in a string only a string, a number or an array of such can be used, not an object"
      ),
      (
        #"{"map": 1, "name": "t", "define": {"a": "x"}, "rules": [{"use": §"a", "drop": "x"}]}"#,
        "beside other members only an object can be used, not a string"
      ),
      (
        #"{"map": 1, "name": "t", "define": {"a": {}}, "rules": [{"use": §5}]}"#,
        "use must be the name of a definition, or an array of such"
      ),
      (
        #"{"map": 1, "name": "t", "define": {"a": {}}, "rules": [{"use": "a", "with": §5}]}"#,
        "with must be an object of arguments, or an array of such, one for each use"
      ),
      (#"{"map": 1, "name": "t", "define": §5}"#, "define must be an object of names, each with what it stands for"),
      (
        #"{"map": 1, "name": "t", "include": §"none"}"#,
        #"there is no map "none" to include; it may be the name of a built-in map, common, or a file beside this one"#
      ),
      (#"{"map": 1, "name": "t", "include": [§5]}"#, "include must be the name of a built-in map or a file, or an array of such"),
    ])
  func faults(marked: String, sentence: String) {
    let parts = marked.split(separator: "§", omittingEmptySubsequences: false)
    let reported = ComboMapsTests.faults(of: parts.joined())
    #expect(reported.contains("m:1:\(parts[0].count + 1): \(sentence)"), "\(reported)")
  }

  @Test("a fault of an included file is reported with its name and line")
  func includedFaults() {
    let reported = ComboMapsTests.faults(of: #"{"map": 1, "name": "t", "include": "faulty.json"}"#, library: library)
    #expect(reported.contains { $0.hasPrefix("faulty.json:3:22: event must be") }, "\(reported)")
  }

  @Test("a file that includes itself is reported, also by way of another; one that two others include is no fault")
  func round() {
    let library = MapLibrary { name in
      let include = ["m": "m", "a.json": "b.json", "b.json": "a.json", "c.json": "words.json", "d.json": "words.json"][name]
      let more = include.map { #", "include": "\#($0)""# } ?? #", "rules": [\#(Self.rule)]"#
      return (Array(#"{"map": 1, "name": "r"\#(more)}"#.utf8), name)
    }
    func faults(_ include: String) -> [String] {
      ComboMapsTests.faults(of: #"{"map": 1, "name": "t", "include": \#(include)}"#, library: library)
    }
    #expect(faults(#""m""#) == ["m:1:36: m includes itself; remove one include"])
    #expect(faults(#""a.json""#) == ["b.json:1:36: a.json includes itself by way of b.json; remove one include"])
    #expect(faults(#"["c.json", "d.json"]"#) == [])
  }

  @Test("definitions that grow without end are a fault, and soon")
  func endless() {
    let many = (1...30).map { #""a\#($0)": [{"use": ["a\#($0 - 1)", "a\#($0 - 1)"]}]"# }.joined(separator: ", ")
    for first in [#"["x"]"#, "[]"] {
      let reported = ComboMapsTests.faults(
        of: #"{"map": 1, "name": "t", "define": {"a0": \#(first), \#(many)}, "roots": {"use": "a30"}, "rules": [\#(Self.rule)]}"#)
      #expect(reported.contains { $0.contains("too often, or too deep") }, "\(reported)")
    }
  }

  @Test("a map that grows too large is reported as such, and once")
  func large() {
    let text = String(repeating: "x", count: 90_000)
    let notes = (0..<5).map { #""a\#($0)": {"use": "long"}"# }.joined(separator: ", ")
    let reported = ComboMapsTests.faults(
      of: #"{"map": 1, "name": "t", "define": {"long": "\#(text)"}, "switches": {\#(notes)}, "rules": [\#(Self.rule)]}"#)
    #expect(
      reported.count { $0.contains("the map is larger than 256 KiB with all that it uses") } == 1,
      "\(reported.map { $0.prefix(200) })")
    #expect(!reported.contains { $0.contains("too often") })
  }

  /// The XXH3 hash of the text that 0.1.0 kept of each map, without the maps that have changed since.
  private static let kept010: [String: UInt64] = [
    "wire": 0xf1d56086f3b23667
  ]

  @Test("a map that is as it was in 0.1.0 is kept in the same words, so that a partition sees no change")
  func sameAs010() throws {
    for (name, was) in Self.kept010 {
      let map = try RecordMap(Array(#require(BuiltInMaps.text(name)).utf8), file: name)
      let hash = Array(map.canonical(for: .oldest).utf8).withUnsafeBytes { XXH3.hash($0) }
      #expect(hash == was, "\(name)")
    }
  }
}
