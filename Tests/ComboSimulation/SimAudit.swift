import ComboEdge
import ComboRooms
import ComboService
import ComboSystem
import ComboVerify

@testable import ComboCore
@testable import ComboTestSupport
@testable import ComboWire

/// The checks of committed records, which must pass at any moment.
struct SimAudit {
  let world: SimWorld
  var configuration: ServiceConfiguration
  /// Whether resets are allowed, because a test caused them on purpose.
  var resetsAllowed = false

  private var broker: SimBroker { world.broker }

  init(_ world: SimWorld, _ configuration: ServiceConfiguration) {
    self.world = world
    self.configuration = configuration
  }

  func faults(isAtEnd: Bool = false) -> [String] {
    var faults = world.complaints + world.ends.map { "an instance ended: \($0)" }
    broker.settleAll()
    do {
      if world.hasAtLeastOnce {
        faults += try repetitionFaults(isAtEnd: isAtEnd)
      }
      var options = Verifier.Options()
      options.placement = { key, count in Int(SimBroker.partition(of: [UInt8](key), count)) }
      options.rules = configuration.knownRules
      let report = try Verifier(SimReadEdge(broker, instance: nil), topics: world.topics, options: options).run()
      faults += report.faults.map { "verify: \($0)" }
      if report.resets > 0, !resetsAllowed { faults.append("\(report.resets) resets") }
      for number in broker.partitions(.input) { faults += try self.faults(of: number, isAtEnd: isAtEnd) }
    } catch {
      faults.append("audit: \(error)")
    }
    if isAtEnd {
      faults += deadLetterFaults()
      if !resetsAllowed { faults += conservationFaults() }
    }
    return faults
  }

  // MARK: - State

  /// Checks that a partition's state is the same derived from the beginning, restored from snapshots and, at the end, live.
  private func faults(of number: Int32, isAtEnd: Bool) throws -> [String] {
    var faults: [String] = []
    let entries = try journal(number)
    guard let last = entries.last else { return [] }
    let offset = entries.last { !$0.batches.isEmpty }!.batches.last!.endOffset
    let isBeside = terms(number).term != nil
    let known = broker.offsets[number]
    if isBeside ? known?.offset ?? 0 > offset : known?.offset != offset || known?.metadata != String(last.n) {
      faults.append(
        "partition \(number): the group stands at \(String(describing: broker.offsets[number])), the journal at \(offset)")
    }
    let derived = try derive(number, entries).partition
    derived.table.forEachRoom { room in
      if let deadline = room.engine.nextDeadline, deadline <= last.clock {
        faults.append(
          "partition \(number): room \(text(room.id)) has a deadline at \(deadline), up to the entry's clock \(last.clock)")
      }
    }
    switch restore(number) {
    case .restored(let restored):
      if let reset = restored.reset {
        faults.append("partition \(number) would be reset: \(reset.reason)")
      } else {
        faults += differences(derived, restored.partition, "restored") + broken(restored.partition, "restored")
      }
    case .refused(let reason), .otherRules(_, let reason), .doubtful(let reason), .failed(let reason):
      faults.append("partition \(number) cannot be restored: \(reason)")
    case .gone(let topic): faults.append("its \(topic.word) topic is gone")
    case .stopped, .examined: faults.append("stopped")
    }
    if isAtEnd {
      for instance in world.instances {
        guard instance.service.partitions.active.count > Int(number), let active = instance.service.partitions.active[Int(number)]
        else { continue }
        let owed = instance.service.partitions.owed(by: active)
        if case .takeover = owed { continue }
        if !active.partition.hasNews { faults += differences(derived, active.partition, "live") }
        faults += broken(active.partition, "live")
      }
    }
    return faults
  }

  /// Checks the invariants of a partition and its engines.
  private func broken(_ partition: Partition, _ what: String) -> [String] {
    partition.brokenInvariant(.ofSoleThread()).map { ["\(what): partition \(partition.number): \($0)"] } ?? []
  }

  private func journal(_ number: Int32) throws -> [JournalEntry] {
    let decoder = JournalDecoder()
    let written = try broker.log(.journal, number).records.filter(\.isCommitted).map { record in
      (record.offset, try record.value!.withUnsafeBytes { try decoder.entry($0) })
    }
    return JournalTerms.counting(written)
  }

  private func terms(_ number: Int32) -> JournalTerms {
    let decoder = JournalDecoder()
    var terms = JournalTerms()
    for record in broker.log(.journal, number).records where record.isCommitted {
      record.value!.withUnsafeBytes { value in
        if let entry = try? decoder.entry(value) { _ = terms.counts(entry, at: record.offset) }
      }
    }
    return terms
  }

