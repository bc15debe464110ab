import ComboCore
import ComboSystem
import ComboWire
import Testing

@testable import ComboRooms
@testable import ComboService
@testable import ComboTestSupport

private let topics = TopicIdentity(group: "g", input: "gifts", output: "instructions")
private let derivation = Derivation(settings: Settings(), rules: .newest, limits: WireLimits())
private let entry = JournalEntry(n: 1, batches: [], clock: 0, said: 0, rooms: 0, digest: 0, shifted: 0, of: topics.hash)

private func work() -> ActivePartition {
  let partition = Partition(0, settings: EngineSettings(Settings()), ownSettingsMax: 1, clock: 0, offset: 0)
  return ActivePartition(
    RestoredPartition(
      partition: partition, records: RoomRecords(topics, partBytes: 1000), unsaid: HeldBack(), terms: JournalTerms(),
      journalEnd: 0, reset: nil, derivation: nil, summary: ""),
    derivation: derivation, shift: 0, time: SystemTime())
}

private func takeover(isReset: Bool) -> PendingTakeover {
  PendingTakeover(shift: 0, reset: isReset ? .init(reason: "r", offsetsLost: 0) : nil)
}

extension PartitionState.Owed {
  fileprivate var word: String {
    switch self {
    case .nothing: ""
    case .sweep: "+sweep"
    case .entry(let thenSweep): thenSweep ? "+entry+sweep" : "+entry"
    case .takeover(let takeover): takeover.reset == nil ? "+takeover" : "+reset"
    }
  }
}

extension PartitionState {
  fileprivate var word: String {
    switch self {
    case .unassigned: "unassigned"
    case .waiting(let attempts, let until): "waiting\(attempts.word) \(until.map(String.init) ?? "long")"
    case .restoring(let attempts): "restoring\(attempts.word)"
    case .ready(_, let owed): "ready\(owed.word)"
    case .claiming(_, let takeover): takeover.reset == nil ? "claiming" : "claiming+reset"
    case .claimed(_, _, let isReset): isReset ? "claimed+reset" : "claimed"
    case .active(_, let owed, .on): "active\(owed.word)"
    case .active(_, let owed, .awaits(let schema)): "active\(owed.word) awaits \(schema)"
    case .draining(_, let mustSweep): mustSweep ? "draining+sweep" : "draining"
    }
  }

  /// The partition that it holds, consumed or not.
  fileprivate var held: ActivePartition? {
    switch self {
    case .unassigned, .waiting, .restoring: nil
    case .ready(let active, _), .claiming(let active, _), .claimed(let active, _, _), .active(let active, _, _),
      .draining(let active, _):
      active
    }
  }
}

extension PartitionState.Attempts {
  fileprivate var word: String {
    (doubtedSince.map { " doubted since \($0)" } ?? "") + (failure.map { " after \($0)" } ?? "")
  }
}

extension PartitionState.Action {
  fileprivate var word: String {
    switch self {
    case .cancel: "cancel"
    case .stopReading: "stop"
    case .pauseReading: "pause"
    case .restore(let since): since.map { "restore(\($0))" } ?? "restore"
    case .confirm: "confirm"
    case .consume: "consume"
    case .close: "close"
    }
  }
}

@Suite("The state of a partition")
struct PartitionStateTests {
  private static func states() -> [PartitionState] {
    let (doubted, failed) = (PartitionState.Attempts(doubtedSince: 5, failure: "d"), PartitionState.Attempts(failure: "f"))
    return [
      .unassigned, .waiting(.init(), until: nil), .waiting(failed, until: 9), .waiting(doubted, until: 9), .restoring(.init()),
      .restoring(doubted), .ready(work(), .nothing), .ready(work(), .sweep), .ready(work(), .entry(thenSweep: false)),
      .ready(work(), .takeover(takeover(isReset: false))),
      .ready(work(), .takeover(takeover(isReset: true))),
      .ready(work(), .entry(thenSweep: true)), .claiming(work(), takeover(isReset: false)),
      .claiming(work(), takeover(isReset: true)), .claimed(work(), entry, isReset: false), .claimed(work(), entry, isReset: true),
      .active(work(), .takeover(takeover(isReset: false)), .on), .active(work(), .takeover(takeover(isReset: true)), .on),
      .active(work(), .entry(thenSweep: false), .on), .active(work(), .entry(thenSweep: true), .on),
      .active(work(), .sweep, .on), .active(work(), .nothing, .on), .active(work(), .nothing, .awaits(schema: "s")),
      .active(work(), .takeover(takeover(isReset: true)), .awaits(schema: "s")),
      .active(work(), .takeover(takeover(isReset: false)), .awaits(schema: "s")),
      .active(work(), .entry(thenSweep: false), .awaits(schema: "s")),
      .active(work(), .entry(thenSweep: true), .awaits(schema: "s")), .active(work(), .sweep, .awaits(schema: "s")),
      .draining(work(), mustSweep: false), .draining(work(), mustSweep: true),
    ]
  }

