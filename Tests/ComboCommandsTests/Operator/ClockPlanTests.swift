import Testing

@testable import ComboCommands

@Suite("The plan of reset-clock")
struct ClockPlanTests {
  @Test("brings back what is more than 5 s ahead, says by how much and how many rooms that concerns, and nothing else")
  func ahead() {
    var plan = ClockPlan(now: 1_000_000_000_000)
    plan.places = [
      .init(partition: 0, clock: 1_000_003_600_000, rooms: 1), .init(partition: 1, clock: 1_000_000_005_000, rooms: 7),
      .init(partition: 2, clock: nil, rooms: 0),
    ]
    #expect(plan.ahead.map(\.partition) == [0])
    let text = plan.text(isDryRun: true)
    #expect(
      text.contains("partition 0: its time is 2001-09-09T02:46:40.000Z, 3600000 ms ahead of this machine's clock"), "\(text)")
    #expect(text.contains("1 room begins a new epoch\n"))
    #expect(
      text.contains(
        "partition 1: its time is 2001-09-09T01:46:45.000Z, does not change\npartition 2: has not begun, does not change\n"))
    #expect(text.contains("dry run") && !plan.text(isDryRun: false).contains("dry run"))
    plan.places.removeFirst()
    #expect(plan.text(isDryRun: true).hasSuffix("There is nothing to do.\n"))
  }

  @Test("members are refused with the way to be rid of them, also of those that have stopped")
  func members() {
    let options = ServiceOptions(brokers: "b", input: "i", output: "o", group: "g", transactionalID: "t")
    #expect(
      options.sentence(ofMembers: 1)
        == "the group g has 1 member: stop all its instances, and run the command again. An instance that was killed, or stopped with an"
        + " --instance name, remains a member until its session times out (10 s)")
  }
}
