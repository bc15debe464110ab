internal import ComboCore
internal import ComboWire
internal import Dispatch
internal import Synchronization

/// Derives a group's output again from its input and its journal, and compares it with the output topic byte for byte.
///
/// Reads only, and may run beside a live service: what that commits meanwhile is left out. Uses as many threads as there
/// are cores; memory: 40 bytes an instruction, and the rooms.
struct Verifier {
  /// What was found.
  struct Report: Equatable, Sendable {
    var partitions = 0
    var records = 0
    var entries = 0
    var instructions = 0
    var deadLetters = 0
    var takeovers = 0
    var resets = 0
    var rooms = 0
    /// What is wrong, the first of each kind.
    var faults: [String] = []

    var isProven: Bool { faults.isEmpty }
  }

  private let reader: any ReadEdge
  private let topics: TopicIdentity
  private let ownSettingsMax: Int
  /// Called now and then with the number of records run through, by several threads.
  var progress: (@Sendable (Int) -> Void)?

  init(_ reader: any ReadEdge, topics: TopicIdentity, ownSettingsMax: Int = 10_000) {
    self.reader = reader
    self.topics = topics
    self.ownSettingsMax = ownSettingsMax
  }

  /// Reads and compares all.
  func run() throws -> Report {
    var report = Report()
    let outputPartitions = Array(try reader.partitions(.output))
    let oldEnds = try outputPartitions.map { try reader.bounds(.output, $0).end }
    let partitions = Array(try reader.partitions(.journal))
    // The ends of the journal are settled between the two looks at the output: what an entry led to stands before the second,
    // and what stands before the first comes from an entry.
    var journals: [[JournalEntry]] = []
    for partition in partitions { journals.append(try readJournal(partition)) }
    let index = OutputIndex()
    for (partition, oldEnd) in zip(outputPartitions, oldEnds) {
      let bounds = try reader.bounds(.output, partition)
      if bounds.first > 0 {
        report.faults.append(
          "partition \(partition) of the output begins at offset \(bounds.first): what stood before was deleted, and cannot be compared")
      }
      var fault: (any Error)?
      try reader.read(.output, partition, from: bounds.first, to: bounds.end, unless: { false }) { record in
        do {
          try index.add(record, isOld: record.offset < oldEnd)
          return true
        } catch {
          fault = error
          return false
        }
      }
      if let fault { report.faults.append("\(fault)") }
    }
    report.instructions = index.records
    report.rooms = index.roomCount
    let results = Mutex<[Int: Result<Report, VerifyFault>]>([:])
    let work = UncheckedWork(journals: journals, index: index)
    DispatchQueue.concurrentPerform(iterations: partitions.count) { i in
      let result: Result<Report, VerifyFault>
      do {
        result = .success(try derive(partitions[i], work.journals[i], work.index))
      } catch {
        result = .failure(VerifyFault("partition \(partitions[i]): \(error)"))
      }
      results.withLock { $0[i] = result }
    }
    for i in partitions.indices {
      switch results.withLock({ $0[i]! }) {
      case .success(let found): report.add(found)
      case .failure(let fault): report.faults.append(fault.description)
      }
    }
    if let (first, count) = index.notDerived() {
      report.faults.append("\(first); \(count) such records in all")
    }
    return report
  }

  private func readJournal(_ partition: Int32) throws -> [JournalEntry] {
    let bounds = try reader.bounds(.journal, partition)
    let decoder = JournalDecoder()
    var entries: [JournalEntry] = []
    var fault: (any Error)?
    try reader.read(.journal, partition, from: bounds.first, to: bounds.end, unless: { false }) { record in
      guard let value = record.value else { return true }
      do {
        let entry = try decoder.entry(value)
        try topics.check(entry.of, "the journal")
        entries.append(entry)
        return true
      } catch {
        fault = error
        return false
      }
    }
    if let fault { throw fault }
    return entries
  }

