import ComboCore
import ComboWire
import Testing

private typealias Record = (key: [UInt8], value: [UInt8])
private let topics = TopicIdentity(group: "g", input: "gifts", output: "instructions")

private func records(_ feeder: Feeder, room: String = "r1", partBytes: Int = StateEncoder.partBytesDefault) -> [Record] {
  let encoder = StateEncoder(topics: topics, partBytes: partBytes)
  var records: [Record] = []
  Array(room.utf8).withUnsafeBytes { room in
    _ = encoder.room(room, feeder.engine!, n: 7, shifted: 5, hash: 0xABC) { records.append((Array($0), Array($1))) }
  }
  return records
}

private func read(_ record: Record, _ decoder: StateDecoder = StateDecoder()) throws -> RoomRecord {
  try record.key.withUnsafeBytes { key in try record.value.withUnsafeBytes { try decoder.room($0, key: key) } }
}

private func keyText(_ key: StateKey) -> String {
  let buffer = ByteBuffer()
  key.write(to: buffer)
  return String(buffer.bytes)
}

@Suite("Records of the state topic")
struct StateRecordTests {
  @Test("a room's snapshot is read back unchanged, with its engine")
  func inline() throws {
    let feeder = try busyFeeder(seed: 5, gifts: 100)
    let written = records(feeder)
    #expect(written.count == 1 && String(decoding: written[0].key, as: UTF8.self) == #"["room","r1"]"#)
    #expect(StrictJSON.compactObject(written[0].value) == written[0].value)
    let decoder = StateDecoder()
    let record = try read(written[0], decoder)
    #expect(record.n == 7 && record.shifted == 5 && record.hash == 0xABC && record.of == topics.hash && record.content == .state)
    #expect(snapshot(try decoder.engine(settings: feeder.settings)) == snapshot(feeder.engine!))
  }

