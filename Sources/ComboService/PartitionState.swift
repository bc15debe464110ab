package import ComboWire

/// The state of a partition at this member. It does no I/O: it takes facts, and returns the actions that follow from them, which
/// ``MemberPartitions`` performs in their order.
///
///     unassigned ─▶ restoring ⇄ waiting
///                       ▼
///        claiming ◀── ready ──▶ active ─▶ draining
///            ▼          ▲
///         claimed ──────┘
///
/// From all states a failure leads back to restoring or waiting, and a revocation to unassigned. A fact that comes late changes
/// nothing; one about the loop's own work that its state rules out is an error of this program, which stops it.
package enum PartitionState {
  /// Not this member's.
  case unassigned
  /// The next restore begins at a time by the monotonic clock, in milliseconds; nil while the producers are created again.
  case waiting(Attempts, until: Int64?)
  /// It is being restored, outside of the loop.
  case restoring(Attempts)
  /// It is restored, or its claim counts, and it is about to be consumed.
  case ready(ActivePartition, Owed)
  /// Its last owner may still be writing without transactions, so its takeover must be known to count before any output.
  case claiming(ActivePartition, PendingTakeover)
  /// Its takeover is written. If it is a reset, all rooms must be written later.
  indirect case claimed(ActivePartition, JournalEntry, isReset: Bool)
  /// It is consumed, perhaps up to a record that waits for its schema.
  case active(ActivePartition, Owed, Reading)
  /// It is about to be given up, and gets no entry only because time has passed.
  case draining(ActivePartition, mustSweep: Bool)

  /// The results of the attempts to restore it since it was last restored.
  package struct Attempts {
    /// The monotonic time, in milliseconds, since which every attempt has found a contradiction.
    var doubtedSince: Int64?
    /// Why the last attempt failed; nil if it did not.
    var failure: String?
  }

  /// The write that is due for it at the next opportunity, even if nothing happens in its rooms.
  package enum Owed {
    case nothing
    /// All rooms, because their initial state cannot be derived.
    case sweep
    /// An entry that records that all earlier output is published, and then perhaps all rooms.
    case entry(thenSweep: Bool)
    case takeover(PendingTakeover)

    var isNothing: Bool { if case .nothing = self { true } else { false } }

    var mustSweep: Bool {
      switch self {
      case .sweep, .entry(thenSweep: true): true
      case .nothing, .entry, .takeover: false
      }
    }

    /// Whether an entry must be written.
    package var isEntry: Bool {
      switch self {
      case .entry, .takeover: true
      case .nothing, .sweep: false
      }
    }
  }

  /// How far an active partition is read.
  package enum Reading {
    case on
    /// It stands at a record that names this schema, which the map does not have yet.
    case awaits(schema: String)
  }

  /// A fact about a partition. Times are by the monotonic clock, in milliseconds.
  enum Fact {
    case assigned, revoked
    /// It was written as far as time permitted, and is to be taken over again. After a failure its restore is planned already.
    case handedOver
    case handOverBegan
    /// Work since the last commit was discarded.
    case workDiscarded
    /// The next restore was planned, for at once if `nextTry` is nil.
    case retryPlanned(nextTry: Int64?)
    case retryDue
    /// The brokers refused to let it be read or written, before it was consumed. It is restored again, at once if `nextTry` is
    /// nil.
    case refused(nextTry: Int64?)
    // The result of a restore.
    case restored(ActivePartition, PendingTakeover)
    case restoreFailed(String, nextTry: Int64?)
    case restoreContradicted(String, at: Int64, nextTry: Int64)
    /// It was restored, but the output does not accept its time yet.
    case timeRefused(nextTry: Int64)
    // The progress of its takeover.
    case claimRequired, claimCommitted
    case claimWritten(JournalEntry)
    case claimCounted(owesEntry: Bool)
    /// Another owner wrote after it was restored, or that cannot be ruled out.
    case overtaken
    case started
    case takeoverWritten, entryWritten, sweepBegun
    /// Its next record names a schema that the map does not have, and which is fetched.
    case schemaLacked(String)
    /// It is read further, as the schema was refused.
    case readingResumed

    /// Whether it may come in a state that it no longer concerns. The others are about the loop's own work of the moment.
    var mayBeLate: Bool {
      switch self {
      case .claimRequired, .claimWritten, .claimCounted, .started, .takeoverWritten, .entryWritten, .schemaLacked,
        .readingResumed:
        false
      case .assigned, .revoked, .handedOver, .handOverBegan, .workDiscarded, .retryPlanned, .retryDue, .refused, .restored,
        .restoreFailed, .restoreContradicted, .timeRefused, .claimCommitted, .overtaken, .sweepBegun:
        true
      }
    }
  }

  /// An action that the member has to perform.
  enum Action {
    /// End the attempt to restore it, and searches of its journal.
    case cancel
    case stopReading
    /// Do not fetch its records, until it is started again.
    case pauseReading
    case restore(doubtedSince: Int64?)
    /// Check whether the committed claim counts.
    case confirm(ActivePartition, JournalEntry)
    /// Pass its records to its rooms from now on.
    case consume(ActivePartition)
    /// Release its rooms, once none is running.
    case close(ActivePartition)
  }

  /// Changes the state in response to a fact.
  /// - Returns: The actions that follow from it, in their order.
  mutating func take(_ fact: Fact) -> [Action] {
    guard let actions = transition(fact) else { preconditionFailure("a partition has no \(fact) while it is \(self)") }
    return actions
  }

  /// - Returns: nil if the fact, about work of the loop itself, cannot be true in this state.
  mutating func transition(_ fact: Fact) -> [Action]? {
    switch (fact, self) {
    case (.assigned, _): return restore(attempts)
    case (.revoked, .unassigned), (.workDiscarded, .unassigned), (.handedOver, .unassigned), (.handedOver, .waiting): return []
    case (.revoked, _): return [.cancel] + leave(for: .unassigned)
    case (.handedOver, _): return restore(attempts)
    case (.workDiscarded, _): return [.stopReading] + leave(for: .waiting(attempts, until: nil))
    case (.retryPlanned(let nextTry), .waiting(let attempts, nil)): return retry(attempts, at: nextTry)
    case (.retryDue, .waiting(let attempts, _?)): return restore(attempts)
    case (.restored(let active, let takeover), .restoring): self = .ready(active, .takeover(takeover))
    case (.restoreFailed(let reason, let nextTry), .restoring): return retry(Attempts(failure: reason), at: nextTry)
    case (.restoreContradicted(let reason, let now, let nextTry), .restoring(let attempts)):
      self = .waiting(Attempts(doubtedSince: attempts.doubtedSince ?? now, failure: reason), until: nextTry)
    case (.timeRefused(let nextTry), .restoring): return retry(Attempts(), at: nextTry)
    case (.refused(let nextTry), .restoring), (.refused(let nextTry), .ready): return retry(Attempts(), at: nextTry)
    case (.overtaken, .claimed), (.overtaken, .active): return restore(Attempts())
    case (.claimRequired, .ready(let active, .takeover(let takeover))): self = .claiming(active, takeover)
    case (.claimWritten(let entry), .claiming(let active, let takeover)):
      self = .claimed(active, entry, isReset: takeover.reset != nil)
    case (.claimCommitted, .claimed(let active, let entry, _)): return [.confirm(active, entry)]
    case (.claimCounted(let owesEntry), .claimed(let active, _, let isReset)):
      self = .ready(active, owesEntry ? .entry(thenSweep: isReset) : isReset ? .sweep : .nothing)
    case (.started, .ready(let active, let owed)):
      self = .active(active, owed, .on)
      return [.consume(active)]
    case (.takeoverWritten, .active(let active, .takeover(let takeover), let reading)):
      self = .active(active, takeover.reset == nil ? .nothing : .sweep, reading)
    case (.entryWritten, .active(let active, .entry(let thenSweep), let reading)):
      self = .active(active, thenSweep ? .sweep : .nothing, reading)
    case (.sweepBegun, .active(let active, .sweep, let reading)): self = .active(active, .nothing, reading)
    case (.sweepBegun, .draining(let active, _)): self = .draining(active, mustSweep: false)
    case (.schemaLacked(let schema), .active(let active, let owed, .on)):
      self = .active(active, owed, .awaits(schema: schema))
      return [.pauseReading]
    case (.readingResumed, .active(let active, let owed, .awaits)): self = .active(active, owed, .on)
    case (.handOverBegan, .active(let active, let owed, _)) where !owed.isEntry:
      self = .draining(active, mustSweep: owed.mustSweep)
    default: if !fact.mayBeLate { return nil }
    }
    return []
  }

  private mutating func restore(_ attempts: Attempts) -> [Action] {
    [.cancel] + leave(for: .restoring(attempts)) + [.stopReading, .restore(doubtedSince: attempts.doubtedSince)]
  }

  private mutating func retry(_ attempts: Attempts, at nextTry: Int64?) -> [Action] {
    guard let nextTry else { return restore(attempts) }
    self = .waiting(attempts, until: nextTry)
    return [.cancel, .stopReading]
  }

  private mutating func leave(for next: PartitionState) -> [Action] {
    defer { self = next }
    return consumed.map { [.close($0)] } ?? []
  }

  // MARK: - Questions

  /// The partition, if its records are passed to its rooms.
  var consumed: ActivePartition? {
    switch self {
    case .active(let active, _, _), .draining(let active, _): active
    case .unassigned, .waiting, .restoring, .ready, .claiming, .claimed: nil
    }
  }

  /// The results of earlier attempts; none once it is restored.
  var attempts: Attempts {
    switch self {
    case .waiting(let attempts, _), .restoring(let attempts): attempts
    case .unassigned, .ready, .claiming, .claimed, .active, .draining: Attempts()
    }
  }

  var owed: Owed {
    switch self {
    case .ready(_, let owed), .active(_, let owed, _): owed
    case .draining(_, let mustSweep): mustSweep ? .sweep : .nothing
    case .unassigned, .waiting, .restoring, .claiming, .claimed: .nothing
    }
  }

  /// The schema that it waits for; nil if none.
  var awaitedSchema: String? { if case .active(_, _, .awaits(let schema)) = self { schema } else { nil } }

  var isUnassigned: Bool { if case .unassigned = self { true } else { false } }
  var isDraining: Bool { if case .draining = self { true } else { false } }

  /// Whether it waits for work outside of the loop.
  var isAwaited: Bool {
    switch self {
    case .restoring, .ready, .claiming, .claimed: true
    case .unassigned, .waiting, .active, .draining: false
    }
  }

  /// Whether the next restore begins at some time.
  var isPlanned: Bool { if case .waiting(_, until: _?) = self { true } else { false } }

  /// Whether the time of its next restore has come.
  func isDue(at now: Int64) -> Bool { if case .waiting(_, let next?) = self { next <= now } else { false } }
}
