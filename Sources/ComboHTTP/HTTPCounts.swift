/// The counters of the server.
package struct HTTPCounts: Equatable, Sendable {
  var connections = 0
  /// The number of responses by the first digit of their status.
  var responses: [Int] = Array(repeating: 0, count: 6)
  var readersBegun = 0
  /// The limits of connections and readers.
  var connectionsMax = HTTPServer.Limits.readers + HTTPServer.Limits.others
  var readersMax = HTTPServer.Limits.readers
  var readersDropped = 0
  /// The number of readers that resumed after their last event; they also count as begun.
  var readersResumed = 0
  var slowRequests = 0

  mutating func count(_ status: UInt32) { responses[min(5, Int(status) / 100)] += 1 }
}

extension HTTPCounts {
  static let metrics: [Metric] = [
    .gauge("combo_http_connections", "Open connections.") { Double($0.connections) },
    .gauge("combo_http_event_readers", "Open event streams.") { Double($0.readers) },
    .counters("combo_http_responses_total", by: "class", "Responses by class of status.") { source in
      (2...5).map { ("\($0)xx", source.http.responses[$0]) }
    },
    .counter("combo_http_connections_total", "Connections accepted.") { $0.http.connections },
    .counter("combo_http_slow_requests_total", "Connections closed because a request arrived too slowly.") {
      $0.http.slowRequests
    },
    .gauge("combo_http_connections_max", "Maximum of open connections.") { Double($0.http.connectionsMax) },
    .counter("combo_http_event_readers_total", "Event streams opened.") { $0.http.readersBegun },
    .counter("combo_http_event_readers_resumed_total", "Event streams that resumed after their last event.") {
      $0.http.readersResumed
    },
    .counter("combo_http_event_readers_dropped_total", "Event streams ended because the reader was too slow.") {
      $0.http.readersDropped
    },
    .gauge("combo_http_event_readers_max", "Maximum of open event streams.") { Double($0.http.readersMax) },
  ]
}
