/// What most maps have in common: where a connector may have put JSON into a text, and by what a gift is known that no rule reads.
extension BuiltInMaps {
  /// Texts that are read as JSON: in `payload`, `data` and the like, alone or in arrays. Where a command stands beside one, only if it is that
  /// of a gift: what a viewer wrote must stay a text.
  /// - Parameters:
  ///   - commands: the members that name the kind of a record.
  ///   - test: of a condition, what their text must be: `"is": ["gift"]`.
  static func texts(_ commands: [String], _ test: String) -> String {
    func entry(_ base: String, _ places: [String]) -> String {
      let at = list(commands.map { "\(base)/\($0)" })
      return
        #"{"at": \#(list(places.map { base + $0 })), "when": {"any": [{"at": \#(at), "exists": false}, {"at": \#(at), \#(test)}]}}"#
    }
    return [
      entry("", ["/payload", "/data", "/body", "/raw", "/value"]),
      entry("", ["/data/*", "/payload/*", "/messages/*"]),
      #""/*""#,
      entry("/*", ["/data", "/payload"]),
      entry("/messages/*", ["/data", "/payload"]),
      entry("/data", ["/data", "/payload"]),
      entry("/payload", ["/data", "/payload"]),
    ].joined(separator: ",\n    ")
  }

  /// The member `gifts` of a map.
  static func gifts(_ commands: [String], words: [String], others: [String] = [], keys: [String]) -> String {
    let parts = [("commands", commands), ("words", words), ("others", others), ("keys", keys)].filter { !$0.1.isEmpty }
    return #""gifts": {"# + parts.map { #""\#($0)": \#(list($1))"# }.joined(separator: ", ") + "}"
  }

  static func list(_ words: [String]) -> String { "[" + words.map { "\"\($0)\"" }.joined(separator: ", ") + "]" }

  /// How long a streak lives, in milliseconds, by the first of these that is there; an hour at most. A shorter time than the setting's is not
  /// taken: a streak that has a name may as well be remembered longer, so that late records change nothing.
  static func life(_ pointers: [String]) -> String {
    let at = #"{"at": \#(list(pointers)), "unless": ["0"]"#
    return
      #"{"when": \#(at), "above": 3600000}, "then": {"const": 3600000}, "else": {"when": \#(at), "above": 60000}, "then": \#(at)}}}"#
  }

  /// Members with which records of most connectors name their kind.
  static let commands = ["cmd", "event", "type", "method", "action", "msgType", "messageType", "eventType", "eventName"]

  /// What connectors call things that are no gifts.
  static let otherEvents = [
    "chat", "comment", "danmaku", "danmu", "like", "member", "enter", "join", "follow", "share", "social", "roomUser", "viewer",
    "emote",
    "ping", "pong", "connect", "disconnect", "config", "error", "heartbeat", "streamEnd", "liveEnd", "roomInfo", "roomMessage",
    "questionNew",
    "poll", "raid",
  ]
}
