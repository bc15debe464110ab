import ComboKafka
import ComboSystem
import Testing

@testable import ComboCommands
@testable import ComboTestSupport

@Suite("The plan of reset-clock")
struct ClockPlanTests {
  @Test("sets back clocks that are more than 5 s ahead, reports by how much and for how many rooms, and changes nothing else")
  func reference() throws {
    var plan = ClockPlan(now: 1_000_000_000_000)
    plan.places = [
      .init(partition: 0, clock: 1_000_003_600_000, rooms: 1), .init(partition: 1, clock: 1_000_000_005_000, rooms: 7),
      .init(partition: 2, clock: nil, rooms: 0),
    ]
    #expect(plan.ahead.map(\.partition) == [0])
    var texts = [(title: "a dry run", text: plan.text(isDryRun: true)), ("done", plan.text(isDryRun: false))]
    plan.places.removeFirst()
    texts.append(("nothing is ahead", plan.text(isDryRun: true)))
    try GeneratedPart.expect(snapshot: "reset-clock.txt", is: texts)
  }

  @Test("members are refused with the way to remove them, including those that have stopped")
  func members() throws {
    var options = ServiceOptions(brokers: "b", input: "i", output: "o", group: "g", transactionalID: "t")
    options.kafka = [.init(key: "session.timeout.ms", value: "60000")]
    #expect(
      try options.sentence(ofMembers: 1, options.kafkaProperties(log: .silent))
        == "the group g has 1 member: stop all its instances, and run the command again. An instance that was killed, or stopped with an"
        + " --instance name, remains a member until its session times out (60 s)")
  }
}
