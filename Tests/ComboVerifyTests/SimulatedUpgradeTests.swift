import ComboCore
import ComboEdge
import ComboRooms
import ComboService
import ComboWire
import Testing

@testable import ComboSimulation
@testable import ComboVerify

/// Owners with different versions of the engine's rules. Where a program lacks one, the versions are made up: both derive the
/// same, so that what the later one continues from can be proved from the first entry on.
@Suite("Upgrades of the engine's rules on a simulated cluster")
struct SimulatedUpgradeTests {
  private static let old = Rules.newest
  private static let new = Rules(version: old.version + 1)

  private func scene(_ delivery: JournalEntry.Delivery, seed: UInt64 = 1) -> SimScene {
    let scene = SimScene(seed: seed, rooms: 6)
    scene.configuration.delivery = delivery
    return scene
  }

  /// Sends gifts to rooms that stay awake, some of them with banners that are due soon.
  private func burst(_ scene: SimScene, _ instance: SimInstance, gifts: Int = 30) {
    for number in 0..<gifts {
      scene.gift("r\(number % 6)", sender: "u\(number % 4)", count: 1 + number % 3)
      scene.turn(instance, 2)
    }
  }

  private func newer(_ scene: SimScene) -> ServiceConfiguration {
    var configuration = scene.configuration
    configuration.rules = .pinned(Self.new)
    configuration.knownRules = Self.new...Self.new
    return configuration
  }

  @Test(
    "after a clean stop a partition continues under newer rules, without a reset",
    arguments: JournalEntry.Delivery.allCases, 1...20)
  func cleanStop(delivery: JournalEntry.Delivery, seed: Int) {
    let scene = scene(delivery, seed: UInt64(seed))
    // Sweeps take several commits, so that one may be in progress at the stop.
    scene.configuration.sweepBudget = 200
    scene.configuration.checkpointIntervalMs = seed % 3 == 0 ? 100 : 1_000_000
    let first = scene.start()
    burst(scene, first)
    scene.turn(first, seed)
    scene.world.stop(first)
    let before = scene.entries.last!
    #expect(before.rooms > 0, "a stop with no room awake proves little")
    scene.configuration = newer(scene)
    let second = scene.start("b")
    burst(scene, second)
    scene.settle(second)
    #expect(scene.world.ends == [])
    #expect(second.service.totals.resets == 0)
    let takeover = scene.entries.first { $0.n == before.n + 1 }?.takeover
    #expect(takeover?.derivation.rules == Self.new && takeover?.reset == nil)
    #expect(scene.finish() == [])
  }

  @Test(
    "after a kill a program that has both rules derives the entries of the old ones by those, and continues under the newer ones",
    arguments: JournalEntry.Delivery.allCases, 1...20)
  func kill(delivery: JournalEntry.Delivery, seed: Int) {
    let scene = scene(delivery, seed: UInt64(seed))
    scene.configuration.rules = .oldest
    let first = scene.start()
    burst(scene, first)
    scene.turn(first, seed)
    scene.world.kill(first)
    scene.configuration.rules = .newest
    let second = scene.start("b")
    burst(scene, second)
    scene.world.kill(second)
    // An owner that does not know which rules the group can follow does not return to older ones.
    scene.configuration.rules = .auto
    let third = scene.start("c")
    burst(scene, third)
    scene.settle(third)
    #expect(second.service.totals.resets + third.service.totals.resets == 0)
    let rules = scene.entries.compactMap { $0.takeover?.derivation.rules }
    #expect(rules == rules.sorted() && Set(rules) == [.oldest, .newest])
    #expect(scene.finish() == [])
  }

  /// Returns the configuration of the previous release, which has only the oldest rules and does not report them.
  private func releaseBefore(_ scene: SimScene) -> ServiceConfiguration {
    var configuration = scene.configuration
    configuration.rules = .oldest
    configuration.knownRules = Rules.oldest...Rules.oldest
    return configuration
  }

  /// Runs an instance until its partition has switched to the newest rules.
  private func settleOver(_ scene: SimScene, _ instance: SimInstance) {
    for _ in 0..<40 where rules(scene).last != .newest { scene.turn(instance, 20) }
  }

  private func rules(_ scene: SimScene) -> [Rules] { scene.entries.compactMap { $0.takeover?.derivation.rules } }