  /// Derives a partition from its first entry on, without any snapshot.
  private func derive(
    _ number: Int32, _ entries: [JournalEntry], into target: DerivedTarget? = nil
  ) throws -> (partition: Partition, bad: [String]) {
    let takeover = entries[0].takeover!
    let start = entries[0].batches[0].endOffset
    let partition = Partition(
      number, settings: takeover.derivation.engineSettings, ownSettingsMax: 0, clock: entries[0].clock - takeover.shift,
      offset: start)
    let audited = AuditedEntries(entries, target)
    let runner = try EntryRunner(
      partition, derivation: takeover.derivation, topics: world.topics, outbox: Outbox(target), rules: nil, observer: audited)
    let reader = SimReadEdge(broker, instance: nil)
    try reader.scan(.input, number, from: start, to: broker.log(.input, number).end) {
      try runner.take($0)
      return true
    }
    try runner.finish()
    return (partition, audited.bad)
  }

  private final class AuditedEntries: EntryObserver {
    private var rest: IndexingIterator<[JournalEntry]>
    private let target: DerivedTarget?
    private(set) var bad: [String] = []

    init(_ entries: [JournalEntry], _ target: DerivedTarget?) {
      rest = entries.makeIterator()
      self.target = target
    }

    func nextEntry() -> JournalEntry? {
      let next = rest.next()
      target?.n = next?.n ?? 0
      return next
    }

    func wasBad(_ record: InputRecord, _ bad: BadEvent, at now: Int64) {
      self.bad.append("\(record.partition)/\(record.offset) \(bad.code.rawValue)")
    }

    func ended(_ recorded: JournalEntry, _ derived: JournalEntry) throws {
      if recorded.said != derived.said { throw ReplayFault("entry \(recorded.n) said \(recorded.said), not \(derived.said)") }
    }
  }

  private func restore(_ number: Int32) -> RestoreOutcome {
    let position = broker.position(of: number)
    let restorer = Restorer(
      PartitionTopics(number, configuration, SimReadEdge(broker, instance: nil), log: ServiceLog(.error)),
      time: SimTime(SimClock(SplitMix64(seed: 1)), skew: 0), isCertain: false, clockMin: .min,
      position: { position })
    switch restorer.ask() {
    case .answer(let committed): return restorer.run(from: committed)
    case .noAnswer(let outcome): return outcome
    }
  }

  private func differences(_ one: Partition, _ other: Partition, _ what: String) -> [String] {
    var faults: [String] = []
    let place = "partition \(one.number) \(what)"
    func same<V: Equatable>(_ name: String, _ a: V, _ b: V) {
      if a != b { faults.append("\(place): \(name) is \(b), not \(a)") }
    }
    same("n", one.n, other.n)
    same("clock", one.clock, other.clock)
    same("offset", one.offset, other.offset)
    same("shifted", one.shifted, other.shifted)
    same("awake", one.awake, other.awake)
    same("digest", one.digest, other.digest)
    same("ownSettingsCount", one.ownSettingsCount, other.ownSettingsCount)
    same("settings", one.settings.values, other.settings.values)
    let (a, b) = (rooms(one), rooms(other))
    for name in Set(a.keys).union(b.keys).sorted() { same("room \(name)", a[name] ?? "nothing", b[name] ?? "nothing") }
    return faults
  }

  private func rooms(_ partition: Partition) -> [String: String] {
    var rooms: [String: String] = [:]
    let buffer = ByteBuffer()
    partition.table.forEachRoom { room in
      if room.isGhost { return }
      buffer.removeAll()
      SnapshotEncoder.write(room.engine, to: buffer)
      rooms[text(room.id)] = text(buffer.bytes)
    }
    return rooms
  }

  // MARK: - Output

  /// Checks an output with repetitions: repeated instructions are equal, all can be derived, none is missing that must have been
  /// published, and a reader that skips repetitions finds each room's instructions in order.
  private func repetitionFaults(isAtEnd: Bool) throws -> [String] {
    var faults: [String] = []
    let derived = DerivedTarget()
    var saidTo: [Int32: Int64] = [:]
    for number in broker.partitions(.journal) {
      derived.number = number
      let entries = try journal(number)
      if entries.isEmpty { continue }
      for (one, next) in zip(entries, entries.dropFirst()) where next.n != one.n + 1 {
        faults.append("partition \(number): entry \(next.n) follows on \(one.n)")
      }
      _ = try derive(number, entries, into: derived)
      saidTo[number] = isAtEnd ? entries.last!.n : terms(number).saidTo
      let resets = entries.filter { $0.takeover?.reset != nil }.count
      if resets > 0, !resetsAllowed { faults.append("\(resets) resets") }
    }
    var seen: [String: (epoch: Int, seq: Int)] = [:]
    var found: Set<DerivedTarget.Place> = []
    for number in broker.partitions(.output) {
      for record in broker.log(.output, number).records where record.isCommitted && world.owns(record) {
        let text = SimText(record.value!)
        let room = String(decoding: record.key!, as: UTF8.self)
        let place = DerivedTarget.Place(room: room, epoch: text.number("epoch"), seq: text.number("seq"))
        guard let expected = derived.said[place] else {
          faults.append("\(place) cannot be derived: \(String(decoding: record.value!, as: UTF8.self))")
          continue
        }
        if expected.bytes != record.value! { faults.append("\(place) was said otherwise than derived") }
        if !found.insert(place).inserted { continue }
        let last = seen[room] ?? (0, 0)
        if place.epoch < last.epoch || place.seq != (place.epoch == last.epoch ? last.seq + 1 : 1) {
          faults.append("\(place) was said after epoch \(last.epoch), seq \(last.seq)")
        }
        seen[room] = (place.epoch, place.seq)
      }
    }
    for (place, expected) in derived.said where !found.contains(place) {
      if expected.n <= saidTo[expected.partition]! { faults.append("\(place) of entry \(expected.n) is missing") }
    }
    return faults
  }