  private static func facts() -> [(name: String, fact: PartitionState.Fact)] {
    [
      ("assigned", .assigned), ("revoked", .revoked), ("handedOver", .handedOver), ("handOverBegan", .handOverBegan),
      ("workDiscarded", .workDiscarded), ("retryPlanned(7)", .retryPlanned(nextTry: 7)),
      ("retryPlanned(now)", .retryPlanned(nextTry: nil)), ("retryDue", .retryDue), ("refused(7)", .refused(nextTry: 7)),
      ("refused(now)", .refused(nextTry: nil)),
      ("restored", .restored(work(), takeover(isReset: false))), ("restoreFailed(7)", .restoreFailed("x", nextTry: 7)),
      ("restoreFailed(now)", .restoreFailed("x", nextTry: nil)),
      ("restoreContradicted", .restoreContradicted("x", at: 6, nextTry: 7)), ("timeRefused", .timeRefused(nextTry: 7)),
      ("claimRequired", .claimRequired), ("claimCommitted", .claimCommitted), ("claimWritten", .claimWritten(entry)),
      ("claimCounted", .claimCounted(owesEntry: false)), ("claimCounted(entry)", .claimCounted(owesEntry: true)),
      ("overtaken", .overtaken), ("started", .started), ("takeoverWritten", .takeoverWritten), ("entryWritten", .entryWritten),
      ("sweepBegun", .sweepBegun), ("schemaLacked", .schemaLacked("s")), ("readingResumed", .readingResumed),
    ]
  }

