package import ComboCore
package import ComboEdge

/// The result of restoring a partition.
package enum RestoreOutcome {
  case restored(RestoredPartition)
  /// The service must not continue until something is fixed.
  case refused(String)
  /// Refused, because another version of the engine's rules made entries that must be replayed.
  case otherRules(Rules, String)
  /// The findings contradict each other. This is to be believed only if it persists.
  case doubtful(String)
  /// It may succeed later.
  case failed(String)
  /// The topic was deleted.
  case gone(Topic)
  /// The restore is no longer needed.
  case stopped
  /// An examination found everything consistent: the time that the partition has reached, the rules that it follows, and the
  /// records of the state topic that are ignored.
  case examined(clock: Int64, rules: Rules, PartitionTopics.Strangers?)
}

package struct RestoreResult {
  package let number: Int32
  package let token: Int
  package let outcome: RestoreOutcome

  package init(number: Int32, token: Int, outcome: RestoreOutcome) {
    self.number = number
    self.token = token
    self.outcome = outcome
  }
}
