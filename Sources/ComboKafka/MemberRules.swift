/// The newest rules of the engine that a member of the group can follow, as the end of its client id: `combo-consumer.rules-3`.
///
/// Every member sees every other's client id in the group's description, with both group protocols and every librdkafka, also if that
/// other has no partition. A member of 0.1.0 has no such end.
enum MemberRules {
  private static let mark = ".rules-"

  /// The end of the client id.
  static func suffix(_ rules: Int) -> String { mark + String(rules) }

  /// Returns the rules that a client id names, or nil if it names none.
  static func rules(inClientID id: String) -> Int? {
    guard let dot = id.lastIndex(of: "."), id[dot...].hasPrefix(mark) else { return nil }
    let digits = id[dot...].dropFirst(mark.count)
    guard (1...9).contains(digits.utf8.count), digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return Int(digits)
  }
}
