/// The newest rules of the engine that a group member supports, as the end of its client id and `group.instance.id`:
/// `combo-consumer.rules-3`.
///
/// Every member sees both ids of all others in the group's description, with both group protocols and every librdkafka, even of
/// members without partitions. The coordinator keeps a static member's client id from its first session on, whichever program
/// returns under its name, so the instance id counts for it. Programs of different rules are different members, and the older
/// one's session ends by itself. A member of 0.1.0, which has rules 2, has no such end, nor does one that supports only these.
enum MemberRules {
  private static let mark = ".rules-"
  private static let unnamed = 2

  /// The end of both ids.
  static func suffix(_ rules: Int) -> String { rules > unnamed ? mark + String(rules) : "" }

  /// Splits an id into its name and rules; the rules are nil if it has none.
  static func split(_ id: String) -> (name: String, rules: Int?) {
    guard let dot = id.lastIndex(of: "."), id[dot...].hasPrefix(mark) else { return (id, nil) }
    let digits = id[dot...].dropFirst(mark.count)
    guard (1...9).contains(digits.utf8.count), digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return (id, nil) }
    return (String(id[..<dot]), Int(digits))
  }
}
