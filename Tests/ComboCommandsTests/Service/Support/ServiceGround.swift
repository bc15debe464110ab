import ComboEdge
import ComboRooms
import ComboSystem
import Foundation
import Testing

@testable import ComboTestSupport
@testable import ComboWire

/// What a service can stand on, brokers or a log of its own, with the topics of one group; and what can be done to them from outside.
protocol ServiceGround: AnyObject {
  var partitions: Int { get }
  var identity: TopicIdentity { get }
  /// Whether the output may say something again.
  var isRepeating: Bool { get }
  /// Starts a service with these options of `run`.
  func start(_ more: [String]) throws -> any RunningService
  /// Starts one that ``crash(_:)`` can end.
  func startMortal(_ more: [String]) throws -> any RunningService
  /// Ends it so that it can do nothing more.
  func crash(_ service: any RunningService) throws
  /// Puts records into the input, each by its key.
  func put(_ records: [TestRecord]) throws
  /// Everything that a topic holds, partition by partition.
  func records(of topic: Topic) throws -> [TestRecord]
  /// The ends of the input's partitions.
  func ends() throws -> [Int64]
  func committed() throws -> [CommittedOffset]
  /// Derives the output again: it must be proven, with no partition begun anew.
  func prove(_ sourceLocation: SourceLocation) throws
}

/// Which one a test runs on.
enum GroundKind: String, CaseIterable, CustomTestStringConvertible {
  case log, brokers

  /// Brokers, too, if there are any.
  static var all: [GroundKind] {
    let isQuick = ProcessInfo.processInfo.environment["COMBO_TEST_QUICK"] != nil
    return isQuick || !TestKafka.isAvailable ? [.log] : [.log, .brokers]
  }

  var testDescription: String { self == .log ? "on the embedded log" : "on brokers" }

  func make(partitions: Int) throws -> any ServiceGround {
    switch self {
    case .log: try LogGround(partitions: partitions)
    case .brokers: try TestGroup(partitions: partitions)
    }
  }
}

extension ServiceGround {
  func give(_ gifts: [TestGift]) throws { try put(gifts.map(\.record)) }

  /// The output so far, checked.
  func ledger() throws -> OutputLedger {
    try OutputLedger(try records(of: .output), partitions: partitions, passesOverRepeats: isRepeating)
  }

  /// The journal's entries that count, partition by partition.
  func journal() throws -> [[JournalEntry]] {
    var written: [[(offset: Int64, entry: JournalEntry)]] = Array(repeating: [], count: partitions)
    let decoder = JournalDecoder()
    for record in try records(of: .journal) {
      let entry = try record.value!.withUnsafeBytes { try decoder.entry($0) }
      written[Int(record.partition!)].append((record.offset, entry))
    }
    return written.map { JournalTerms.counting($0) }
  }

  /// The newest value of each key of the state topic; keys without one are left out.
  func state() throws -> [String: [UInt8]] {
    var state: [String: [UInt8]] = [:]
    for record in try records(of: .state) {
      state["\(record.partition!) " + String(decoding: record.key!, as: UTF8.self)] = record.value
    }
    return state
  }

  /// Waits until the group has committed all that the input now holds.
  func waitUntilTakenIn(_ service: (any RunningService)? = nil) throws {
    let ends = try ends()
    var last: [Int64?] = []
    try wait(for: "committed \(last), the input ends at \(ends). \(service?.text ?? "")") {
      if let code = service?.exitCode { throw TestKafka.Failure("the service ended with \(code): \(service!.text)") }
      last = try committed().map(\.offset)
      return zip(last, ends).allSatisfy { $0 ?? 0 >= $1 }
    }
  }

  /// Waits until the output has accounted for so many gifts, room by room. A room that has more fails at once.
  @discardableResult
  func waitUntilSaid(_ expected: [String: Int], _ service: (any RunningService)? = nil) throws -> OutputLedger {
    var ledger = try self.ledger()
    try wait(for: "\(ledger.differences(from: expected)). \(service?.text ?? "")") {
      ledger = try self.ledger()
      if let room = ledger.firstWithMore(than: expected) { throw TestKafka.Failure("more than was given: \(room)") }
      return ledger.accounted.filter { $0.value > 0 } == expected
    }
    return ledger
  }

  func verify(_ sourceLocation: SourceLocation = #_sourceLocation) throws { try prove(sourceLocation) }
}
