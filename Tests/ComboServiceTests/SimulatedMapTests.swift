import ComboCore
import ComboEdge
import ComboMaps
import ComboRooms
import ComboWire
import Testing

@testable import ComboService
@testable import ComboSimulation

/// Mapped input on simulated brokers. Committed records are derived with the map of their time.
@Suite("Mapped input, simulated")
struct SimulatedMapTests {
  private func map(_ switches: [(name: String, value: String)] = []) throws -> RecordMap {
    let text = """
      {"map": 1, "name": "t", "switches": {"n": {"default": "one", "values": {"one": "each record is one", "many": "n says how many"}}},
       "rules": [
        {"when": {"header": "skip", "exists": true}, "drop": "its header says so"},
        {"when": {"at": "/cmd", "is": "GIFT"}, "event": "gift", "fields": {"id": "/msg", "sender": {"id": "/u"}, "gift": {"id": "/g"},
          "count": {"switch": "n", "cases": {"one": {"const": 1}, "many": "/n"}}}},
        {"when": {"at": "/cmd", "is": "TOTAL"}, "event": "gift", "fields": {"sender": {"id": "/u"}, "gift": {"id": "/g"},
          "total": "/n", "streak": "/s"}}],
       "otherwise": {"drop": "no gift"}}
      """
    return try RecordMap(Array(text.utf8), file: "t", switches: switches)
  }

  private func gift(_ scene: SimScene, _ number: Int, room: String = "r") {
    scene.world.put(room, #"{"cmd":"GIFT","u":"u\#(number % 3)","g":"g","n":\#(number % 5 + 1)}"#)
  }

  @Test("continues after a crash with the map of the commit, though the service starts with another", arguments: [false, true])
  func changed(isAtLeastOnce: Bool) throws {
    let scene = SimScene()
    if isAtLeastOnce {
      scene.configuration.delivery = .atLeastOnce
      scene.world.hasAtLeastOnce = true
    }
    let maps: [RecordMap?] = [try map([("n", "many")]), try map(), nil, try map([("n", "many")])]
    for (round, map) in maps.enumerated() {
      scene.configuration.map = map
      let instance = scene.start("a")
      for number in 0..<10 {
        gift(scene, number + round)
        scene.world.put("r", #"{"cmd":"CHAT"}"#)
        scene.turn(instance, 3)
      }
      scene.settle(instance)
      // The kill comes in the middle of new input.
      gift(scene, round)
      scene.turn(instance, 2)
      scene.world.kill(instance)
    }
    #expect(scene.finish() == [])
    let mappings = scene.entries.compactMap { $0.takeover?.derivation.mapping }
    #expect(Set(mappings).count == 2)
  }

  @Test("is audited with its headers, and dropped records are counted and no dead letters")
  func dropped() throws {
    let scene = SimScene()
    scene.configuration.map = try map()
    let instance = scene.start()
    for number in 0..<20 {
      gift(scene, number)
      var record = SimRecord(key: Array("r".utf8), value: Array(#"{"cmd":"GIFT","u":"x","g":"g"}"#.utf8), timestamp: 1)
      record.headers = [RecordHeader(name: "skip", value: [0x31])]
      scene.world.put(record)
      scene.world.put("r", #"{"cmd":"GIFT","g":"g"}"#)
      scene.world.put("r", #"{"cmd":"CHAT"}"#)
    }
    scene.settle(instance)
    #expect(instance.service.totals.tally.dropped == 40)
    #expect(instance.service.totals.bad == 20)
    #expect(scene.lines(.deadLetter).count == 20)
    #expect(!scene.lines(.output).contains { $0.contains(#""id":"x""#) })
    #expect(scene.finish() == [])
  }

  @Test("keeps within its room's bounds, and harms no other, though ids and streaks come without end")
  func flooded() throws {
    let scene = SimScene()
    scene.configuration.map = try map([("n", "many")])
    scene.configuration.settings.maxIds = 100
    scene.configuration.settings.maxStreaks = 100
    scene.configuration.settings.maxQueue = 100
    scene.configuration.settings.dedupeMs = 1_000_000
    scene.configuration.settings.streakMs = 1_000_000
    let instance = scene.start()
    scene.settle(instance)
    var sizes: [Int] = []
    for turn in 0..<200 {
      scene.world.clock.advance(20)
      // In this room the audit counts every gift.
      var calm = SimRecord(
        key: Array(SimGifts.plainRooms[0].utf8), value: Array(#"{"cmd":"GIFT","u":"u\#(turn % 3)","g":"g","n":2}"#.utf8),
        timestamp: 1)
      calm.plainCount = 2
      scene.world.put(calm)
      for number in 0..<15 {
        let id = turn * 15 + number
        scene.world.put("flood", #"{"cmd":"GIFT","msg":"m\#(id)","u":"u\#(id)","g":"g","n":1}"#)
        scene.world.put("flood", #"{"cmd":"TOTAL","u":"u\#(id)","g":"g","n":\#(id + 1),"s":"s\#(id)"}"#)
        scene.world.put("flood", #"{"cmd":"GIFT"}"#)
        scene.world.put("flood", #"{"cmd":"CHAT"}"#)
      }
      scene.settle(instance)
      if turn == 99 || turn == 199 {
        let buffer = ByteBuffer()
        instance.service.partitions.active[0]?.partition.table.forEachRoom { SnapshotEncoder.write($0.engine, to: buffer) }
        sizes.append(buffer.count)
      }
    }
    // After 1,500 ids and streaks the room has reached its limits; 1,500 more make no difference.
    #expect(sizes.count == 2 && sizes[1] < sizes[0] * 11 / 10, "\(sizes)")
    #expect(instance.service.totals.bad == 3000)
    #expect(instance.service.totals.tally.dropped == 3000)
    #expect(scene.finish() == [])
  }
}
