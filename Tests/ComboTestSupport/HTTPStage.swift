import ComboHTTP
import ComboService
import ComboSystem
import Synchronization
import Testing

/// A server on a free port, for which the test plays the service's loop.
///
/// The server waits for the test and its report stays valid, however long the test pauses, unless a test sets another limit.
final class HTTPStage {
  let stop = StopFlag()
  let observatory: Observatory
  let server: HTTPServer
  private var asked: [Query] = []

  private static let hourMs: Int64 = 3_600_000

  init(
    token: HTTPToken? = nil, hasReport: Bool = true, keptOpen: Int = HTTPServer.Limits.keptOpen,
    responseMs: Int64 = HTTPStage.hourMs, resumeMs: Int64 = -1, origins: HTTPOrigins = .none
  ) throws {
    observatory = Observatory(stop: stop)
    server = try HTTPServer(
      HTTPAddress("127.0.0.1:0")!, token: token, observatory: observatory, identity: ServiceIdentity(group: "g", instance: "i"),
      origins: origins, resumeMs: resumeMs, keptOpen: keptOpen, idleS: Int(Self.hourMs / 1000), responseMs: responseMs,
      surveyMs: Self.hourMs, log: ServiceLog(.error))
    if hasReport { report() }
  }

  deinit { server.stop() }

  var port: UInt16 { server.address.port }

  /// Publishes a report of one partition that runs, after `change`.
  func report(_ change: (inout ServiceReport) -> Void = { _ in }) {
    var report = ServiceReport()
    report.at = MonotonicClock.nowMs + Self.hourMs
    report.hasJoined = true
    report.partitions = [ServiceReport.Partition(number: 0, isRunning: true, lag: 3, rooms: 7)]
    change(&report)
    observatory.publish(report)
  }

  func wire(receiveBytes: Int32 = 0) throws -> HTTPWire { try HTTPWire(port: port, receiveBytes: receiveBytes) }

  /// Returns the response to one request, sent on its own connection.
  func get(_ target: String, method: String = "GET", headers: [String] = []) throws -> HTTPWire.Response {
    observatory.beat()
    let wire = try wire()
    wire.send(Self.request(target, method: method, headers: headers))
    return try wire.response(hasBody: method != "HEAD")
  }

  static func request(_ target: String, method: String = "GET", headers: [String] = []) -> String {
    let all = (headers.contains { $0.hasPrefix("Host:") } ? [] : ["Host: localhost"]) + headers
    return "\(method) \(target) HTTP/1.1\r\n" + all.map { $0 + "\r\n" }.joined() + "\r\n"
  }

  /// Returns the next query to the loop.
  func query() throws -> Query {
    try wait(for: "a query") { hasQuery }
    return asked.removeFirst()
  }

  /// Whether a query to the loop is waiting.
  var hasQuery: Bool {
    observatory.beat()
    asked += observatory.takeQueries()
    return !asked.isEmpty
  }

  /// Opens a stream of a room's events, and answers for the loop with a screen that contains `text`.
  func stream(_ room: String, screen text: String = "", receiveBytes: Int32 = 0) throws -> HTTPWire {
    let wire = try wire(receiveBytes: receiveBytes)
    wire.send(Self.request("/rooms/\(room)/events"))
    guard case .screen(let name, let id, true, _) = try query() else { throw TestKafka.Failure("no query for a screen") }
    observatory.tell([.screen(id: id, room: name, record: Self.record(room, 1, 0, text))])
    return wire
  }

  /// Requests a room's events `count` times, and returns each request with the id of its query to the loop. Sends up to 100 at a
  /// time, so as not to wait for each alone.
  func requests(_ count: Int, forEventsOf room: String) throws -> [(wire: HTTPWire, id: UInt64)] {
    var requests: [(wire: HTTPWire, id: UInt64)] = []
    while requests.count < count {
      let wires = try (0..<min(100, count - requests.count)).map { _ in try wire() }
      for wire in wires { wire.send(Self.request("/rooms/\(room)/events")) }
      for wire in wires {
        guard case .screen(_, let id, true, _) = try query() else { throw TestKafka.Failure("no query for a screen") }
        requests.append((wire, id))
      }
    }
    return requests
  }

  /// Repeats a test with more and more time for the loop's answers, at first the product's own, until the test was fast enough.
  /// - Parameter attempt: Receives that time, and returns whether it was enough.
  static func withTimeEnough(_ attempt: (HTTPStage, Int64) throws -> Bool) throws {
    var responseMs = HTTPServer.Limits.responseMs
    while try !attempt(HTTPStage(responseMs: responseMs), responseMs) {
      guard responseMs < ServiceKafka.patienceMs else { throw TestKafka.Failure("not even \(responseMs) ms are enough") }
      responseMs *= 2
    }
  }

  /// A record as the encoder would write it.
  static func record(_ room: String, _ epoch: Int, _ seq: Int, _ text: String = "") -> [UInt8] {
    Array(#"{"v":1,"room":"\#(room)","epoch":\#(epoch),"seq":\#(seq),"at":1,"op":"screen","text":"\#(text)"}"#.utf8)
  }

  func emit(_ room: String, _ seqs: Range<Int>, _ text: String = "") {
    observatory.tell(seqs.map { .said(room: Array(room.utf8), record: Self.record(room, 1, $0, text)) })
  }
}
