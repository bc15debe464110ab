/// The newest rules of the engine that a member of the group follows, as the end of its client id and of its `group.instance.id`:
/// `combo-consumer.rules-3`.
///
/// Every member sees both of every other in the group's description, with both group protocols and every librdkafka, also if that other has
/// no partition. The coordinator keeps a static member's client id from its first session on, whatever program comes back under its name, so
/// its instance id counts: programs of different rules are different members, and the older one's session ends by itself. A member of 0.1.0,
/// which has rules 2, has no such end, nor has one that follows only these.
enum MemberRules {
  private static let mark = ".rules-"
  private static let unnamed = 2

  /// The end of both ids.
  static func suffix(_ rules: Int) -> String { rules > unnamed ? mark + String(rules) : "" }

  /// An id without its end, and the rules that it names; nil if it names none.
  static func split(_ id: String) -> (name: String, rules: Int?) {
    guard let dot = id.lastIndex(of: "."), id[dot...].hasPrefix(mark) else { return (id, nil) }
    let digits = id[dot...].dropFirst(mark.count)
    guard (1...9).contains(digits.utf8.count), digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return (id, nil) }
    return (String(id[..<dot]), Int(digits))
  }
}
