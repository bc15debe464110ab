import ComboCore
import ComboWire
import Testing

@testable import ComboCommands
@testable import ComboTestSupport

@Suite("A seek's plan")
struct SeekPlanTests {
  private static func place(_ position: Int64?, to target: Int64?, isNew: Bool = false) -> SeekPlan.Place {
    SeekPlan.Place(partition: 0, first: 10, end: 50, position: position, isNew: isNew, target: target)
  }

  @Test("moves a group forwards, and never back, beyond the end, or to deleted records")
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

  @Test("reads as in the snapshot")
  func reference() throws {
    var plan = SeekPlan(places: [Self.place(20, to: 30)], time: 1_000_000_000_000, now: 999_999_999_999)
    var texts = [(title: "a dry run", text: SeekPlan(places: [Self.place(20, to: 30)]).text(isDryRun: true))]
    plan.places[0].rooms = 3
    texts.append(("to a time in the future, with rooms", plan.text(isDryRun: true)))
    plan.places[0].waiting = 4458
    plan.hasForeignOutput = true
    texts.append(("waiting gifts, and an output that another group writes, too", plan.text(isDryRun: true)))
    plan.places[0].waiting = 0
    texts.append(("no gift waits", plan.text(isDryRun: false)))
    plan.members = 2
    let old = Derivation(settings: Settings(), rules: Rules(version: 2), limits: WireLimits())
    var new = old
    new.settings.slots = 1
    new.mapping = "{}"
    for _ in 0..<2 { plan.add(changesFrom: old, to: new) }
    texts.append(("members, another map, other settings", plan.text(isDryRun: true)))
    plan.places[0].fault = "the journal is broken"
    texts.append(("a partition that cannot be taken over", plan.text(isDryRun: true)))
    let refused = SeekPlan(
      places: [
        Self.place(20, to: 19), Self.place(20, to: 51), Self.place(nil, to: 9, isNew: true),
        Self.place(nil, to: nil, isNew: true),
      ], unknown: [7])
    texts.append(("places that are refused", refused.text(isDryRun: false)))
    try GeneratedPart.expect(snapshot: "seek.txt", is: texts)
  }

  @Test("does nothing at all if one partition is refused")
  func whole() {
    let plan = SeekPlan(places: [Self.place(20, to: 30), Self.place(20, to: 19)])
    #expect(plan.isRefused && plan.text(isDryRun: false).hasSuffix("Nothing was done.\n"))
    #expect(SeekPlan(places: [], unknown: [7]).isRefused)
  }
}
