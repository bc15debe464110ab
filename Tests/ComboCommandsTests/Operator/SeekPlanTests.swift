import ComboCore
import ComboWire
import Testing

@testable import ComboCommands

@Suite("A seek's plan")
struct SeekPlanTests {
  private static func place(_ stands: Int64?, to target: Int64?, isNew: Bool = false) -> SeekPlan.Place {
    SeekPlan.Place(partition: 0, first: 10, end: 50, stands: stands, isNew: isNew, target: target)
  }

  @Test("moves a group forwards, and never back, beyond the end, or to what is deleted")
  func refusals() {
    #expect(Self.place(20, to: 30).refusal(namesOffsets: true) == nil && Self.place(20, to: 30).moves)
    #expect(Self.place(20, to: 20).refusal(namesOffsets: true) == nil && !Self.place(20, to: 20).moves)
    #expect(Self.place(nil, to: nil, isNew: true).refusal(namesOffsets: true)?.hasSuffix("Add 0:10") == true)
    #expect(Self.place(nil, to: nil, isNew: true).refusal(namesOffsets: false) == nil)
    #expect(Self.place(20, to: nil).refusal(namesOffsets: true) == nil && !Self.place(20, to: nil).moves)
    #expect(Self.place(20, to: 19).refusal(namesOffsets: true)?.contains("1 record twice") == true)
    #expect(Self.place(20, to: 51).refusal(namesOffsets: true)?.contains("beyond its end") == true)
    #expect(Self.place(nil, to: 12, isNew: true).refusal(namesOffsets: true) == nil && Self.place(nil, to: 12, isNew: true).moves)
    #expect(Self.place(nil, to: 9, isNew: true).refusal(namesOffsets: true)?.contains("deleted") == true)
  }

  @Test("tells the time, how many rooms begin a new epoch, and an output that is another group's")
  func consequences() {
    var plan = SeekPlan(places: [Self.place(20, to: 30)], time: 1_000_000_000_000, now: 999_999_999_999)
    plan.places[0].rooms = 3
    let text = plan.text(isDryRun: true)
    #expect(text.hasPrefix("to 2001-09-09T01:46:40.000Z, which is in the future: to the end\n"), "\(text)")
    #expect(
      text.contains("up to 10 records are skipped, and 3 rooms begin a new epoch: gifts that wait there are not shown\n"),
      "\(text)")
    #expect(text.contains("\nTo let another group begin where this one is now: --to-offset 0:20\n"), "\(text)")
    #expect(!text.contains("if another group"))
    plan.hasForeignOutput = true
    #expect(plan.text(isDryRun: true).contains("Note: \(TopicFindings.foreignOutput.text). "))
  }

  @Test("does nothing at all if one partition is refused")
  func whole() {
    let plan = SeekPlan(places: [Self.place(20, to: 30), Self.place(20, to: 19)])
    #expect(plan.isRefused && plan.text(isDryRun: false).hasSuffix("Nothing was done.\n"))
    #expect(SeekPlan(places: [], unknown: [7]).isRefused)
  }

  @Test("tells how many waiting gifts are lost, and how to show them first; nothing of it if none waits")
  func waiting() {
    var plan = SeekPlan(places: [Self.place(20, to: 30)])
    plan.places[0].waiting = 4458
    var text = plan.text(isDryRun: true)
    #expect(text.contains("new epoch: 4,458 gifts that wait there are not shown\n"), "\(text)")
    #expect(text.contains("pause the producers, and wait until combo_rooms is 0.\n"), "\(text)")
    plan.places[0].waiting = 0
    text = plan.text(isDryRun: true)
    #expect(text.contains(" a new epoch\n") && !text.contains("combo_rooms"), "\(text)")
  }

  @Test("tells what --yes would not go on with: members, another map, other settings, a partition that cannot be taken over")
  func hindrances() {
    var plan = SeekPlan(places: [Self.place(20, to: 30)])
    #expect(plan.text(isDryRun: true).hasSuffix("this was a dry run. Add --yes to do it.\n"))
    plan.members = 2
    let old = Derivation(settings: Settings(), rules: Rules(version: 2), limits: WireLimits())
    var new = old
    new.settings.slots = 1
    new.mapping = "{}"
    for _ in 0..<2 { plan.add(changesFrom: old, to: new) }
    let text = plan.text(isDryRun: true)
    #expect(text.contains("The group ran without a map until now, and --yes would continue with a map"), "\(text)")
    #expect(text.contains("Settings would change: slots \(old.settings.slots) → 1. "), "\(text)")
    #expect(plan.changes.count == 2, "\(text)")
    #expect(text.contains("The group has 2 members: stop all its instances, then add --yes."), "\(text)")
    plan.places[0].fault = "the journal is broken"
    #expect(plan.isRefused && plan.text(isDryRun: true).contains("partition 0: refused: the journal is broken\n"))
  }
}