  @Test(
    "a group changes over by itself once every member could follow for a while, and until then the release before continues with it",
    arguments: JournalEntry.Delivery.allCases, 1...2)
  func goesOver(delivery: JournalEntry.Delivery, seed: Int) {
    let scene = scene(delivery, seed: UInt64(seed))
    scene.configuration.rulesGraceMs = 300
    let old = scene.world.start("a", releaseBefore(scene))
    burst(scene, old)
    scene.world.kill(old)
    let new = scene.start("b")
    burst(scene, new)
    scene.world.kill(new)
    // After this rollback, an entry that the old release cannot read would end it.
    let back = scene.world.start("a", releaseBefore(scene))
    burst(scene, back)
    scene.settle(back)
    #expect(Set(rules(scene)) == [.oldest])
    scene.world.kill(back)
    let last = scene.start("b")
    settleOver(scene, last)
    burst(scene, last)
    scene.settle(last)
    #expect(rules(scene).last == .newest)
    #expect(rules(scene) == rules(scene).sorted())
    #expect(scene.world.ends == [] && last.service.totals.resets == 0)
    #expect(scene.finish() == [])
  }

  @Test("a member that cannot follow keeps the whole group under the rules that it has")
  func waitsForAll() {
    let scene = scene(.exactlyOnce)
    scene.world.hears = true
    scene.configuration.rulesGraceMs = 300
    let old = scene.world.start("a", releaseBefore(scene))
    burst(scene, old)
    let new = scene.start("b")
    for _ in 0..<400 {
      scene.turn(old)
      scene.turn(new)
    }
    #expect(Set(rules(scene)) == [.oldest])
    func count(_ words: String) -> Int { scene.world.heard.count { $0.contains(words) } }
    #expect(count("every member of the group offers rules 3") == 0)
    scene.world.stop(old)
    settleOver(scene, new)
    #expect(rules(scene).last == .newest)
    #expect(count("every member of the group offers rules 3") == 1)
    #expect(scene.finish() == [])
  }

  @Test("a new group begins under the newest rules, unless others are pinned")
  func newGroup() {
    for (choice, expected) in [(RulesChoice.auto, Rules.newest), (.oldest, .oldest)] {
      let scene = scene(.exactlyOnce)
      scene.configuration.rules = choice
      let first = scene.start()
      burst(scene, first)
      scene.settle(first)
      #expect(Set(rules(scene)) == [expected])
    }
  }

  @Test("pinned older rules are followed again if nothing needs the newer ones, and then the release before continues")
  func pinnedBack() {
    let scene = scene(.exactlyOnce)
    let first = scene.start()
    burst(scene, first)
    scene.settle(first)
    scene.world.stop(first)
    scene.configuration.rules = .oldest
    let second = scene.start("b")
    burst(scene, second)
    scene.settle(second)
    scene.world.stop(second)
    let third = scene.world.start("c", releaseBefore(scene))
    burst(scene, third)
    scene.settle(third)
    #expect(rules(scene) == [.newest, .oldest, .oldest])
    #expect(scene.world.ends == [] && third.service.totals.resets == 0)
    #expect(scene.finish() == [])
  }

