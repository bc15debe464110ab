/// A request and what becomes of it. Belongs to the server's thread; libmicrohttpd keeps it from the request's first line until it
/// is over.
package final class HTTPExchange {
  package enum Stage {
    /// The headers are not read yet.
    case new
    /// They are, and it is allowed.
    case admitted
    /// It waits, suspended, for the loop; until then at most, by the monotonic clock.
    case waiting(until: Int64)
    /// The room that it asked for is there, and events begin.
    case streaming(EventReader)
    /// The answer is there.
    case answered(HTTPResponse)
    /// It was handed over.
    case over
  }

  let connection: OpaquePointer
  /// As it is in the request's first line.
  package let target: [UInt8]
  package var stage = Stage.new
  /// The target without the query.
  var path: ArraySlice<UInt8> { target.prefix { $0 != UInt8(ascii: "?") } }
  var isHead = false
  var isPost = false
  /// Of a request that sends events, as far as it has come.
  var body: [UInt8] = []
  var isBodyTooLarge = false
  /// For a page of another origin that may read the answer: the value of `Access-Control-Allow-Origin`.
  var allowedOrigin: String?
  /// Whether the answer may be compressed.
  var acceptsGzip = false
  var asksForHealth = false
  /// For a stream of events.
  package var reader: EventReader?
  /// Whether it asks for a stream of events.
  var streams = false
  /// The room that the loop is asked to watch for it, if it is.
  var watchedRoom: [UInt8]?
  /// The query that it waits for.
  var query: UInt64 = 0

  package init(_ connection: OpaquePointer, target: [UInt8]) {
    self.connection = connection
    self.target = target
  }
}

/// A connection, from the first byte to the last.
final class HTTPConnection {
  /// Since when it owes a request, by the monotonic clock; nil while one is being answered.
  var owesSince: Int64?

  init(at now: Int64) { owesSince = now }
}