  /// Checks that each bad event has a dead letter with its reason (only one, with exactly-once delivery).
  private func deadLetterFaults() -> [String] {
    var found: [String] = []
    for number in broker.partitions(.deadLetter) {
      for record in broker.log(.deadLetter, number).records where record.isCommitted {
        func header(_ name: String) -> String {
          record.headers.first { $0.name == name }.map { String(decoding: $0.value ?? [], as: UTF8.self) } ?? ""
        }
        found.append("\(header("combo.partition"))/\(header("combo.offset")) \(header("combo.error"))")
      }
    }
    var expected: [String] = []
    for number in broker.partitions(.input) {
      if let entries = try? journal(number), !entries.isEmpty { expected += (try? derive(number, entries).bad) ?? [] }
    }
    if world.hasAtLeastOnce { found = Array(Set(found)) }
    found.sort()
    expected.sort()
    return found == expected ? [] : ["dead letters: \(found), expected \(expected)"]
  }

  /// Checks that rooms where every gift counts published as many gifts as came in.
  private func conservationFaults() -> [String] {
    var given: [String: Int] = [:]
    for number in broker.partitions(.input) {
      for record in broker.log(.input, number).records where record.isCommitted && record.plainCount > 0 {
        given[String(decoding: record.key!, as: UTF8.self), default: 0] += record.plainCount
      }
    }
    var said: [String: Int] = [:]
    var shown: [String: Int] = [:]
    var seen: Set<DerivedTarget.Place> = []
    for number in broker.partitions(.output) {
      for record in broker.log(.output, number).records where record.isCommitted && world.owns(record) {
        let room = String(decoding: record.key!, as: UTF8.self)
        guard room.hasPrefix("plain") else { continue }
        let text = SimText(record.value!)
        if !seen.insert(.init(room: room, epoch: text.number("epoch"), seq: text.number("seq"))).inserted { continue }
        let banner = "\(room) \(text.number("epoch")) \(text.number("banner"))"
        switch text.word("op") {
        case "show":
          said[room, default: 0] += text.number("count") - text.number("base")
          shown[banner] = text.number("count")
        case "update":
          said[room, default: 0] += text.number("added")
          shown[banner] = text.number("count")
        case "dismiss": said[room, default: 0] += text.number("count") - (shown[banner] ?? 0)
        case "skip": said[room, default: 0] += text.number("count")
        default: break
        }
      }
    }
    return given.filter { said[$0.key] != $0.value }.map {
      "room \($0.key) was given \($0.value), but says \(said[$0.key] ?? 0)"
    }
  }
}

/// The instructions derived from the journal's entries.
private final class DerivedTarget: InstructionTarget {
  struct Place: Hashable, CustomStringConvertible {
    var room: String
    var epoch: Int
    var seq: Int
    var description: String { "room \(room), epoch \(epoch), seq \(seq)" }
  }
  var number: Int32 = 0
  var n: Int64 = 0
  private(set) var said: [Place: (bytes: [UInt8], n: Int64, partition: Int32)] = [:]

  func said(_ record: Bytes, _ instruction: Instruction, by room: Room) {
    said[Place(room: text(room.id), epoch: Int(instruction.epoch), seq: Int(instruction.seq))] = ([UInt8](record), n, number)
  }
}

/// Finds the first field of a name in compact JSON.
private struct SimText {
  private let bytes: [UInt8]
  init(_ bytes: [UInt8]) { self.bytes = bytes }

  private func place(_ name: String) -> Int? {
    let wanted = Array("\"\(name)\":".utf8)
    guard bytes.count >= wanted.count else { return nil }
    for start in 0...bytes.count - wanted.count where bytes[start] == wanted[0] {
      var i = 0
      while i < wanted.count, bytes[start + i] == wanted[i] { i += 1 }
      if i == wanted.count { return start + i }
    }
    return nil
  }

  func number(_ name: String) -> Int {
    guard var i = place(name) else { return 0 }
    var value = 0
    while i < bytes.count, (0x30...0x39).contains(bytes[i]) {
      value = value * 10 + Int(bytes[i] - 0x30)
      i += 1
    }
    return value
  }

  func word(_ name: String) -> String {
    guard let start = place(name) else { return "" }
    return String(decoding: bytes[(start + 1)...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
  }
}

private func text(_ bytes: Bytes) -> String { String(decoding: bytes, as: UTF8.self) }
