internal import ComboEdge
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// Publishes the rooms' instructions, and decides when journal entries are made. Called by the loop's thread only.
///
/// Calls go one way: the loop calls the delivery, and acts on the outcome that it returns.
protocol Delivery: AnyObject {
  var parts: ServiceParts { get }
  /// The outcome of the call in progress.
  var outcome: DeliveryOutcome { get set }
  /// The target of the rooms' instructions in this delivery.
  var outboxes: OutboxPool { get }
  /// Whether records may be consumed now; if not, ``turn()`` waits for acknowledgements.
  /// - Parameter polled: The number of records of the last poll.
  func takesIn(polled: Int) -> Bool
  /// Whether a transaction is open, which losing a partition voids.
  var isOpen: Bool { get }

  /// Replaces the producers, and ends open transactions of the old ones.
  func renew() throws(EdgeError)
  /// Called before output of the consumed records is produced.
  func willProduce()
  /// Publishes a record that is not an event.
  func produce(_ letter: DeadLetter, of active: ActivePartition)
  /// Returns how long the loop may wait for records, in milliseconds.
  func waitMs() -> Int32
  /// Performs the work that is due. ``OutputEdge/serve()`` is called once its outcome is acted on.
  func turn() -> DeliveryOutcome

  /// Begins to take over partitions that were restored: their takeovers must be written.
  func begin(_ restored: [ActivePartition]) -> DeliveryOutcome
  /// Starts consuming a partition whose takeover counts, from its owner's position. `takeover` is the offset of that entry in the
  /// journal; no other entry counts before `position`.
  func claimed(_ active: ActivePartition, takeover: Int64, position: Int64) -> DeliveryOutcome
  /// Receives the result of searching a gap of the journal.
  func checked(_ active: ActivePartition, _ check: JournalCheck) -> DeliveryOutcome

  /// Answers queries about rooms, each once all instructions of the room are published.
  func answerQueries()
  /// The monotonic time since which work has been waiting to become durable; nil if none has.
  var uncommittedSince: Int64? { get }

  /// Gives up partitions in an orderly way, and finishes work in progress as far as time permits.
  /// - Parameter isStop: Whether the service ends. If so, all rooms are written if that is possible within
  ///   ``ServiceParts/stopMs``, so that a newer version of the engine's rules can continue.
  func handOver(_ partitions: [Int32], isStop: Bool) -> DeliveryOutcome
  /// Discards work in progress. The caller ends the open transaction.
  func drop()
}

extension Delivery {
  /// Runs the work of a call.
  /// - Returns: The outcome.
  func outcome(of work: () throws(TransactionFault) -> Void) -> DeliveryOutcome {
    do throws(TransactionFault) {
      try work()
    } catch {
      outcome.fault = error
    }
    defer { outcome = DeliveryOutcome() }
    return outcome
  }

  /// Records that work is durable, which began to be written at `began`.
  func becameDurable(_ totals: ServiceTotals, _ arrivals: Arrivals, since began: Int64) {
    outcome.durable = outcome.durable ?? ServiceTotals()
    outcome.durable!.add(totals)
    if !arrivals.batches.isEmpty || totals.instructions > 0 { outcome.hasProgress = true }
    if totals.instructions > 0 { parts.outputMemory.wrote(upTo: parts.partitions.latestActiveClock) }
    let now = parts.edges.time.monotonicMs()
    parts.metrics.committed(afterMs: now - began, monotonic: now)
    parts.metrics.arrived(arrivals, wall: parts.edges.time.wallMs(), monotonic: now)
  }
}

/// The outcome of a call of a delivery.
struct DeliveryOutcome {
  /// The work that became durable; nil if none did.
  var durable: ServiceTotals?
  /// Whether any of it is more than a takeover: each fresh start makes one.
  var hasProgress = false
  /// Why work in progress must be discarded after that, and all partitions restored from the brokers; nil if it continues.
  var fault: TransactionFault?
  /// The topics to which a transaction that failed wrote.
  var topics: Set<Topic> = []
  /// A partition that another owner has taken over, or may have, and that must be restored.
  var overtaken: Int32?
  /// Partitions that the fault stopped before all their rooms were written. Logged after it.
  var unwritten: [ActivePartition] = []
}
