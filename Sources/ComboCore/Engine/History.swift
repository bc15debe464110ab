/// The combos that are gone and can still be gone on with: a list through the combos, in the order in which they went.
///
/// Expired ones are given up at the front of the list; only after `reuse_ms` was lowered can one expire behind another that
/// lives on, and then it waits there, without effect.
struct History {
  private(set) var first: Int32 = -1
  private var last: Int32 = -1

  init() {}

  /// A combo is gone; an older entry of it is replaced.
  mutating func add(_ combo: Int32, total: Int, expiry: Int64, _ combos: Combos) {
    if combos[combo].hasHistory { unlink(combo, combos) } else { combos.retain(combo) }
    combos[combo].historyTotal = total
    combos[combo].historyExpiry = expiry
    combos[combo].previous = last
    combos[combo].next = -1
    if last >= 0 { combos[last].next = combo } else { first = combo }
    last = combo
  }

  /// A combo's history is used up or forgotten.
  mutating func forget(_ combo: Int32, _ combos: inout Combos, _ store: inout ByteStore) {
    unlink(combo, combos)
    combos[combo].historyTotal = 0
    combos.release(combo, in: &store)
  }

  /// Gives up what has expired, as far as it stands in front.
  @inline(__always)
  mutating func dropExpired(before now: Int64, _ combos: inout Combos, _ store: inout ByteStore) {
    while first >= 0, combos[first].historyExpiry < now { forget(first, &combos, &store) }
  }

  /// Forgets all that `isMeant`.
  mutating func removeAll(
    _ combos: inout Combos, _ store: inout ByteStore, where isMeant: (Int32, Combos, ByteStore) -> Bool
  ) {
    var combo = first
    while combo >= 0 {
      let next = combos[combo].next
      if isMeant(combo, combos, store) { forget(combo, &combos, &store) }
      combo = next
    }
  }

  /// Hands out the combos, the one that went first first.
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
