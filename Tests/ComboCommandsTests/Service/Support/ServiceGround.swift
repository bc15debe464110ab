import ComboEdge
import ComboRooms
import ComboSystem
import Foundation
import Testing

@testable import ComboTestSupport
@testable import ComboWire

/// The ground of a service, brokers or its own log, with the topics of one group and the operations on them from outside.
protocol ServiceGround: AnyObject {
  var partitions: Int { get }
  var identity: TopicIdentity { get }
  /// Whether the output may contain repeats.
  var isRepeating: Bool { get }
  /// Starts a service with these options of `run`.
  func start(_ more: [String]) throws -> any RunningService
  /// Starts a service that ``crash(_:)`` can end.
  func startMortal(_ more: [String]) throws -> any RunningService
  /// Ends a service so that it can do nothing more.
  func crash(_ service: any RunningService) throws
  /// Writes records to the input, each by its key.
  func put(_ records: [TestRecord]) throws
  /// Returns all records of a topic, partition by partition.
  func records(of topic: Topic) throws -> [TestRecord]
  /// Returns the ends of the input's partitions.
  func ends() throws -> [Int64]
  func committed() throws -> [CommittedOffset]
  /// Derives the output again. It must be proven, with no reset.
  func prove(_ sourceLocation: SourceLocation) throws
}

/// The kind of ground that a test runs on.
enum GroundKind: String, CaseIterable, CustomTestStringConvertible {
  case log, brokers

  /// The log, and brokers if there are any.
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

  /// Returns the checked sums of the output so far.
  func ledger() throws -> OutputLedger {
    try OutputLedger(try records(of: .output), partitions: partitions, passesOverRepeats: isRepeating)
  }

  /// Returns the journal's entries that count, partition by partition.
  func journal() throws -> [[JournalEntry]] {
    var written: [[(offset: Int64, entry: JournalEntry)]] = Array(repeating: [], count: partitions)
    let decoder = JournalDecoder()
    for record in try records(of: .journal) {
      let entry = try record.value!.withUnsafeBytes { try decoder.entry($0) }
      written[Int(record.partition!)].append((record.offset, entry))
    }
    return written.map { JournalTerms.counting($0) }
  }

  /// Returns the newest value of each key of the state topic, without deleted keys.
  func state() throws -> [String: [UInt8]] {
    var state: [String: [UInt8]] = [:]
    for record in try records(of: .state) {
      state["\(record.partition!) " + String(decoding: record.key!, as: UTF8.self)] = record.value
    }
    return state
  }

  /// Waits until the group has committed all current input.
  func waitUntilTakenIn(_ service: (any RunningService)? = nil) throws {
    let ends = try ends()
    var last: [Int64?] = []
    try wait(for: "committed \(last), the input ends at \(ends). \(service?.text ?? "")") {
      if let code = service?.exitCode { throw TestKafka.Failure("the service ended with \(code): \(service!.text)") }
      last = try committed().map(\.offset)
      return zip(last, ends).allSatisfy { $0 ?? 0 >= $1 }
    }
  }

  /// Waits until the output accounts for the expected gifts of each room. A room that has more fails at once.
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
