package import ComboEdge
internal import Synchronization

/// What this process knows of its group's topics for as long as it runs, also over fresh starts. Brokers that have lost records, after an
/// unclean election or from a backup, may have nothing left that contradicts itself: then only those who wrote them know. Any thread.
package final class GroupMemory: Sendable {
  /// The last entry of a partition that is known to count. What it led to may have been seen.
  package struct Written: Equatable, Sendable {
    package let n: Int64
    package let clock: Int64
    /// The input offset after it.
    package let offset: Int64

    package init(n: Int64, clock: Int64, offset: Int64) {
      self.n = n
      self.clock = clock
      self.offset = offset
    }
  }

  /// A partition that is shorter than it was.
  package struct Fall: Equatable, Sendable {
    package let topic: Topic
    package let partition: Int32
    /// Where it ended, and where it ends now.
    package let from: Int64
    package let to: Int64
  }

  private struct Place: Hashable {
    let topic: Topic
    let partition: Int32
  }

  private struct State {
    var written: [Int32: Written] = [:]
    var ends: [Place: Int64] = [:]
    var lower: [Place: Int64] = [:]
    var clusterID: String?
  }

  private let state = Mutex(State())

  package init() {}

  package func wrote(_ partition: Int32, _ written: Written) { state.withLock { $0.written[partition] = written } }

  package func written(_ partition: Int32) -> Written? { state.withLock { $0.written[partition] } }

  /// Takes in where partitions of a topic end.
  /// - Returns: those that two looks in a row have found shorter than before: one broker may stand still with what it knew earlier.
  package func ends(_ topic: Topic, _ ends: [(partition: Int32, end: Int64)]) -> [Fall] {
    state.withLock { state in
      ends.compactMap { partition, end in
        let place = Place(topic: topic, partition: partition)
        let before = state.ends[place] ?? end
        if end >= before {
          state.ends[place] = end
          state.lower[place] = nil
          return nil
        }
        // It may have grown again meanwhile.
        guard let lower = state.lower[place], lower <= end else {
          state.lower[place] = end
          return nil
        }
        state.ends[place] = end
        state.lower[place] = nil
        return Fall(topic: topic, partition: partition, from: before, to: lower)
      }
    }
  }

  /// Whether the last look has found a partition that seems shorter.
  package var doubts: Bool { state.withLock { !$0.lower.isEmpty } }

  /// The brokers' cluster.
  /// - Returns: the id of the cluster that they were part of when this process began, if it is another one; nil: the same.
  package func formerCluster(than id: String) -> String? {
    state.withLock { state in
      let first = state.clusterID ?? id
      state.clusterID = first
      return first == id ? nil : first
    }
  }
}