  private func derive(_ number: Int32, _ entries: [JournalEntry], _ index: OutputIndex) throws -> Report {
    var report = Report()
    guard let first = entries.first else { return report }
    guard first.n == 1, let takeover = first.takeover, let start = first.batches.first?.endOffset else {
      throw VerifyFault("the journal begins with entry \(first.n): what lay before was deleted, so nothing can be derived")
    }
    report.partitions = 1
    let end = entries.last { !$0.batches.isEmpty }?.batches.last?.endOffset ?? start
    let bounds = try reader.bounds(.input, number)
    if bounds.first > start, end > start {
      throw VerifyFault("the input begins at offset \(bounds.first), but the journal at \(start): what lay before was deleted")
    }
    let partition = Partition(
      number, settings: EngineSettings(takeover.derivation.settings), ownSettingsMax: ownSettingsMax,
      clock: first.clock - takeover.shift, offset: start)
    let comparison = Comparison(index)
    var rest = entries.makeIterator()
    let runner = try EntryRunner(
      partition, derivation: takeover.derivation, topics: topics, lane: Lane(comparison), next: { rest.next() })
    var deadLetters = 0
    var takeovers = 0
    var resets = 0
    runner.deadLettered = { _, _ in deadLetters += 1 }
    runner.entryDone = { recorded, derived in
      if let fault = comparison.fault { throw fault }
      if recorded.said != derived.said {
        throw VerifyFault("entry \(recorded.n) says that it led to \(recorded.said) records, but \(derived.said) were derived")
      }
      if let takeover = recorded.takeover {
        takeovers += 1
        if takeover.reset != nil { resets += 1 }
      }
    }
    var fault: (any Error)?
    var told = 0
    try reader.read(.input, number, from: start, to: max(start, end), unless: { false }) { record in
      do {
        try runner.take(record)
      } catch {
        fault = error
        return false
      }
      if runner.records - told >= 10_000 {
        progress?(runner.records - told)
        told = runner.records
      }
      return true
    }
    if let fault { throw fault }
    try runner.finish()
    if let fault = comparison.fault { throw fault }
    progress?(runner.records - told)
    report.records = runner.records
    report.entries = runner.entries
    report.deadLetters = deadLetters
    report.takeovers = takeovers
    report.resets = resets
    return report
  }
}

extension Verifier.Report {
  fileprivate mutating func add(_ other: Verifier.Report) {
    partitions += other.partitions
    records += other.records
    entries += other.entries
    deadLetters += other.deadLetters
    takeovers += other.takeovers
    resets += other.resets
  }
}

/// Looks for each derived instruction in the output. Belongs to one thread; a room is in one partition only.
private final class Comparison: SaidTarget, @unchecked Sendable {
  private let index: OutputIndex
  private var rooms: [ObjectIdentifier: OutputIndex.Room] = [:]
  private(set) var fault: VerifyFault?

  init(_ index: OutputIndex) { self.index = index }

  func said(_ record: Bytes, _ instruction: Instruction, by room: Room) {
    if fault != nil { return }
    func differs(_ how: String) {
      fault = VerifyFault(
        "room \(text(room.id)), epoch \(instruction.epoch), seq \(instruction.seq): \(how). Derived: \(text(record))")
    }
    guard let output = index.room(room.id), let epoch = output.epochs.last(where: { $0.epoch == instruction.epoch }) else {
      return differs("the output says nothing of this room and epoch")
    }
    guard instruction.seq <= epoch.entries.count else { return differs("it is missing in the output") }
    let entry = epoch.entries[instruction.seq - 1]
    if entry.hash != XXH3.hash(record) || entry.otherHash != XXH3.hash(record, seed: 1) {
      return differs("the output says something else (partition \(entry.partition), offset \(entry.offset))")
    }
    epoch.derived = max(epoch.derived, instruction.seq)
  }
}

/// The proof: the journals are only read, and of the index each thread touches its own partition's rooms.
private struct UncheckedWork: @unchecked Sendable {
  let journals: [[JournalEntry]]
  let index: OutputIndex
}
