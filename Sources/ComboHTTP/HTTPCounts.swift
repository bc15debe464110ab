/// What the server counts.
package struct HTTPCounts: Equatable, Sendable {
  var connections = 0
  /// Answers, by the hundreds of their status.
  var responses: [Int] = Array(repeating: 0, count: 6)
  var readersBegun = 0
  /// What there may be of them at most.
  var connectionsMax = HTTPServer.Limits.readers + HTTPServer.Limits.others
  var readersMax = HTTPServer.Limits.readers
  package var readersDropped = 0
  /// Of those begun, the resumed ones.
  var readersResumed = 0
  var slowRequests = 0

  mutating func count(_ status: UInt32) { responses[min(5, Int(status) / 100)] += 1 }
}
