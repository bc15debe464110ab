import ComboCore
import ComboRooms
import ComboWire
import Testing

@testable import ComboService
@testable import ComboSimulation

/// The frequency of commits while more input waits than can be processed soon.
@Suite("A backlog on a simulated cluster")
struct SimulatedBacklogTests {
  /// Returns the milliseconds from each commit to the next while a backlog of one room is processed.
  /// - Parameters:
  ///   - earlier: A room that has many banners to show when the backlog begins.
  ///   - meanwhile: A room that receives a gift with every turn.
  private func gaps(backlogMin: Int64, earlier: String? = nil, meanwhile: String? = nil) -> [Int64] {
    let scene = SimScene(partitions: 2)
    scene.configuration.backlogMin = backlogMin
    scene.world.batchMax = 4
    let instance = scene.start()
    scene.gift()
    if let earlier { for n in 0..<200 { scene.gift(earlier, sender: "u\(n)") } }
    scene.settle(instance)
    for _ in 0..<4000 { scene.gift() }
    var times: [Int64] = []
    while instance.service.totals.events < 1500, times.count < 1000 {
      if let meanwhile { scene.gift(meanwhile) }
      let before = instance.service.totals.commits
      scene.turn(instance)
      if instance.service.totals.commits > before { times.append(scene.world.clock.monotonic) }
    }
    #expect(scene.finish() == [])
    return zip(times, times.dropFirst()).map { $1 - $0 }
  }

  private var elsewhere: String {
    let home = SimBroker.partition(of: Array("r".utf8), 2)
    return (0...).lazy.map { "other-\($0)" }.first { SimBroker.partition(of: Array($0.utf8), 2) != home }!
  }

  @Test("in a backlog a commit waits for up to five intervals, but for one if a partition that has caught up gets a gift")
  func intervals() {
    // The interval is 20 ms; a turn of the simulation takes some more.
    let stretched = gaps(backlogMin: 2)
    #expect(stretched.max()! > 60 && stretched.max()! < 140, "\(stretched)")
    let quiet = gaps(backlogMin: 2, earlier: elsewhere)
    #expect(quiet.max()! > 60 && quiet.max()! < 140, "\(quiet)")
    let usual = gaps(backlogMin: 10_000)
    #expect(usual.max()! < 60, "\(usual)")
    let mixed = gaps(backlogMin: 2, meanwhile: elsewhere)
    #expect(mixed.max()! < 60, "\(mixed)")
  }

  @Test("whatever the interval, a transaction is committed long before its coordinator aborts it, after 10 s")
  func longIntervals() {
    #expect([1, 100, 800, 2000, 5000].map(TransactionDelivery.stretchedMs) == [5, 500, 4000, 4000, 5000])
  }
}
