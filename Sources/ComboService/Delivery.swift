internal import ComboCore
package import ComboEdge
package import ComboRooms
internal import ComboSystem
package import ComboWire
internal import Dispatch

/// How what the rooms say gets out, and when entries of the journal are made. The loop's thread alone calls it.
package protocol Delivery: AnyObject {
  var kind: JournalEntry.Delivery { get }
  /// For whoever lets rooms work; what they say goes where this delivery wants it.
  var lanes: Lanes { get }
  /// Whether records may be taken in now; if not, ``turn()`` waits for what is on its way.
  var takesIn: Bool { get }
  /// Whether something of this member's is under way that its losing a partition makes void.
  var isVoidedByLoss: Bool { get }

  /// New producers; what the old ones left open is ended.
  func renew() throws(EdgeError)
  /// Something is about to come of what was taken in.
  func willSay()
  /// A record that is no event goes out.
  func produce(_ letter: DeadLetter, of active: ActivePartition)
  /// For how long the loop may wait for records.
  func waitMs() -> Int32
  /// Sees to what is due.
  func turn()

  /// Partitions were restored: their takeovers are to be written.
  func begin(_ restored: [ActivePartition])
  /// The takeover counts: the partition takes in from now on, from where its owner stands. `takeover` is where that entry stands
  /// in the journal, and before `position` nothing else does that counts.
  func claimed(_ active: ActivePartition, takeover: Int64, position: Int64)
  /// What was looked for in a gap of the journal was found.
  func looked(_ active: ActivePartition, _ look: JournalLook)

  /// Answers what is asked of rooms, of each once all that it has said is out.
  func attend()
  /// Since when, by the monotonic clock, something waits to be durable; nil if nothing does.
  var uncommittedSince: Int64? { get }

  /// The partitions are given up in good order: what is under way is brought to its end, as far as there is time.
  func giveUp(_ partitions: [Int32])
  /// The partition is no longer taken in.
  func forgot(_ active: ActivePartition)
  /// Nothing that is under way counts. Leaves producers with which to go on, made anew if need be.
  func drop(_ fault: TransactionFault)
  /// The process ends without going on.
  func abandon()
}

extension Service {
  /// Makes the next entry of a partition, up to `target`, or up to an earlier time if that is too much for one entry. All rooms are quiet.
  func makeEntry(_ active: ActivePartition, at target: Int64) -> JournalEntry {
    var clock = target
    delivery.lanes.withLane { lane in
      clock = active.partition.advance(to: target, lane: lane, budget: configuration.entryBytes)
    }
    active.clock.came(to: clock, of: target)
    if active.isNewlyBehind(by: target - clock) {
      log.warning(
        """
        the rooms of partition \(.partition, active.number) are \(.ms, target - clock) ms behind: they say more than can be written. They go on \
        as fast as it can; see which rooms are the busiest, and which may have settings of their own (--room-settings)
        """)
    }
    return active.partition.closeEntry(clock: clock, of: configuration.topics)
  }

  /// Makes the entry by which an owner begins. What rooms say in it goes to `lane`.
  func makeTakeover(_ active: ActivePartition, _ takeover: PendingTakeover, lane: Lane) -> JournalEntry {
    let partition = active.partition
    // Not what time it is by now: rooms may have been due in between.
    let clock = partition.clock + takeover.shift
    // An empty batch says from which offset it goes on.
    partition.tookIn(0, upTo: partition.offset, last: partition.last, now: clock)
    partition.takeOver(shift: takeover.shift, settings: settings, isReset: takeover.reset != nil, lane: lane)
    // Under new settings a room may say something that is over at once.
    partition.forEachDue(at: clock) { room in room.advance(to: clock, lane: lane) }
    var entry = partition.closeEntry(clock: clock, of: configuration.topics)
    entry.takeover = JournalEntry.Takeover(
      shift: takeover.shift, derivation: configuration.derivation, delivery: delivery.kind, topics: configuration.topics,
      reset: takeover.reset)
    active.takeover = nil
    if takeover.reset != nil { active.mustSweep = true }
    return entry
  }

  /// Makes the takeover of a partition whose last owner may still write at once: it must be known to count before anything
  /// it leads to is said.
  func makeClaim(_ active: ActivePartition) -> JournalEntry {
    let lane = Lane(UnsaidTarget(active.unsaid))
    var entry = makeTakeover(active, active.takeover!, lane: lane)
    entry.saidTo = active.terms.saidTo
    active.claim = entry
    return entry
  }

  /// Begins a sweep if enough has come in to be worth it.
  func isSweepDue(_ active: ActivePartition) -> Bool {
    if active.mustSweep { return true }
    guard !active.records.isSweeping, active.partition.n > active.sweptAtEntry else { return false }
    return active.records.takenSince >= configuration.checkpointGifts
      || edges.time.monotonicMs() - active.sweptAt >= Int64(configuration.checkpointIntervalMs)
  }

  /// Begins a sweep, right after the entry `partition.n` was made.
  /// - Parameter journalOffset: what comes above that entry stands at this offset or behind it.
  func beginSweep(_ active: ActivePartition, journalOffset: Int64, term: Int64?) {
    active.mustSweep = false
    active.sweptAt = edges.time.monotonicMs()
    active.records.begin(
      active.partition, journalOffset: journalOffset, term: term, derivation: configuration.derivation)
    active.sweptAtEntry = active.partition.n
  }

  /// Ends a transaction that failed, if one is open, and goes on with new producers.
  func endTransaction(isOpen: Bool, after fault: TransactionFault) {
    if case .abort = fault {
      if !isOpen { return }
      do throws(TransactionFault) {
        // Quicker than if the new producer has to find it open.
        try edges.output.abort()
      } catch {
        log.warning("the transaction could not be aborted: \(.reason, error.reason)")
      }
    }
    renewProducers()
  }

  static let handOverMs: Int64 = 1000
}
