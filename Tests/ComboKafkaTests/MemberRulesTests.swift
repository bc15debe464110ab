import Testing

@testable import ComboKafka

@Suite("The transactional id of a member")
struct MemberIDTests {
  @Test("is known by its whole name: an instance that was killed is not one whose name ends alike")
  func instances() {
    func belongs(_ id: String, to instance: String) -> Bool { LeftTransactions.belongs(id, to: instance, of: "g.1", "in") }
    #expect(belongs("g.1.in.a", to: "a") && belongs("g.1.in.b.a", to: "b.a"))
    // Each of several inputs has a member whose instance begins with the input.
    #expect(belongs("g.1.in.a", to: "in.a"))
    #expect(!belongs("g.1.in.b.a", to: "a"))
    // An id that was chosen may be that of any instance with which it ends.
    #expect(belongs("mine.a", to: "a") && !belongs("mine.b", to: "a"))
  }
}

@Suite("The rules that a member names")
struct MemberRulesTests {
  @Test(
    "are read from the end of its ids only",
    arguments: [
      ("combo-consumer.rules-3", 3), ("a.rules-2.rules-12", 12), ("combo-consumer", nil), ("", nil), (".rules-", nil),
      ("combo-consumer.rules-3x", nil), ("combo-consumer.rules--3", nil), ("combo-consumer.rules-3.x", nil),
      ("combo-consumer.rules-99999999999999999999", nil),
    ] as [(String, Int?)])
  func read(id: String, rules: Int?) { #expect(MemberRules.split(id).rules == rules) }

  @Test("are read as they were written, and those of 0.1.0 are not written", arguments: [(2, nil), (3, 3), (17, 17)])
  func round(rules: Int, read: Int?) { #expect(MemberRules.split("any" + MemberRules.suffix(rules)) == ("any", read)) }
}
