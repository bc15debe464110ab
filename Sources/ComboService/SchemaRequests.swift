package import ComboEdge

/// Requests for schemas that records name and the map does not have. It does no I/O; all times are by the monotonic clock.
package struct SchemaRequests {
  package struct Request: Equatable {
    /// When it was first needed.
    let since: Int64
    var isAsking = false
    var next: Int64
    var backOffMs: Int64 = 0
    /// The time since which every answer was that there is no such schema.
    var unknownSince: Int64?
    /// Why it is missing; nil if there was no answer yet.
    var reason: String?
    /// When the reason was last logged.
    var saidAt: Int64?
  }

  /// The step that follows an answer.
  package enum Step: Equatable {
    case use(String)
    /// Records that name the schema are bad from now on.
    case refuse(String)
    /// The schema is requested again.
    /// - Parameter mustSay: Whether the reason is due in the log.
    case wait(String, mustSay: Bool)
  }

  /// How long an unknown id is retried: a registry may know it only a moment after the first record names it.
  static let patienceMs: Int64 = 10_000
  /// After this many refusals within ``refusalsWithinMs`` ids are probably made up, and none is waited for.
  static let refusalsMax = 3
  static let refusalsWithinMs: Int64 = 600_000
  static let sayEveryMs: Int64 = 60_000
  private static let unknownAgainMs: Int64 = 500
  private static let backOffMs: ClosedRange<Int64> = 250...10_000
  /// The maximum number of refusals that are kept. Forgotten ones are requested again.
  private static let refusedMax = 1000

  package private(set) var open: [String: Request] = [:]
  private var refused: [String: String] = [:]
  private var refusedAt: [Int64] = []

  package init() {}

  /// Returns why records that name the schema are bad; nil if it is requested.
  package func refusal(of id: String) -> String? { refused[id] }

  package mutating func forgetRefusals() {
    refused.removeAll()
    refusedAt.removeAll()
  }

  package mutating func need(_ id: String, at now: Int64) {
    if open[id] == nil { open[id] = Request(since: now, next: now) }
  }

  /// Drops all requests but these, as no partition waits for others.
  package mutating func keep(_ ids: Set<String>) { open = open.filter { ids.contains($0.key) } }

  /// Returns the schemas to request now, and marks them as requested.
  package mutating func takeDue(at now: Int64) -> [String] {
    let due = open.filter { !$0.value.isAsking && $0.value.next <= now }.keys.sorted()
    for id in due { open[id]!.isAsking = true }
    return due
  }

  /// Processes an answer.
  /// - Returns: The next step; nil if no partition waits for the schema any more.
  package mutating func heard(_ answer: SchemaAnswer, about id: String, at now: Int64) -> Step? {
    guard var request = open[id] else { return nil }
    request.isAsking = false
    defer { if open[id] != nil { open[id] = request } }
    switch answer {
    case .schema(let text):
      open[id] = nil
      return .use(text)
    case .unusable(let reason): return refuse(id, reason, now)
    case .unknown(let reason):
      let since = request.unknownSince ?? now
      request.unknownSince = since
      refusedAt.removeAll { now - $0 > Self.refusalsWithinMs }
      if refusedAt.count >= Self.refusalsMax || now - since >= Self.patienceMs { return refuse(id, reason, now) }
      request.next = now + Self.unknownAgainMs
      request.reason = reason
      return .wait(reason, mustSay: false)
    case .none(let reason):
      request.unknownSince = nil
      request.backOffMs = min(max(2 * request.backOffMs, Self.backOffMs.lowerBound), Self.backOffMs.upperBound)
      request.next = now + request.backOffMs
      let mustSay = request.reason != reason || request.saidAt.map { now - $0 >= Self.sayEveryMs } ?? true
      if mustSay { request.saidAt = now }
      request.reason = reason
      return .wait(reason, mustSay: mustSay)
    }
  }

  /// Refuses a schema that cannot be used after all.
  package mutating func refuse(_ id: String, _ reason: String, _ now: Int64) -> Step {
    open[id] = nil
    if refused.count >= Self.refusedMax { refused.removeAll() }
    refused[id] = reason
    refusedAt.append(now)
    return .refuse(reason)
  }
}
