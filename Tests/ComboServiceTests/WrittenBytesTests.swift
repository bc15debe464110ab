import ComboCore
import ComboGenerate
import ComboRooms
import ComboWire
import Foundation
import Testing

@testable import ComboService
@testable import ComboSimulation

/// Limits on what the service writes besides its output. They do not depend on the speed of the machine, as the clock is virtual.
@Suite("What is written per gift")
struct WrittenBytesTests {
  /// Returns N of the line `service WHAT N` in bench/budget.txt.
  private func budget(_ what: String) throws -> Double {
    let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(3).joined(separator: "/").dropFirst()
    let text = try String(contentsOfFile: "\(root)/bench/budget.txt", encoding: .utf8)
    let line = text.split(separator: "\n").map { $0.split(separator: " ") }.first {
      $0.starts(with: ["service", Substring(what)])
    }
    return try #require(line.flatMap { $0.count > 2 ? Double($0[2]) : nil }, "bench/budget.txt has no line `service \(what) …`")
  }

  @Test("journal and state stay within bench/budget.txt, gift by gift, at 20,000 gifts/s in 2,000 rooms")
  func withinBudget() throws {
    let world = SimWorld(seed: 1, partitions: 8)
    world.clock.moves = 0
    world.batchMax = 2000
    var configuration = ServiceConfiguration(topics: world.topics)
    // Two checkpoints fit into a run that is short enough for a test.
    configuration.checkpointGifts = 2_000
    configuration.hopMin = .max
    let instance = world.start("a", configuration)
    for _ in 0..<50 { world.turn(instance) }
    var mix = GiftMix()
    mix.rooms = 2000
    let generator = GiftGenerator(mix, prefix: "b-")
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: GiftGenerator.longest)
    defer { memory.deallocate() }
    let gifts = 40_000
    for n in 0..<gifts {
      let size = generator.make(at: world.clock.wall, to: memory).size
      world.put(
        SimRecord(
          key: Array(generator.room), value: Array(UnsafeBufferPointer(start: memory, count: size)), timestamp: world.clock.wall))
      if n % 200 == 199 {
        world.clock.advance(10)
        world.turn(instance)
      }
    }
    for _ in 0..<400 where instance.service.totals.events < gifts { world.turn(instance) }
    let totals = instance.service.totals
    #expect(totals.events == gifts)
    for (what, bytes) in [("journal-bytes", totals.journalBytes), ("state-bytes", totals.stateBytes)] {
      let each = Double(bytes) / Double(gifts)
      let most = try budget(what)
      print("service: \(each) \(what) a gift, budget \(most)")
      #expect(each > 0)
      #expect(each <= most, "\(what) a gift: \(((each / most - 1) * 1000).rounded() / 10) % above the budget of bench/budget.txt")
    }
    world.stop(instance)
  }
}
