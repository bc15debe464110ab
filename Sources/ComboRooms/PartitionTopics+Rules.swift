internal import ComboCore
internal import ComboWire

/// Upgrades of the engine's rules.
extension PartitionTopics {
  /// Returns how to treat a partition with entries above its checkpoint that were made by rules this program does not have. They
  /// cannot be replayed, so the partition is refused, or reset if that is accepted. After a clean stop there are no such entries.
  /// - Parameter derivation: The derivation of the first entry, unless that is a takeover.
  /// - Returns: nil if this program has the rules of all of them.
  func otherRules(in entries: [JournalEntry], after derivation: Derivation) -> Stop? {
    var rules = derivation.rules
    for entry in entries {
      if let takeover = entry.takeover { rules = takeover.derivation.rules }
      if configuration.knownRules.contains(rules) { continue }
      let next = entries.first { $0.n > entry.n && $0.takeover.map { $0.derivation.rules != rules } ?? false }
      let last = next.map { $0.n - 1 } ?? entries.last!.n
      let what =
        "\(input): version \(rules) of the engine's rules made its entries from \(entry.n) to \(last), and this program has"
        + " version \(configuration.knownRules.upperBound)"
      if configuration.acceptsReset { return .lost(reason: "\(what); a reset was accepted", offsets: 0) }
      return .otherRules(
        rules,
        "\(what), so it cannot run them again: their owner did not stop cleanly. Run the program that made them once and stop it with"
          + " SIGTERM; or, if rooms may begin a new epoch, start this one once with --accept-reset")
    }
    return nil
  }
}
