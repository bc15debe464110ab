import Dispatch
import Foundation
import Synchronization
import Testing

@testable import ComboSimulation

/// Simulations from seeds. COMBO_SIM_SEEDS is their number, COMBO_SIM_FIRST the first seed.
@Suite("The service on a simulated cluster")
struct SimulationTests {
  static func setting(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

  private static var seeds: Int {
    #if DEBUG
      setting("COMBO_SIM_SEEDS") ?? 60
    #else
      setting("COMBO_SIM_SEEDS") ?? 10_000
    #endif
  }

  @Test("whatever happens, each gift counts once and the output can be derived again byte for byte")
  func seeds() {
    let first = Self.setting("COMBO_SIM_FIRST") ?? 1
    let found = Mutex<[(Int, [String])]>([])
    let begun = Atomic<Int>(0)
    let count = Self.seeds
    let began = ContinuousClock.now
    let commits = Atomic<Int>(0)
    let aborts = Atomic<Int>(0)
    let restores = Atomic<Int>(0)
    let threads = max(1, ProcessInfo.processInfo.activeProcessorCount)
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
      while true {
        let number = begun.add(1, ordering: .relaxed).oldValue
        if number >= count || found.withLock({ $0.count >= 5 }) { return }
        let story = SimStory(seed: UInt64(first + number))
        let faults = story.run()
        commits.add(story.world.commits, ordering: .relaxed)
        aborts.add(story.world.aborts, ordering: .relaxed)
        restores.add(story.world.restores, ordering: .relaxed)
        if !faults.isEmpty {
          found.withLock { $0.append((first + number, faults)) }
        }
      }
    }
    for (seed, faults) in found.withLock({ $0 }).sorted(by: { $0.0 < $1.0 }) {
      Issue.record(
        """
        seed \(seed): \(faults.prefix(6).joined(separator: "\n  "))
        Again with the log: COMBO_SIM_FIRST=\(seed) COMBO_SIM_SEEDS=1 COMBO_SIM_LOG=1 swift test --filter SimulationTests
        """)
    }
    print(
      "simulated \(count) seeds from \(first) on: \(commits.load(ordering: .relaxed)) commits, \(aborts.load(ordering: .relaxed)) aborts,"
        + " \(restores.load(ordering: .relaxed)) restores, in \(ContinuousClock.now - began)")
  }

  // Their queues took longer than the simulation waited for them.
  @Test("seeds that once failed", arguments: [703_676, 827_450])
  func failedOnce(seed: UInt64) {
    #expect(SimStory(seed: seed).run() == [])
  }
}