  @Test("a partition whose rooms have what pinned older rules do not know stays with its own, until they have not")
  func needsNewer() {
    let scene = scene(.exactlyOnce)
    let first = scene.start()
    burst(scene, first)
    scene.world.put("r1", #"{"sender":{"id":"u9"},"gift":{"id":"g"},"linger_ms":5000}"#)
    scene.turn(first, 20)
    scene.world.stop(first)
    scene.configuration.rules = .oldest
    let second = scene.start("b")
    burst(scene, second)
    scene.settle(second)
    let end = scene.world.broker.clock.monotonic + 60_000
    for _ in 0..<100_000 where scene.world.broker.clock.monotonic < end { scene.turn(second) }
    scene.world.stop(second)
    let third = scene.start("c")
    burst(scene, third)
    scene.settle(third)
    #expect(rules(scene) == [.newest, .newest, .oldest])
    #expect(scene.world.ends == [] && third.service.totals.resets == 0)
    #expect(scene.finish() == [])
  }

  @Test("after a crash it is refused with a sentence that names the remedy", arguments: JournalEntry.Delivery.allCases)
  func crash(delivery: JournalEntry.Delivery) {
    let scene = scene(delivery)
    let first = scene.start()
    burst(scene, first)
    scene.settle(first)
    scene.world.kill(first)
    let written = scene.writtenEntries.count
    scene.world.expectsErrors = true
    let second = scene.world.start("b", newer(scene))
    for _ in 0..<3000 where !second.isDead { scene.turn(second) }
    #expect(scene.world.ends.count == 1)
    let sentence = scene.world.ends.first ?? ""
    #expect(sentence.contains("version \(Self.old) of the engine's rules made"), "\(sentence)")
    #expect(sentence.contains("SIGTERM") && sentence.contains("--accept-reset"), "\(sentence)")
    #expect(scene.writtenEntries.count == written)
    // The remedy in the sentence works.
    let again = scene.start("a")
    scene.gift("r1")
    scene.settle(again)
    scene.world.stop(again)
    let third = scene.world.start("b", newer(scene))
    scene.gift("r1")
    scene.settle(third)
    #expect(third.service.totals.events == 1 && third.service.totals.resets == 0, "\(scene.world.ends)")
  }

  @Test("after a crash it is reset if that is accepted, and later owners need not accept it again")
  func accepted() {
    let scene = scene(.exactlyOnce)
    let first = scene.start()
    burst(scene, first)
    scene.settle(first)
    scene.world.kill(first)
    scene.configuration = newer(scene)
    var accepting = scene.configuration
    accepting.acceptsReset = true
    let second = scene.world.start("b", accepting)
    for _ in 0..<3000 where !second.service.hasTakenOver { scene.turn(second) }
    #expect(second.service.totals.resets == 1, "\(scene.world.ends)")
    burst(scene, second)
    scene.settle(second)
    scene.world.kill(second)
    let reset = scene.entries.compactMap { $0.takeover?.reset }
    #expect(reset.count == 1 && reset.first?.reason.contains("a reset was accepted") == true)
    let third = scene.start("c")
    scene.gift("r1")
    scene.settle(third)
    #expect(third.service.totals.events == 1 && third.service.totals.resets == 0, "\(scene.world.ends)")
  }

  @Test("after a clean stop of the newer version the older one continues, as nothing is to be derived")
  func rollback() {
    let scene = scene(.exactlyOnce)
    let first = scene.world.start("b", newer(scene))
    burst(scene, first)
    scene.settle(first)
    scene.world.stop(first)
    let second = scene.start("a")
    scene.gift("r1")
    scene.settle(second)
    #expect(second.service.totals.events == 1 && second.service.totals.resets == 0, "\(scene.world.ends)")
  }

  @Test("a stop without enough time to write all rooms is logged")
  func tooLate() {
    let scene = scene(.exactlyOnce)
    scene.world.hears = true
    // No commit has room for a snapshot.
    scene.configuration.sweepBudget = 0
    let first = scene.start()
    burst(scene, first)
    scene.settle(first)
    scene.world.clock.moves = 1
    scene.world.stop(first)
    #expect(scene.world.heard.contains { $0.contains("was stopped before all its rooms were written") })
  }

  @Test("verify derives the output of its own version, and counts the rest as not provable")
  func verified() throws {
    let verify = VerifyingScene()
    let scene = verify.scene
    let first = scene.start()
    burst(scene, first)
    scene.world.stop(first)
    let old = scene.entries.count
    scene.configuration = newer(scene)
    let second = scene.start("b")
    burst(scene, second)
    scene.settle(second)
    let all = scene.entries.count
    let byNewer = try verify.report(rules: Self.new)
    #expect(byNewer.faults == [] && byNewer.isProven)
    #expect(byNewer.entriesOfOtherRules == [Self.old: old] && byNewer.entries == all - old)
    #expect(byNewer.unprovenInstructions > 0)
    // The second owner's instructions are derived for all rooms, as it began from the first one's last snapshots.
    #expect(byNewer.tally.equal + byNewer.unprovenInstructions == byNewer.instructions)
    let byOlder = try verify.report(rules: Self.old)
    #expect(byOlder.faults == [] && byOlder.isProven)
    #expect(byOlder.entriesOfOtherRules == [Self.new: all - old] && byOlder.entries == old)
    #expect(byNewer.tally.equal + byOlder.tally.equal == byNewer.instructions)
    let byAnother = try verify.report(rules: Rules(version: Self.new.version + 1))
    #expect(byAnother.faults == [] && !byAnother.isProven && byAnother.unprovenInstructions == byAnother.instructions)
    #expect(byAnother.summary.contains("only a program with that version derives them"))
  }

  @Test("altered records are found by the version that wrote them")
  func altered() throws {
    let verify = VerifyingScene()
    let scene = verify.scene
    let first = scene.start()
    burst(scene, first)
    scene.world.stop(first)
    scene.configuration = newer(scene)
    let second = scene.start("b")
    burst(scene, second)
    scene.settle(second)
    for partition in scene.world.broker.partitions(.output) {
      let log = scene.world.broker.log(.output, partition)
      guard let last = log.records.lastIndex(where: \.isCommitted) else { continue }
      log.alter(last) { record in
        let text = String(decoding: record.value!, as: UTF8.self)
        record.value = Array(text.replacing(#""op":""#, with: #""op":"x"#).utf8)
      }
    }
    #expect(try verify.report(rules: Self.new).faults != [])
  }
}

/// A scene that is verified with a made-up version.
private struct VerifyingScene {
  let scene = SimScene(rooms: 6)

  func report(rules: Rules) throws -> VerifyReport {
    scene.world.broker.settleAll()
    var options = Verifier.Options()
    options.rules = rules...rules
    options.placement = { key, count in Int(SimBroker.partition(of: [UInt8](key), count)) }
    return try Verifier(SimReadEdge(scene.world.broker, instance: nil), topics: scene.world.topics, options: options).run()
  }
}
