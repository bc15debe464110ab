/// The combos that have left and can still continue: a list through the combos, in the order in which they left.
///
/// They expire in that order, unless `reuse_ms` was lowered meanwhile, and are removed at the front of the list.
/// ``HistoryDeadlines`` is created when a separate order is needed, because a combo expires before its predecessors or has a
/// pending final.
struct History {
  private(set) var first: Int32 = -1
  private var last: Int32 = -1
  private(set) var count: Int32 = 0

  init() {}

  /// Whether any combo has a pending final.
  @inline(__always)
  func hasFinals(_ combos: Combos) -> Bool { combos.orders?.deadlines.map { $0.finalCount > 0 } ?? false }

  /// The final that is due first, with its time, or nil if there is none.
  @inline(__always)
  func nextFinal(_ combos: Combos) -> (combo: Int32, due: Int64)? {
    guard let deadlines = combos.orders?.deadlines, deadlines.finalCount > 0, let entry = deadlines.finals.first else {
      return nil
    }
    return (entry.index, entry.time)
  }

  /// Adds a combo that is not in the history.
  /// - Parameter final: The data of its pending final, or nil if there is none.
  mutating func add(
    _ combo: Int32, total: Int, expiry: Int64, final: UnsafeMutablePointer<PastRun>?, _ combos: inout Combos
  ) {
    combos.retain(combo)
    combos[combo].historyTotal = total
    combos[combo].historyExpiry = expiry
    unsafe combos[combo].final = unsafe final
    combos[combo].previous = last
    combos[combo].next = -1
    let isLate = last >= 0 && expiry < combos[last].historyExpiry
    if last >= 0 { combos[last].next = combo } else { first = combo }
    last = combo
    count += 1
    if let deadlines = combos.orders?.deadlines {
      remember(combo, combos, deadlines)
    } else if unsafe isLate || final != nil {
      combos.orders = combos.orders ?? ComboOrders()
      order(combos)
    }
  }

  /// Rebuilds the order.
  func order(_ combos: Combos) {
    let deadlines = HistoryDeadlines()
    combos.orders?.deadlines = deadlines
    forEach(combos) { remember($0, combos, deadlines) }
  }

  private func remember(_ combo: Int32, _ combos: Combos, _ deadlines: HistoryDeadlines) {
    let expiry = combos[combo].historyExpiry
    if let final = unsafe combos[combo].final {
      unsafe deadlines.finals.push(.init(time: expiry + 1, number: final.pointee.number, index: combo))
      deadlines.finalCount += 1
    } else {
      deadlines.plain.push(.init(time: expiry, number: 0, index: combo))
    }
  }

  /// Removes a combo whose history is used up or forgotten.
  mutating func forget(_ combo: Int32, _ combos: inout Combos, _ store: inout ByteStore) {
    unlink(combo, combos)
    combos[combo].historyTotal = 0
    count -= 1
    let final = unsafe combos[combo].final
    unsafe combos[combo].final = nil
    unsafe final?.deallocate()
    if let deadlines = combos.orders?.deadlines {
      if unsafe final != nil { deadlines.finalCount -= 1 }
      if count == 0 {
        combos.orders?.deadlines = nil
      } else {
        dropStaleFinals(deadlines, combos)
        let plain = count - deadlines.finalCount
        if deadlines.plain.isStale(plain) || deadlines.finals.isStale(deadlines.finalCount) { order(combos) }
      }
    }
    combos.release(combo, in: &store)
  }

  private func dropStaleFinals(_ deadlines: HistoryDeadlines, _ combos: Combos) {
    while let entry = deadlines.finals.first {
      if combos.isInUse(entry.index), let final = unsafe combos[entry.index].final, unsafe final.pointee.number == entry.number {
        return
      }
      deadlines.finals.popFirst()
    }
  }

  /// Removes expired combos without a pending final.
  @inline(__always)
  mutating func dropExpired(before now: Int64, _ combos: inout Combos, _ store: inout ByteStore) {
    if combos.orders?.deadlines != nil { return dropExpiredInOrder(before: now, &combos, &store) }
    while first >= 0, combos[first].historyExpiry < now { forget(first, &combos, &store) }
  }

  @inline(never)
  private mutating func dropExpiredInOrder(before now: Int64, _ combos: inout Combos, _ store: inout ByteStore) {
    while let deadlines = combos.orders?.deadlines, let entry = deadlines.plain.first, entry.time < now {
      deadlines.plain.popFirst()
      let combo = entry.index
      if combos.isInUse(combo), combos[combo].hasHistory, unsafe combos[combo].final == nil,
        combos[combo].historyExpiry == entry.time
      {
        forget(combo, &combos, &store)
      }
    }
  }

  mutating func removeAll(_ combos: inout Combos, _ store: inout ByteStore) {
    combos.orders?.deadlines = nil
    while first >= 0 { forget(first, &combos, &store) }
  }

  func shift(by milliseconds: Int64, _ combos: Combos) {
    forEach(combos) { combos[$0].historyExpiry += milliseconds }
    combos.orders?.deadlines?.plain.shift(by: milliseconds)
    combos.orders?.deadlines?.finals.shift(by: milliseconds)
  }

  /// Calls `body` with each combo, in the order in which they left.
  @inline(__always)
  func forEach(_ combos: Combos, _ body: (Int32) -> Void) {
    var combo = first
    while combo >= 0 {
      body(combo)
      combo = combos[combo].next
    }
  }

  private mutating func unlink(_ combo: Int32, _ combos: Combos) {
    let (previous, next) = (combos[combo].previous, combos[combo].next)
    if previous >= 0 { combos[previous].next = next } else { first = next }
    if next >= 0 { combos[next].previous = previous } else { last = previous }
  }
}

/// The deadlines of the combos in the history.
final class HistoryDeadlines {
  /// The expiries of combos without a final. An entry is stale if its combo has no history with that expiry.
  var plain = DeadlineHeap()
  /// The due times of finals. An entry is stale if its combo has no final with that number.
  var finals = DeadlineHeap()
  /// The number of combos with a final.
  var finalCount: Int32 = 0
}
