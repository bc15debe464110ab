import ComboCore
import ComboEdge
import ComboRooms
import ComboService
import ComboSystem
import ComboWire
import Testing

@testable import ComboSimulation
@testable import ComboVerify

@Suite("A shadow that follows a group")
struct ShadowTests {
  private func shadow(
    of scene: VerifyScene, _ change: (inout ServiceConfiguration) -> Void = { _ in }
  ) -> Shadow {
    var configuration = scene.scene.configuration
    change(&configuration)
    // Each reading of the clock advances it, so that a lost partition is due at once.
    var now: Int64 = 0
    return Shadow(
      SimReadEdge(scene.broker, instance: nil), configuration, log: ServiceLog(.error) { _ in },
      nowMs: {
        now += 20_000
        return now
      })
  }

  private func round(_ shadow: Shadow, _ scene: VerifyScene) throws {
    scene.broker.settleAll()
    try shadow.round()
  }

  private func scene(_ delivery: JournalEntry.Delivery = .exactlyOnce, checkpointMs: Int = 300) -> VerifyScene {
    let scene = VerifyScene()
    scene.scene.configuration.delivery = delivery
    scene.scene.configuration.checkpointIntervalMs = checkpointMs
    return scene
  }

  @Test(
    "says what the group says, byte for byte, from a checkpoint with rooms awake on, and through a crash",
    arguments: JournalEntry.Delivery.allCases, [100, 300, 1_000_000])
  func same(delivery: JournalEntry.Delivery, checkpointMs: Int) throws {
    let scene = scene(delivery, checkpointMs: checkpointMs)
    let shadow = shadow(of: scene)
    let first = scene.scene.start()
    scene.burst(first)
    try round(shadow, scene)
    #expect(!shadow.report.isCompared && shadow.report.partitions == 1, "what was said before is not compared")
    scene.burst(first)
    try round(shadow, scene)
    #expect(shadow.report.isGood, "\(shadow.report.summary)")
    scene.burst(first)
    scene.scene.world.kill(first)
    let second = scene.scene.start()
    scene.burst(second)
    try round(shadow, scene)
    scene.rest(second)
    scene.burst(second)
    scene.rest(second)
    for _ in 0..<3 { try round(shadow, scene) }
    let report = shadow.report
    #expect(report.isGood && report.isStrict && report.differing == 0 && report.otherRooms == 0, "\(report.summary)")
    #expect(report.restarts == 0 && report.uncompared == 0 && report.equal > 50, "\(report.summary)")
    #expect(report.summary.hasSuffix("byte for byte\n"))
  }

  @Test("an instruction that the output got after the journal was read may be derived in the next round; then it is a difference")
  func ahead() {
    let scene = scene()
    scene.burst(scene.scene.start())
    let record = scene.output("r0")[0].record
    let ledger = ShadowLedger { _ in }
    record.key!.withUnsafeBytes { key in
      record.value!.withUnsafeBytes { value in
        ledger.read(InputRecord(partition: 0, offset: 0, key: key, value: value), round: 1)
      }
    }
    for (round, count) in [(1, 0), (2, 1)] {
      ledger.settle(round: round, isSaid: { _, _ in true }, isOurs: { _ in true }, isAtLeastOnce: false)
      #expect(ledger.report.onlyInGroup == count, "round \(round)")
    }
    #expect(ledger.bytes == 0)
  }