  @Test(
    "a large state is written in parts, the record that makes them count last, and put together again",
    arguments: [1, 100, 1000, 4096])
  func parts(partBytes: Int) throws {
    let feeder = try busyFeeder(seed: 6, gifts: 60)
    let written = records(feeder, partBytes: partBytes)
    let size = snapshot(feeder.engine!).count
    let count = (size + partBytes - 1) / partBytes
    #expect(written.count == count + 1)
    for (index, part) in written.dropLast().enumerated() {
      #expect(String(decoding: part.key, as: UTF8.self) == #"["room","r1",\#(index)]"#)
      #expect(part.value.count <= partBytes)
    }
    #expect(Array(written.dropLast().map(\.value).joined()) == snapshot(feeder.engine!), "parts are slices of the state")
    let decoder = StateDecoder()
    let record = try read(written.last!, decoder)
    guard case .parts(count, bytes: size, sum: _) = record.content else {
      Issue.record("\(record)")
      return
    }
    func join(_ values: [[UInt8]]) throws -> Engine {
      let whole = Array(values.joined()) + [0]
      return try whole.withUnsafeBytes { whole in
        var at = 0
        let pieces = values.map { value -> Bytes in
          defer { at += value.count }
          return Bytes(rebasing: whole[at..<at + value.count])
        }
        return try decoder.engine(of: record, parts: pieces, settings: feeder.settings)
      }
    }
    let values = written.dropLast().map(\.value)
    #expect(snapshot(try join(values)) == snapshot(feeder.engine!))
    #expect(throws: FormatFault.self) { try join(Array(values.dropLast())) }
    #expect(throws: FormatFault.self) { try join(values + [[0x20]]) }
    if count > 1 { #expect(throws: FormatFault.self) { try join(values.reversed()) } }
    // With another digit of `seq`, the text is still a snapshot, but another one.
    let seq = try #require(feeder.text.firstMatch(of: #/"seq":\d/#))
    let place = seq.0.utf8.count - 1 + seq.0.base.utf8.distance(from: seq.0.base.startIndex, to: seq.0.startIndex)
    var flipped = values
    flipped[place / partBytes][place % partBytes] ^= 1
    #expect(throws: FormatFault.self) { try join(flipped) }
  }

  @Test("up to 512 KiB a state stands in one record")
  func partLimit() throws {
    var feeder = try busyFeeder(seed: 7, gifts: 30, displayBytes: 15_000)
    #expect(snapshot(feeder.engine!).count < 512 * 1024)
    #expect(records(feeder).count == 1)
    feeder = try busyFeeder(seed: 7, gifts: 150, displayBytes: 15_000)
    #expect(snapshot(feeder.engine!).count > 512 * 1024)
    #expect(records(feeder).count > 2)
    #expect(records(feeder).allSatisfy { $0.value.count <= 512 * 1024 })
  }

  @Test("a rested room is marked")
  func rested() throws {
    var written: [Record] = []
    Array("r1".utf8).withUnsafeBytes { room in
      StateEncoder(topics: topics).rested(room, n: 9, shifted: 3) { written.append((Array($0), Array($1))) }
    }
    let record = try read(written[0])
    #expect(record.n == 9 && record.shifted == 3 && record.content == .rested && record.hash == 0)
  }

  @Test("a checkpoint is read back unchanged", arguments: [nil, 0xFEDC_BA98_7654_3210])
  func checkpoint(last: UInt64?) throws {
    var written: [Record] = []
    var checkpoint = Self.checkpoint
    checkpoint.last = last
    StateEncoder(topics: topics).checkpoint(checkpoint) { written.append((Array($0), Array($1))) }
    #expect(String(decoding: written[0].key, as: UTF8.self) == #"["checkpoint"]"#)
    let decoder = StateDecoder()
    let read = try written[0].key.withUnsafeBytes { key in
      try written[0].value.withUnsafeBytes { try decoder.checkpoint($0, key: key) }
    }
    #expect(read == checkpoint)
  }

  static var derivation: Derivation {
    var settings = Settings()
    settings.slots = 3
    settings.tiers = [Tier(value: 0.1, lingerMs: 1, busyLingerMs: 2), Tier(value: 1e15, lingerMs: 3, busyLingerMs: 4)]
    settings.milestones = [1, 2, 3]
    settings.queueOrder = .tier
    var limits = WireLimits()
    limits.depth = 7
    limits.roomFromBody = true
    limits.maxAgeMs = 60_000
    limits.roomPrefix = "gi\"fts:"
    limits.roomSettings = [.finals, .integer(.slots)]
    var derivation = Derivation(settings: settings, rules: Rules(version: 3), limits: limits, mapping: "tik\"tok")
    derivation.namesInput = true
    return derivation
  }
  static let checkpoint = Checkpoint(
    n: 12, clock: 1_700_000_000_000, shifted: 44, input: 1000, journal: 13, derivation: derivation, topics: topics)

  @Test("keys are read back with their kind, whatever the room is called", arguments: ["r1", "房间", "a\"b\\c\n", "room", "\u{0}"])
  func keys(_ room: String) throws {
    let decoder = StateKeyDecoder()
    func readBack(_ key: StateKey) throws -> StateKey {
      try Array(keyText(key).utf8).withUnsafeBytes { try decoder.key($0) }
    }
    try Array(room.utf8).withUnsafeBytes { bytes in
      guard case .room(let read) = try readBack(.room(bytes)) else {
        Issue.record("not a room")
        return
      }
      #expect(String(read) == room)
      guard case .part(let again, 3) = try readBack(.part(room: bytes, index: 3)) else {
        Issue.record("not a part")
        return
      }
      #expect(String(again) == room)
    }
    guard case .checkpoint = try readBack(.checkpoint) else {
      Issue.record("not a checkpoint")
      return
    }
  }

  @Test(
    "other keys are refused",
    arguments: [
      "", "room", "[]", #"["room"]"#, #"["room",1]"#, #"["room","r",-1]"#, #"["room","r","1"]"#, #"["room","r",1,2]"#,
      #"["rooms","r"]"#,
      #"["checkpoint",1]"#, #"{"room":"r"}"#, #"["room",["r"]]"#,
    ])
  func badKeys(_ key: String) {
    #expect(throws: FormatFault.self) { try Array(key.utf8).withUnsafeBytes { _ = try StateKeyDecoder().key($0) } }
  }

  @Test("a record cut anywhere, with any bit flipped, or under another key is refused")
  func damage() throws {
    let feeder = try busyFeeder(seed: 8, gifts: 5)
    let record = records(feeder)[0]
    let decoder = StateDecoder()
    for length in 0..<record.value.count {
      #expect(throws: FormatFault.self) { try read((record.key, Array(record.value[..<length])), decoder) }
    }
    for bit in 0..<record.value.count * 8 {
      var value = record.value
      value[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: FormatFault.self, "bit \(bit)") { try read((record.key, value), decoder) }
    }
    #expect(throws: FormatFault.self) { try read((Array(#"["room","r2"]"#.utf8), record.value), decoder) }
  }

  @Test("a newer version is refused as such, even where its end differs")
  func newer() throws {
    for value in [#"{"v":2}"#, #"{"v":2,"n":"x","sum":5}"#] {
      do {
        _ = try read((Array("[]".utf8), Array(value.utf8)))
        Issue.record("it was taken")
      } catch let fault as FormatFault {
        #expect(fault.code == .newer)
      }
    }
  }

  @Test("records of another group, input or output are distinguished")
  func foreign() throws {
    for other in [
      TopicIdentity(group: "h", input: "gifts", output: "instructions"),
      TopicIdentity(group: "g", input: "gift", output: "sinstructions"),
      TopicIdentity(group: "g", input: "instructions", output: "gifts"),
    ] {
      do throws(FormatFault) {
        try topics.check(other.hash, "a snapshot")
        Issue.record("it was taken")
      } catch {
        #expect(error.code == .foreign && error.description.contains("g, gifts, instructions"))
      }
    }
    try topics.check(TopicIdentity(group: "g", input: "gifts", output: "instructions").hash, "a snapshot")
  }
}