  /// The facts that have an effect in some states: the state before, the one after, and the actions. `*` stands for any state
  /// that no other line names, but unassigned.
  private static let table = """
    assigned: unassigned > restoring: cancel stop restore
    assigned: waiting doubted since 5 after d 9 > restoring doubted since 5 after d: cancel stop restore(5)
    assigned: waiting after f 9 > restoring after f: cancel stop restore
    assigned: restoring doubted since 5 after d > restoring doubted since 5 after d: cancel stop restore(5)
    assigned: * > restoring: cancel CLOSE stop restore
    revoked: * > unassigned: cancel CLOSE
    handedOver: waiting long > waiting long:
    handedOver: waiting after f 9 > waiting after f 9:
    handedOver: waiting doubted since 5 after d 9 > waiting doubted since 5 after d 9:
    handedOver: restoring doubted since 5 after d > restoring doubted since 5 after d: cancel stop restore(5)
    handedOver: * > restoring: cancel CLOSE stop restore
    handOverBegan: active > draining:
    handOverBegan: active+sweep > draining+sweep:
    workDiscarded: waiting doubted since 5 after d 9 > waiting doubted since 5 after d long: stop
    workDiscarded: waiting after f 9 > waiting after f long: stop
    workDiscarded: restoring doubted since 5 after d > waiting doubted since 5 after d long: stop
    workDiscarded: * > waiting long: stop CLOSE
    retryPlanned(7): waiting long > waiting 7: cancel stop
    retryPlanned(now): waiting long > restoring: cancel stop restore
    retryDue: waiting after f 9 > restoring after f: cancel stop restore
    retryDue: waiting doubted since 5 after d 9 > restoring doubted since 5 after d: cancel stop restore(5)
    refused(now): restoring > restoring: cancel stop restore
    refused(now): restoring doubted since 5 after d > restoring: cancel stop restore
    refused(now): ready+takeover > restoring: cancel stop restore
    refused(now): ready+reset > restoring: cancel stop restore
    refused(now): ready > restoring: cancel stop restore
    refused(now): ready+sweep > restoring: cancel stop restore
    refused(now): ready+entry > restoring: cancel stop restore
    refused(now): ready+entry+sweep > restoring: cancel stop restore
    refused(7): restoring > waiting 7: cancel stop
    refused(7): restoring doubted since 5 after d > waiting 7: cancel stop
    refused(7): ready+takeover > waiting 7: cancel stop
    refused(7): ready+reset > waiting 7: cancel stop
    refused(7): ready > waiting 7: cancel stop
    refused(7): ready+sweep > waiting 7: cancel stop
    refused(7): ready+entry > waiting 7: cancel stop
    refused(7): ready+entry+sweep > waiting 7: cancel stop
    restored: restoring > ready+takeover:
    restored: restoring doubted since 5 after d > ready+takeover:
    restoreFailed(7): restoring > waiting after x 7: cancel stop
    restoreFailed(7): restoring doubted since 5 after d > waiting after x 7: cancel stop
    restoreFailed(now): restoring > restoring after x: cancel stop restore
    restoreFailed(now): restoring doubted since 5 after d > restoring after x: cancel stop restore
    restoreContradicted: restoring > waiting doubted since 6 after x 7:
    restoreContradicted: restoring doubted since 5 after d > waiting doubted since 5 after x 7:
    timeRefused: restoring > waiting 7: cancel stop
    timeRefused: restoring doubted since 5 after d > waiting 7: cancel stop
    claimRequired: ready+takeover > claiming:
    claimRequired: ready+reset > claiming+reset:
    claimWritten: claiming > claimed:
    claimWritten: claiming+reset > claimed+reset:
    claimCommitted: claimed > claimed: confirm
    claimCommitted: claimed+reset > claimed+reset: confirm
    claimCounted: claimed > ready:
    claimCounted: claimed+reset > ready+sweep:
    claimCounted(entry): claimed > ready+entry:
    claimCounted(entry): claimed+reset > ready+entry+sweep:
    overtaken: claimed > restoring: cancel stop restore
    overtaken: claimed+reset > restoring: cancel stop restore
    overtaken: active+takeover > restoring: cancel close stop restore
    overtaken: active+reset > restoring: cancel close stop restore
    overtaken: active+entry > restoring: cancel close stop restore
    overtaken: active+entry+sweep > restoring: cancel close stop restore
    overtaken: active+sweep > restoring: cancel close stop restore
    overtaken: active > restoring: cancel close stop restore
    started: ready+takeover > active+takeover: consume
    started: ready+reset > active+reset: consume
    started: ready > active: consume
    started: ready+sweep > active+sweep: consume
    started: ready+entry > active+entry: consume
    started: ready+entry+sweep > active+entry+sweep: consume
    takeoverWritten: active+takeover > active:
    takeoverWritten: active+reset > active+sweep:
    entryWritten: active+entry > active:
    entryWritten: active+entry+sweep > active+sweep:
    sweepBegun: active+sweep > active:
    sweepBegun: draining > draining:
    sweepBegun: draining+sweep > draining:
    overtaken: active+takeover awaits s > restoring: cancel close stop restore
    overtaken: active+reset awaits s > restoring: cancel close stop restore
    overtaken: active+entry awaits s > restoring: cancel close stop restore
    overtaken: active+entry+sweep awaits s > restoring: cancel close stop restore
    overtaken: active+sweep awaits s > restoring: cancel close stop restore
    overtaken: active awaits s > restoring: cancel close stop restore
    handOverBegan: active awaits s > draining:
    handOverBegan: active+sweep awaits s > draining+sweep:
    schemaLacked: active+takeover > active+takeover awaits s: pause
    readingResumed: active+takeover awaits s > active+takeover:
    schemaLacked: active+reset > active+reset awaits s: pause
    readingResumed: active+reset awaits s > active+reset:
    schemaLacked: active+entry > active+entry awaits s: pause
    readingResumed: active+entry awaits s > active+entry:
    schemaLacked: active+entry+sweep > active+entry+sweep awaits s: pause
    readingResumed: active+entry+sweep awaits s > active+entry+sweep:
    schemaLacked: active+sweep > active+sweep awaits s: pause
    readingResumed: active+sweep awaits s > active+sweep:
    schemaLacked: active > active awaits s: pause
    readingResumed: active awaits s > active:
    takeoverWritten: active+takeover awaits s > active awaits s:
    takeoverWritten: active+reset awaits s > active+sweep awaits s:
    entryWritten: active+entry awaits s > active awaits s:
    entryWritten: active+entry+sweep awaits s > active+sweep awaits s:
    sweepBegun: active+sweep awaits s > active awaits s:
    """

  /// The facts about the loop's own work, which trap in all states without a line.
  private static let own: Set = [
    "claimRequired", "claimWritten", "claimCounted", "claimCounted(entry)", "started", "takeoverWritten", "entryWritten",
    "schemaLacked", "readingResumed",
  ]

