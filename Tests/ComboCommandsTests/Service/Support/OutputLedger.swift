import ComboVerify
import Foundation
import Testing

@testable import ComboTestSupport

/// The sums of the instructions of an output topic, computed from their bytes alone.
///
/// The initializer throws if a room's `seq` has a gap or a duplicate, its `at` decreases, an epoch returns, or a record does not
/// have the room as its key or `at` as its timestamp, or is in another partition than Java's producer would choose.
struct OutputLedger {
  /// The gifts of each room that were shown, skipped, or counted by a dismissal.
  private(set) var accounted: [String: Int] = [:]
  /// The epochs of each room.
  private(set) var epochs: [String: [Int64]] = [:]
  /// The number of instructions by op.
  private(set) var ops: [String: Int] = [:]
  private(set) var instructions = 0
  /// The number of the last instruction of each room's last epoch.
  private(set) var lastSeq: [String: Int] = [:]

  /// The number of records that repeat an earlier one.
  private(set) var repeats = 0

  private var lastAt: [String: Int64] = [:]
  /// The count last shown, by room, epoch and banner.
  private var shown: [String: Int] = [:]

  /// - Parameter passesOverRepeats: Whether to ignore repeats, as clients do. A repeat must have the same bytes.
  init(_ records: [TestRecord], partitions: Int, passesOverRepeats: Bool = false) throws {
    guard passesOverRepeats else {
      for record in records { try add(record, partitions) }
      return
    }
    var seen: [Place: [UInt8]] = [:]
    for record in records {
      let json = try JSONSerialization.jsonObject(with: Data(record.value ?? [])) as? [String: Any] ?? [:]
      let place = Place(
        room: json["room"] as? String ?? "", epoch: (json["epoch"] as? NSNumber)?.int64Value ?? 0, seq: json["seq"] as? Int ?? 0)
      if let first = seen[place] {
        guard first == record.value else { throw TestKafka.Failure("said otherwise the second time: \(place)") }
        repeats += 1
      } else {
        seen[place] = record.value
        try add(record, partitions)
      }
    }
  }

  private struct Place: Hashable {
    var room: String
    var epoch: Int64
    var seq: Int
  }

  private mutating func add(_ record: TestRecord, _ partitions: Int) throws {
    func fail(_ what: String) -> TestKafka.Failure {
      TestKafka.Failure(
        "partition \(record.partition!), offset \(record.offset): \(what): \(String(decoding: record.value ?? [], as: UTF8.self))"
      )
    }
    guard let value = record.value, let json = try JSONSerialization.jsonObject(with: Data(value)) as? [String: Any],
      let room = json["room"] as? String, let epoch = (json["epoch"] as? NSNumber)?.int64Value,
      let seq = json["seq"] as? Int, let at = (json["at"] as? NSNumber)?.int64Value, let op = json["op"] as? String
    else { throw fail("no instruction") }
    guard let key = record.key, key == Array(room.utf8) else { throw fail("the key is not the room") }
    guard record.timestamp == at else { throw fail("the timestamp is \(record.timestamp ?? -1)") }
    guard Int(record.partition!) == JavaPartitioner.partition(of: key, among: partitions) else {
      throw fail("Java's producer would have chosen another partition")
    }
    if epochs[room]?.last != epoch {
      if let last = epochs[room]?.last, last >= epoch { throw fail("an epoch after \(last)") }
      epochs[room, default: []].append(epoch)
      lastSeq[room] = 0
    }
    guard seq == lastSeq[room]! + 1 else { throw fail("seq \(seq) after \(lastSeq[room]!)") }
    lastSeq[room] = seq
    guard at >= lastAt[room] ?? 0 else { throw fail("at falls") }
    lastAt[room] = at
    instructions += 1
    ops[op, default: 0] += 1

    let banner = "\(room) \(epoch) \(json["banner"] as? Int ?? 0)"
    let count = json["count"] as? Int ?? 0
    switch op {
    case "show":
      guard shown[banner] == nil else { throw fail("shown twice") }
      shown[banner] = count
      accounted[room, default: 0] += count - (json["base"] as? Int ?? 0)
    case "update":
      guard let before = shown[banner], before + (json["added"] as? Int ?? 0) == count else {
        throw fail("it does not add up to what was shown")
      }
      shown[banner] = count
      accounted[room, default: 0] += count - before
    case "dismiss":
      guard let before = shown[banner] else { throw fail("it was not shown") }
      accounted[room, default: 0] += count - before
      shown[banner] = count
    case "skip":
      accounted[room, default: 0] += count
    default:
      break
    }
  }

  func differences(from expected: [String: Int]) -> String {
    let rooms = Set(expected.keys).union(accounted.keys).filter { expected[$0, default: 0] != accounted[$0, default: 0] }
    let some = rooms.sorted().prefix(5).map { "\($0): given \(expected[$0, default: 0]), said \(accounted[$0, default: 0])" }
    return "\(rooms.count) rooms of \(expected.count) differ, such as \(some.joined(separator: "; "))"
  }

  func firstWithMore(than expected: [String: Int]) -> String? {
    accounted.first { $0.value > expected[$0.key, default: 0] }.map {
      "\($0.key): given \(expected[$0.key, default: 0]), said \($0.value)"
    }
  }
}

/// Kafka's default partitioner, as the Java client has it.
enum JavaPartitioner {
  /// Returns the partition of a key.
  static func partition(of key: [UInt8], among partitions: Int) -> Int {
    Int(murmur2(key) & 0x7fff_ffff) % partitions
  }

  /// `org.apache.kafka.common.utils.Utils.murmur2`.
  static func murmur2(_ data: [UInt8]) -> UInt32 {
    let m: UInt32 = 0x5bd1_e995
    var h = UInt32(truncatingIfNeeded: 0x9747_b28c) ^ UInt32(data.count)
    var i = 0
    while i + 4 <= data.count {
      var k = UInt32(data[i]) | UInt32(data[i + 1]) << 8 | UInt32(data[i + 2]) << 16 | UInt32(data[i + 3]) << 24
      k = k &* m
      k ^= k >> 24
      k = k &* m
      h = h &* m
      h ^= k
      i += 4
    }
    let rest = data.count - i
    if rest >= 3 { h ^= UInt32(data[i + 2]) << 16 }
    if rest >= 2 { h ^= UInt32(data[i + 1]) << 8 }
    if rest >= 1 {
      h ^= UInt32(data[i])
      h = h &* m
    }
    h ^= h >> 13
    h = h &* m
    return h ^ (h >> 15)
  }
}
