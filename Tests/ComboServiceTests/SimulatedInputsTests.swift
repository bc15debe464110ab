import ComboEdge
import ComboWire
import Testing

@testable import ComboSimulation
@testable import ComboTestSupport

/// Three services, each of an input of its own, that have one output in common and rooms with equal ids.
@Suite("The services of several inputs on a simulated cluster")
struct SimulatedInputsTests {
  /// The number of seeds if COMBO_SIM_SEEDS is not set.
  private static var seedsMax: Int {
    #if DEBUG
      120
    #else
      10_000
    #endif
  }

  private static var count: Int { max(3, (SimulationTests.setting("COMBO_SIM_SEEDS") ?? seedsMax) / 40) }

  @Test("each is exact whatever happens to the others, though they write rooms with equal ids to one output")
  func seeds() {
    let first = SimulationTests.setting("COMBO_SIM_FIRST") ?? 1
    var shared = 0
    for seed in first..<first + Self.count {
      let (faults, sharedRooms) = Self.run(seed: UInt64(seed))
      shared += sharedRooms
      #expect(
        faults == [],
        "seed \(seed); again: COMBO_SIM_FIRST=\(seed) COMBO_SIM_SEEDS=1 swift test --filter SimulatedInputsTests")
    }
    #expect(shared > 0, "no room has instructions of several inputs")
  }

  /// Runs the stories of a seed. Returns the faults found, and the number of rooms whose instructions are of several inputs.
  private static func run(seed: UInt64) -> (faults: [String], sharedRooms: Int) {
    var random = SplitMix64(seed: seed)
    var stories: [SimStory] = []
    for input in ["gifts-a", "gifts-b", "gifts-c"] {
      stories.append(SimStory(seed: random.next() >> 16, input: input, beside: stories.first))
    }
    for story in stories { story.begin() }
    var running = stories
    while !running.isEmpty {
      let index = random.below(running.count)
      if !running[index].advance() { running.remove(at: index) }
    }
    var faults: [String] = []
    for story in stories { faults += story.finish().map { "\(story.world.topics.input): \($0)" } }
    // The others wrote on after the first was at rest.
    for story in stories { faults += story.audit().map { "\(story.world.topics.input), later: \($0)" } }

    var inputs: [[UInt8]: Set<String>] = [:]
    let broker = stories[0].world.broker
    for number in broker.partitions(.output) {
      for record in broker.log(.output, number).records where record.isCommitted {
        guard let owner = stories.first(where: { $0.world.owns(record) }) else {
          faults.append("offset \(record.offset) of the output's partition \(number) names no input")
          continue
        }
        inputs[record.key!, default: []].insert(owner.world.topics.input)
      }
    }
    return (faults, inputs.values.count { $0.count > 1 })
  }
}
