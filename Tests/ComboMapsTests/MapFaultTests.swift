import ComboMaps
import ComboWire
import Testing

@Suite("Faults of a map file")
struct MapFaultTests {
  @Test(
    "are reported with line, column and the fix",
    arguments: [
      ("§", "the map is empty; a JSON object in UTF-8 is expected"),
      (
        "§\u{FEFF}{}", "the map begins with a byte order mark (BOM), which must be removed; a JSON object in UTF-8 is expected"
      ),
      ("{\n \"map\": 1,§,}", "the map lacks a member's name in quotes; a JSON object in UTF-8 is expected"),
      ("§[1]", "the map must be an object, not an array"),
      (#"{"map": §2, "name": "t", "rules": [{"drop": "x"}]}"#, "map must be 1, the version of the format, not 2"),
      (#"§{"map": 1, "rules": [{"drop": "x"}]}"#, #""name" is missing: a short word"#),
      (#"{"map": 1, "name": §"", "rules": [{"drop": "x"}]}"#, "name must have 1 to 64 bytes"),
      (
        #"§{"map": 1, "name": "t"}"#,
        "the map has neither rules nor choose; it needs an array of rules, each with an event, a drop or a bad"
      ),
      (#"{"map": 1, "name": "t", "rules": §[]}"#, "rules must have at least one rule"),
      (#"{"map": 1, "name": "t", "rules": §{}}"#, "rules must be an array, not an object"),
      (
        #"{"map": 1, "name": "t", "text": §"xml", "rules": [{"drop": "x"}]}"#,
        #"text must be "json" or "stt" or "irc", not "xml""#
      ),
      (
        #"{"map": 1, "name": "t", "rules": [{"drop": "x", §"dorp": 1}]}"#,
        #"a rule has no member "dorp"; there are when, root, event, fields, ids, beside, drop, bad, about"#
      ),
      (
        #"{"map": 1, "name": "t", "gifts": {"commands": ["t", §"/t"], "words": ["x"]}, "rules": [{"drop": "x"}]}"#,
        #"commands has names, which are found at any depth, not pointers: "t" instead of "/t""#
      ),
      (
        #"{"map": 1, "name": "t", "gifts": {"keys": [§"/thing/id"]}, "rules": [{"drop": "x"}]}"#,
        #"keys has names, which are found at any depth, not pointers: "id" instead of "/thing/id""#
      ),
      (
        #"{"map": 1, "name": "t", §"defines": {}, "rules": [{"drop": "x"}]}"#,
        #"the map has no member "defines"; did you mean define?"#
      ),
      (
        #"{"map": 1, "name": "t", §"name": "u", "rules": [{"drop": "x"}]}"#, #""name" occurs twice; remove one of them"#
      ),
      (#"{"map": 1, "name": "t", "rules": [§{}]}"#, "a rule needs an event (with fields), or a drop or bad with the reason"),
      (#"{"map": 1, "name": "t", "rules": [{"drop": §""}]}"#, "drop must be the reason, a sentence of 1 to 200 bytes"),
      (#"{"map": 1, "name": "t", "rules": [{"drop": "x", "bad": §"y"}]}"#, "a rule may have drop or bad, not both"),
      (#"{"map": 1, "name": "t", "rules": [§{"event": "gift"}]}"#, "a rule with this event needs fields"),
      (
        #"{"map": 1, "name": "t", "rules": [{"event": "gift", "fields": §{"gift": {"id": "/g"}}}]}"#,
        #""sender" is missing: an object with an id"#
      ),
      (
        giftMap(#"§"x": "/x""#),
        #"fields has no member "x"; there are room, ts, id, sender, receiver, gift, count, total, streak, streak_ms, ends, refresh, linger_ms, combo"#
      ),
      (
        giftMap(#""count": §"x""#),
        #"count must be a JSON Pointer such as "/user/id" (or "^/user/id" from the record's root), not "x""#
      ),
      (giftMap(#""count": §"/a~2""#), #"count is "/a~2": in a JSON Pointer ~ must be written ~0, and / in a name ~1"#),
      (
        giftMap(#""count": §"/a/-""#),
        #"count is "/a/-": - stands for the element behind an array's last one, which is never there"#
      ),
      (
        giftMap(#""count": §5"#),
        "count must be a pointer, an array of such, or an object with one of at, header, key, const, product, join, first, switch, when"
      ),
      (giftMap(#""count": §{}"#), "count must have one of at, header, key, const, product, join, first, switch, when"),
      (
        giftMap(#""count": §{"at": "/a", "const": 1}"#),
        "count must have one of at, header, key, const, product, join, first, switch, when, not at and const"
      ),
      (giftMap(#""count": {"const": §null}"#), "const must be a string, a number, true or false, not null"),
      (giftMap(#""count": {"key": §1}"#), "key must be true: it stands for the record's key"),
      (giftMap(#""count": {"header": §""}"#), "header must be the name of a record header"),
      (giftMap(#""count": {"product": §[]}"#), "product must have 1 to 16 parts, not 0"),
      (giftMap(#""id": {"join": §["/a"]}"#), "join must have 2 to 16 parts, not 1"),
      (
        giftMap(#""id": {"at": "/a", §"unit": "s"}"#),
        #"id has no member "unit"; there are at, header, key, const, product, join, first, switch, when, unless, cases, then, else"#
      ),
      (giftMap(#""streak": §"/s""#), "streak is for a total, the number so far; beside a count it has no effect"),
      (
        giftMap("", when: #"§{"at": "/a"}"#),
        "a condition on a field must have at least one of is, exists, starts, contains, above, below, differs, only"
      ),
      (giftMap("", when: #"{"at": "/a", "differs": §5}"#), "differs must be a string, not an integer"),
      (giftMap("", when: #"{"key": true, "only": §["a"]}"#), "only needs one pointer, to an object of the record"),
      (giftMap("", when: #"{"at": ["/a", "/b"], "only": §["a"]}"#), "only needs one pointer, to an object of the record"),
      (giftMap("", when: #"{"at": "/a", "differs": §[]}"#), "differs must name at least one pointer"),
      (
        giftMap("", when: #"{"at": "/a", "differs": §"b"}"#),
        #"differs must be a JSON Pointer such as "/user/id" (or "^/user/id" from the record's root), not "b""#
      ),
      (giftMap("", when: #"{"at": "/a", "is": §[]}"#), "is must name at least one value"),
      (giftMap("", when: #"{"key": true, "is": §null}"#), "only a field of the record can be null"),
      (giftMap("", when: #"{"at": "/a", "above": §"5"}"#), "above must be a number, not a string"),
      (giftMap("", when: #"{"all": §[]}"#), "all must have at least one condition"),
      (giftMap("", when: "§{}"), "a condition must have one of all, any, not, switch, at, header, key"),
      (giftMap("", when: #"{"switch": §"s", "is": "a"}"#), #"there is no switch "s"; name it under switches, with its values"#),
      (giftMap("", more: #", "switches": {"s": {"default": §"b", "values": {"a": "x"}}}"#), #"default must be "a", not "b""#),
      (
        giftMap(
          #""id": {"switch": "s", "cases": §{"a": "/x"}}"#,
          more: #", "switches": {"s": {"default": "a", "values": {"a": "x", "b": "y"}}}"#), #"cases must have one for "b" too"#
      ),
      (
        #"{"map": 1, "name": "t", "choose": {"at": "/p", "maps": {"x": §"nobody"}}}"#,
        #"there is no map "nobody"; it may be a built-in map (combo-consumer map --list), or a file's path from this one's folder"#
      ),
      (
        #"{"map": 1, "name": "t", "choose": §{"maps": {"x": "wire"}}}"#,
        "choose needs one of at (a pointer), header (a name) or key (true), and maps; or one map for all"
      ),
    ])
  func each(_ marked: String, _ sentence: String) {
    // § stands where the fault is.
    let before = marked.prefix { $0 != "§" }
    let line = before.count { $0 == "\n" } + 1
    let column = before.reversed().prefix { $0 != "\n" }.count + 1
    let found = faults(of: marked.filter { $0 != "§" })
    #expect(found.contains("m:\(line):\(column): \(sentence)"), "\(found)")
  }

  @Test("are all reported at once, in the order of the file")
  func all() {
    let map = """
      {"map": 2, "nme": "x",
       "rules": [
        {"when": {"at": "名", "is": []}, "event": "gif",
         "fields": {"sender": {"id": "/a~2b"}, "gift": {}, "streak": "/s"}}
      ]}
      """
    #expect(
      faults(of: map).map { $0.split(separator: " ")[0] } == [
        "m:1:9:", "m:1:12:", "m:3:19:", "m:3:30:", "m:3:44:", "m:4:32:", "m:4:50:", "m:4:64:",
      ], "\(faults(of: map))")
  }

  @Test("are reported also for what follows a misspelled name, or is beside an unknown definition")
  func behind() {
    let map = #"{"map": 1, "name": "t", "rules": [{"event": "gift", "feilds": {"sender": {"id": "a"}, "gift": {"id": "/g"}}}]}"#
    #expect(
      faults(of: map) == [
        #"m:1:53: a rule has no member "feilds"; did you mean fields?"#,
        #"m:1:81: sender.id must be a JSON Pointer such as "/user/id" (or "^/user/id" from the record's root), not "a""#,
      ])
    let using =
      #"{"map": 1, "name": "t", "define": {}, "rules": [{"event": "gift", "fields": {"sender": {"use": "user"}, "gift": {"id": "g"}}}]}"#
    #expect(
      faults(of: using) == [
        #"m:1:96: there is no definition "user": write it under define, or include the file that has it"#,
        #"m:1:120: gift.id must be a JSON Pointer such as "/user/id" (or "^/user/id" from the record's root), not "g""#,
      ])
  }

  @Test("name each root in which only gifts are allowed")
  func roots() {
    let rules = #""rules": [{"event": "room_closed", "fields": {"ts": "/t"}}]}"#
    #expect(
      faults(of: #"{"map": 1, "name": "t", "roots": ["", "/a/*", "/b/*"], "# + rules).map { $0.prefix(8) } == [
        "m:1:39: ", "m:1:47: ",
      ])
  }

  @Test("name switches that are not there, and values that they cannot have")
  func switches() {
    let map = giftMap("", more: #", "switches": {"s": {"default": "a", "values": {"a": "x", "b": "y"}}}"#)
    #expect(faults(of: map, switches: [("t", "a")]) == [#"m:1:37: there is no switch "t"; there is s"#])
    #expect(faults(of: map, switches: [("s", "c")]) == [#"m:1:37: the switch "s" cannot be "c"; it may be a or b"#])
    #expect(faults(of: map, switches: [("s", "b")]) == [])
  }

  @Test("in a map that another one chooses are reported with its name")
  func chosen() {
    let library = MapLibrary { $0 == "other" ? (Array(#"{"map": 1}"#.utf8), "other.json") : nil }
    let map = #"{"map": 1, "name": "t", "choose": {"at": "/p", "maps": {"x": "other"}}}"#
    #expect(
      faults(of: map, library: library) == [
        #"m:1:62: the map "other" has faults, which follow"#, #"other.json:1:1: "name" is missing: a short word"#,
        "other.json:1:1: the map has neither rules nor choose; it needs an array of rules, each with an event, a drop or a bad",
      ])
  }

  @Test("name a chosen map whose prefix, frame or text would have no effect")
  func withoutEffect() throws {
    let rules = #""rules": [{"drop": "x"}]"#
    func faults(_ own: String, in choosing: String = "") -> [String] {
      let library = MapLibrary { _ in (Array(#"{"map": 1, "name": "o", \#(own), \#(rules)}"#.utf8), "o.json") }
      return ["\"map\": \"o\"", #""at": "/p", "maps": {"x": "o"}"#].map { choice in
        let found = ComboMapsTests.faults(
          of: #"{"map": 1, "name": "t"\#(choosing), "choose": {\#(choice)}}"#, library: library)
        return found.count == 1 ? String(found[0].split(separator: ": ", maxSplits: 1)[1]) : "\(found)"
      }
    }
    for word in [#""prefix": "PRE:""#, #""frame": "confluent""#] {
      let sentence = "none of the maps may have a frame or a prefix; give it to this map"
      #expect(faults(word) == [sentence, sentence])
    }
    let stt = "the maps must not read two text formats besides json: some read stt, and some irc"
    #expect(faults(#""text": "stt""#, in: #", "text": "irc""#) == [stt, stt])
    #expect(faults(#""text": "stt""#) == ["[]", "[]"])
    // A journal of an older release may have such a map.
    let canonical =
      #"{"map":{"map":1,"name":"t","choose":{"map":"o"}},"maps":{"o":{"map":1,"name":"o","prefix":"PRE:",\#(rules)}}}"#
    #expect(try RecordMap(canonical: canonical).name == "t")
  }

  @Test("are never a crash, however a map is cut short or altered")
  func hostile() throws {
    let text = Array(try #require(BuiltInMaps.text("wire")).utf8)
    for end in stride(from: 0, to: text.count, by: 7) { _ = try? RecordMap(Array(text[..<end]), file: "m") }
    for place in stride(from: 0, to: text.count, by: 3) {
      var altered = text
      altered[place] = UInt8(truncatingIfNeeded: place &* 31)
      _ = try? RecordMap(altered, file: "m")
    }
  }

  @Test("are never a crash, whatever stands in place of a value")
  func misplaced() throws {
    for name in BuiltInMaps.names {
      let text = Array(try #require(BuiltInMaps.text(name)).utf8)
      let others = ["5", "null", "[]", #"["/x/*"]"#, #"{"x": 1}"#, #""/x/*""#]
      // All values of a large map would take minutes.
      for (index, place) in values(text).enumerated() where index % (text.count < 3000 ? 5 : 97) == 0 {
        var altered = text
        altered.replaceSubrange(place, with: others[index % others.count].utf8)
        _ = try? RecordMap(altered, file: "m")
      }
    }
    let first = #"{"when": {"at": "/l/*/k", "is": 1}, "drop": "x"}"#
    let root = #"{"root": 5, "event": "gift", "fields": {"sender": {"id": "/s"}, "gift": {"id": "/g"}}}"#
    #expect(
      faults(of: #"{"map": 1, "name": "t", "rules": [\#(root), \#(first)]}"#) == ["m:1:44: root must be a string, not an integer"]
    )
  }

  /// The places of all values of a JSON text.
  private func values(_ text: [UInt8]) -> [Range<Int>] {
    var (found, starts, at) = ([Range<Int>](), [Int](), 0)
    while at < text.count {
      let start = at
      at += 1
      switch text[start] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): starts.append(start)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): found.append(starts.removeLast()..<at)
      case UInt8(ascii: "\""):
        while text[at] != UInt8(ascii: "\"") { at += text[at] == UInt8(ascii: "\\") ? 2 : 1 }
        at += 1
        if text[at] != UInt8(ascii: ":") { found.append(start..<at) }
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"):
        while !",]} \n".utf8.contains(text[at]) { at += 1 }
        found.append(start..<at)
      default: break
      }
    }
    return found
  }

  @Test("are reported once, also of a rule that is read again for warnings")
  func once() {
    #expect(
      faults(of: #"{"map": 1, "name": "t", "rules": [{"when": 5, "drop": "x"}]}"#) == [
        "m:1:44: a condition must be an object, not an integer"
      ])
  }

  @Test("do not occur in the built-in maps, with any of their switches")
  func builtIn() throws {
    for name in BuiltInMaps.names {
      let text = Array(try #require(BuiltInMaps.text(name)).utf8)
      let map = try RecordMap(text, file: name)
      #expect(map.name == name)
      for one in map.switches {
        for value in one.values { _ = try RecordMap(text, file: name, switches: [(one.name, value.name)]) }
      }
    }
  }
}
