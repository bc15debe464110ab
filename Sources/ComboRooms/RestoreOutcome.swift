package import ComboCore
package import ComboEdge

/// The result of restoring a partition.
package enum RestoreOutcome {
  case restored(RestoredPartition)
  /// The service must not continue: something has to be fixed first.
  case refused(String)
  /// The same, because another version of the engine's rules made entries that must be run again.
  case otherRules(Rules, String)
  /// The findings contradict each other. Believe this only if it stays so.
  case doubtful(String)
  /// It may work later.
  case failed(String)
  /// Somebody has deleted this topic.
  case gone(Topic)
  /// It is not needed any more.
  case stopped
  /// It was only looked whether all fits together, and it does; this is the time to which the partition has come, the rules that it
  /// follows, and what of the state topic is ignored.
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
