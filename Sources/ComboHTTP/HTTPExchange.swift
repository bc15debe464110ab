/// A request and its response. It belongs to the server's thread; libmicrohttpd holds it from the first line to the end.
package final class HTTPExchange {
  package enum Stage {
    /// Its headers have not been read.
    case new
    /// Its headers have been read, and it is allowed.
    case admitted
    /// It is suspended until the loop responds, or until this time by the monotonic clock.
    case waiting(until: Int64)
    /// The requested room is available, and its events begin.
    case streaming(EventReader)
    /// Its response is ready.
    case responded(HTTPResponse)
    /// Its response has been queued.
    case over
  }

  let connection: OpaquePointer
  /// The target as in the request's first line.
  package let target: [UInt8]
  package var stage = Stage.new
  /// The target without the query.
  var path: ArraySlice<UInt8> { target.prefix { $0 != UInt8(ascii: "?") } }
  var isHead = false
  var isPost = false
  /// The part of the body received so far, of a request that sends events.
  var body: [UInt8] = []
  var isBodyTooLarge = false
  /// The value of `Access-Control-Allow-Origin`, for a page of another origin that may read the response.
  var allowedOrigin: String?
  var acceptsGzip = false
  var requestsHealth = false
  /// The reader of its stream of events.
  package var reader: EventReader?
  var streams = false
  /// The room that the loop watches for it, or nil if there is none.
  var watchedRoom: [UInt8]?
  /// The query for which it waits.
  var query: UInt64 = 0

  package init(_ connection: OpaquePointer, target: [UInt8]) {
    self.connection = connection
    self.target = target
  }
}

/// A connection, from its first to its last byte.
struct HTTPConnection {
  /// The time since which its next request is awaited, by the monotonic clock, or nil while a request is being handled.
  var awaitedSince: Int64?
}