  @Test("finds a byte that differs, an instruction that is missing, and one that was not derived, with their positions")
  func differs() throws {
    let scene = scene()
    let shadow = shadow(of: scene)
    let instance = scene.scene.start()
    scene.burst(instance)
    try round(shadow, scene)
    let before = ["r0", "r1", "r2"].map { scene.output($0).count }
    scene.burst(instance)
    scene.rest(instance)
    scene.spoil("r1")
    scene.output("r0")[before[0] + 2].remove()
    let last = scene.output("r2").last!
    last.set(last.text.replacing(#""seq":"#, with: #""seq":9"#))
    #expect(scene.output("r2").count > before[2])
    for _ in 0..<3 { try round(shadow, scene) }
    let report = shadow.report
    #expect(report.changed == 1 && report.onlyHere == 2 && report.onlyInGroup == 1, "\(report.summary)")
    #expect(!report.isGood && report.otherRooms == 0 && report.equal > 20)
    #expect(report.sentences.contains { $0.contains("room r1, epoch ") && $0.contains("here it is") }, "\(report.sentences)")
    #expect(report.summary.contains("NOT the same: 4 instructions differ"), "\(report.summary)")
  }

  @Test("finds rooms that differ from the journal")
  func rooms() throws {
    let scene = scene()
    let shadow = shadow(of: scene)
    let instance = scene.scene.start()
    scene.burst(instance)
    try round(shadow, scene)
    scene.burst(instance)
    let last = scene.records(.journal).last!
    var entry = try scene.entry(last)
    entry.digest &+= 1
    scene.replace(entry, at: last)
    try round(shadow, scene)
    #expect(shadow.report.otherRooms == 1 && shadow.report.differing == 0 && !shadow.report.isGood, "\(shadow.report.summary)")
  }

  @Test("has the schemas that the group got from a registry", arguments: [false, true])
  func schemas(hasOtherSettings: Bool) throws {
    let scene = scene()
    let registry = SimRegistry()
    registry.answer = SimRegistry.known
    scene.scene.configuration.map = try SimRegistry.map()
    scene.scene.world.schemas = registry
    func gifts(_ ids: Int...) {
      for id in ids { scene.scene.world.put(SimRegistry.gift(id, room: "r", at: scene.scene.world.clock.wall)) }
    }
    let shadow = shadow(of: scene) { if hasOtherSettings { $0.settings.slots = 1 } }
    let instance = scene.scene.start()
    gifts(1, 2)
    scene.rest(instance)
    try round(shadow, scene)
    gifts(1, 2, 3)
    scene.rest(instance)
    for _ in 0..<3 { try round(shadow, scene) }
    let report = shadow.report
    #expect(report.isGood && report.isStrict != hasOtherSettings && report.deadLetters == 0, "\(report.summary)")
    #expect(!report.otherOptions.contains("a different map") && report.equal > 0, "\(report.otherOptions)")
  }

  @Test("with other settings counts the differences, which are no faults, and names the settings")
  func otherSettings() throws {
    let scene = scene()
    let shadow = shadow(of: scene) { $0.settings.slots = 1 }
    let instance = scene.scene.start()
    scene.burst(instance)
    try round(shadow, scene)
    scene.burst(instance)
    scene.rest(instance)
    scene.burst(instance)
    for _ in 0..<3 { try round(shadow, scene) }
    let report = shadow.report
    #expect(report.otherOptions == ["slots 1, in the group \(scene.scene.configuration.settings.slots)"])
    #expect(report.isGood && report.differing > 0 && report.equal > 0, "\(report.summary)")
    #expect(report.operations["show"].map { $0.group > 0 && $0.here > 0 } == true, "\(report.operations)")
    #expect(report.summary.contains("differences are expected"))
  }

  @Test("under newer rules of the engine derives by those, and everything is compared")
  func newerRules() throws {
    let scene = scene(checkpointMs: 1_000_000)
    let shadow = shadow(of: scene) {
      let rules = Rules(version: 4)
      $0.rules = .pinned(rules)
      $0.knownRules = rules...rules
    }
    let instance = scene.scene.start()
    scene.burst(instance)
    try round(shadow, scene)
    scene.burst(instance)
    scene.rest(instance)
    for _ in 0..<3 { try round(shadow, scene) }
    let report = shadow.report
    #expect(report.otherOptions.count == 1 && report.otherOptions[0].contains("engine's rules"), "\(report.otherOptions)")
    // The versions are made up: both derive the same.
    #expect(report.isGood && report.equal > 20 && report.differing == 0, "\(report.summary)")
  }

  @Test("follows a reset, and begins anew from the next checkpoint if it derives by other settings", arguments: [false, true])
  func reset(isOther: Bool) throws {
    let scene = scene(checkpointMs: 100)
    let shadow = shadow(of: scene) { if isOther { $0.settings.slots = 1 } }
    let first = scene.scene.start()
    scene.burst(first)
    try round(shadow, scene)
    scene.scene.world.kill(first)
    for _ in 0..<6 { scene.scene.gift("r1", sender: "u", count: 1) }
    // Gifts that an operator skips are a reset.
    var configuration = scene.scene.configuration
    configuration.purpose = .seek([0: scene.broker.log(.input, 0).end])
    let mover = scene.scene.world.start("mover", configuration)
    scene.scene.turn(mover, 60)
    #expect(mover.service.totals.resets == 1, "\(scene.scene.world.ends)")
    scene.scene.world.kill(mover)
    let second = scene.scene.world.start("b", scene.scene.configuration)
    for _ in 0..<5 {
      scene.burst(second)
      scene.rest(second)
      try round(shadow, scene)
    }
    for _ in 0..<3 { try round(shadow, scene) }
    let report = shadow.report
    #expect(report.isGood && report.partitions == 1 && report.restarts == (isOther ? 1 : 0), "\(report.summary)")
  }
}
