import Testing

@testable import ComboKafka

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
