package import ComboEdge
internal import Synchronization

/// The state of its group's topics that this process remembers across fresh starts. If brokers have lost records, in an unclean
/// election or through a backup, what is left may be consistent: then only the writer knows of the loss. Any thread.
package final class GroupMemory: Sendable {
  /// The last entry of a partition that is known to count. Its output may have been seen.
  package struct Written: Equatable, Sendable {
    package let n: Int64
    package let clock: Int64
    /// The input offset after it, or where the input ended after its brokers had lost records, if that is less.
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
    /// The former end, and the current one.
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

  /// Records that a partition of the input ends here, although more was consumed, so that what is written behind it is new.
  func inputEnds(_ partition: Int32, at end: Int64) {
    state.withLock { state in
      guard let written = state.written[partition], written.offset > end else { return }
      state.written[partition] = Written(n: written.n, clock: written.clock, offset: end)
    }
  }

  /// Records where partitions of a topic end.
  /// - Returns: Those that two checks in a row found shorter than before: a single broker may be frozen, with an outdated state.
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

  /// Returns the end of a partition that the last check found; nil if it was not checked.
  package func end(_ topic: Topic, _ partition: Int32) -> Int64? {
    state.withLock { $0.ends[Place(topic: topic, partition: partition)] }
  }

  /// Whether the last check found a partition that seems shorter.
  package var doubts: Bool { state.withLock { !$0.lower.isEmpty } }

  /// Compares the brokers' cluster with that of this process's start.
  /// - Returns: The id of the former cluster, if it is another one; nil if it is the same.
  package func formerCluster(than id: String) -> String? {
    state.withLock { state in
      let first = state.clusterID ?? id
      state.clusterID = first
      return first == id ? nil : first
    }
  }
}
