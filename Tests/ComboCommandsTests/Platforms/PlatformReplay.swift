import ComboCore
import ComboGenerate
import ComboMaps
import ComboReplay
import ComboSystem
import ComboWire
import Foundation
import Synchronization
import Testing

@testable import ComboCommands
@testable import ComboTestSupport

/// Replays a platform's records by a map.
enum PlatformReplay {
  private static let maps = Mutex([String: RecordMap]())

  /// Returns a built-in map, such as `douyu:hits=gifts`, or that of a file. Each is read once, as many samples use the same map.
  static func map(_ reference: String) throws -> RecordMap {
    try maps.withLock { maps in
      if let known = maps[reference] { return known }
      let map = try MapSource.map(reference).get()
      maps[reference] = map
      return map
    }
  }

  /// Returns the number of gifts that were shown or skipped, by `room|sender|gift` or `room|sender|receiver|gift`, and the
  /// reports of bad lines.
  static func counts(
    _ records: Data, by map: RecordMap, _ settings: Settings = Settings(), receivers: Bool = false
  ) throws -> (counts: [String: Int], reports: [String]) {
    var output = Data()
    var reports: [String] = []
    var settings = settings
    settings.screenMs = 0
    // Each skip is published by itself, as a sum does not name the senders.
    settings.skipMs = 0
    let pipeline = ReplayPipeline(
      TestReplay.source(records), settings: settings, map: map, maxRestedRooms: 65_536, threads: 2,
      write: { bytes in
        output.append(contentsOf: bytes)
        return true
      }, report: { reports += $0 })
    _ = pipeline.run()
    var counts: [String: Int] = [:]
    var banners: [String: String] = [:]
    for line in output.split(separator: 0x0a) {
      let instruction = try #require(line.withUnsafeBytes { JSONValue($0) })
      let room = try #require(instruction["room"]?.string)
      let banner = "\(room) \(instruction["epoch"]?.integer ?? -1) \(instruction["banner"]?.integer ?? -1)"
      let receiver = receivers ? "\(instruction["receiver"]?["id"]?.string ?? "-")|" : ""
      let who = "\(room)|\(instruction["sender"]?["id"]?.string ?? "")|\(receiver)\(instruction["gift"]?["id"]?.string ?? "")"
      let count = instruction["count"]?.integer ?? 0
      switch instruction["op"]?.string {
      case "show":
        banners[banner] = who
        counts[who, default: 0] += count - (instruction["base"]?.integer ?? 0)
      case "update": counts[try #require(banners[banner]), default: 0] += instruction["added"]?.integer ?? 0
      case "skip": counts[who, default: 0] += count
      default: break
      }
    }
    return (counts, reports)
  }
}