  @Test("takes every fact in every state as the table says; all others trap or have no effect")
  func everyFact() {
    var lines: [String: String] = [:]
    var used: Set<String> = []
    for line in Self.table.split(separator: "\n") {
      let parts = line.split(separator: ">", maxSplits: 1)
      #expect(lines.updateValue(parts[1].trimmed, forKey: parts[0].trimmed) == nil, "\(line)")
    }
    for before in Self.states() {
      for (name, fact) in Self.facts() {
        var state = before
        let taken = state.transition(fact)
        let listed = lines["\(name): \(before.word)"]
        #expect((taken == nil) == (listed == nil && Self.own.contains(name)), "\(name) in \(before.word)")
        let actions = taken?.map(\.word).joined(separator: " ") ?? ""
        var expected = listed ?? "\(before.word):"
        if listed == nil, before.word != "unassigned", let other = lines["\(name): *"] {
          expected = other.replacing(" CLOSE", with: before.consumed == nil ? "" : " close")
          used.insert("\(name): *")
        }
        used.insert("\(name): \(before.word)")
        #expect("\(state.word): \(actions)".trimmed == expected, "\(name) in \(before.word)")
      }
    }
    #expect(Set(lines.keys).subtracting(used) == [], "no fact in no state")
  }

  @Test("keeps its promises in any sequence of facts", arguments: 0..<UInt64(50))
  func sequences(run: UInt64) {
    let seed = run &* 7919 &+ 1
    var random = SplitMix64(seed: seed)
    var (state, promises, story) = (PartitionState.unassigned, Promises(), ["seed \(seed)"])
    let facts = Self.facts()
    for _ in 0..<6000 {
      // Facts that lead on are drawn more often than those that lead back: otherwise few partitions would become active.
      var (name, fact) = facts[Int.random(in: 0..<facts.count, using: &random)]
      if Self.leadBack.contains(name), !state.isUnassigned, Int.random(in: 0..<32, using: &random) > 0 { continue }
      if name == "restored" { fact = .restored(work(), takeover(isReset: Bool.random(using: &random))) }
      let before = state
      guard let actions = state.transition(fact) else { continue }
      story.append("\(name) > \(state.word): \(actions.map(\.word).joined(separator: " "))")
      if let fault = promises.fault(name, fact, before, actions, state) {
        Issue.record("\(fault), after \(story[0]) … \(story.suffix(12).joined(separator: "\n"))")
        return
      }
    }
    #expect(promises.consumedCount > 10, "seed \(seed) reaches too little")
  }

  private static let leadBack: Set = [
    "assigned", "revoked", "handedOver", "handOverBegan", "workDiscarded", "refused(7)", "refused(now)", "overtaken",
    "timeRefused",
    "restoreFailed(7)", "restoreFailed(now)", "restoreContradicted",
  ]
}

extension StringProtocol {
  fileprivate var trimmed: String { String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
}

/// What holds whatever happens to a partition, as its member sees it: by the actions.
private struct Promises {
  private var consumed: ActivePartition?
  private(set) var consumedCount = 0
  /// Whether a restore is under way.
  private var isRestoring = false
  /// The partition whose claim was written and not yet confirmed, and the last one whose takeover was written in either way.
  private var claimed: ActivePartition?
  private var written: ActivePartition?
  private var counts: ActivePartition?

  /// Returns the broken promise, or nil if there is none.
  mutating func fault(
    _ name: String, _ fact: PartitionState.Fact, _ before: PartitionState, _ actions: [PartitionState.Action],
    _ after: PartitionState
  ) -> String? {
    if case .claimWritten = fact, case .claiming = before {
      if written === before.held { return "a takeover is written twice" }
      (claimed, written) = (before.held, before.held)
    }
    if case .takeoverWritten = fact, !after.owed.isEntry, case .active(_, .takeover, _) = before {
      if written === before.held { return "a takeover is written twice" }
      written = before.held
    }
    if case .claimCounted = fact, case .claimed = before { counts = before.held }
    for action in actions {
      switch action {
      case .cancel: isRestoring = false
      case .restore:
        if isRestoring { return "two restores are under way" }
        if consumed != nil { return "a partition is restored while it is consumed" }
        isRestoring = true
      case .confirm(let active, _):
        if claimed !== active { return "a claim is confirmed that was not written" }
      case .consume(let active):
        if consumed != nil { return "two are consumed" }
        (consumed, consumedCount) = (active, consumedCount + 1)
        if claimed === active, counts !== active { return "a claim is consumed before it counts" }
      case .close(let active):
        if consumed !== active { return "one is closed that is not consumed" }
        consumed = nil
      case .pauseReading: if consumed == nil { return "reading is paused of a partition that is not consumed" }
      case .stopReading: break
      }
    }
    if case .restored = fact, case .restoring = before { isRestoring = false }
    if consumed !== after.consumed { return "the state and the actions differ about what is consumed" }
    switch after {
    case .restoring: if !isRestoring { return "it waits for a restore that is not under way" }
    case .unassigned: if isRestoring || consumed != nil { return "work goes on for a partition of somebody else" }
    case .waiting, .ready, .claiming, .claimed, .active, .draining: break
    }
    if let held = after.held, held !== before.held, name != "restored" { return "it holds what was not restored" }
    return nil
  }
}
