import Synchronization
import Testing

@testable import combo_consumer

/// A server on a free port, and the service's loop played by the test.
final class HTTPStage {
  let stop = StopFlag()
  let lookout: Lookout
  let server: HTTPServer
  private var asked: [Question] = []

  init(
    token: HTTPToken? = nil, hasReport: Bool = true, keptOpen: Int = HTTPServer.Limits.keptOpen,
    idleS: Int = HTTPServer.Limits.idleS
  ) throws {
    lookout = Lookout(stop: stop)
    server = try HTTPServer.start(
      HTTPAddress("127.0.0.1:0")!, token: token, lookout: lookout, identity: ServiceIdentity(group: "g", instance: "i"),
      keptOpen: keptOpen, idleS: idleS, log: ServiceLog(.error))
    if hasReport { report() }
  }

  deinit { server.stop() }

  var port: UInt16 { server.address.port }

  /// Two partitions, one that takes in and one that does not.
  func report(_ change: (inout ServiceReport) -> Void = { _ in }) {
    var report = ServiceReport()
    report.at = MonotonicClock.nowMs
    report.hasJoined = true
    report.partitions = [ServiceReport.Partition(number: 0, isRunning: true, lag: 3, rooms: 7)]
    change(&report)
    lookout.publish(report)
  }

  func wire(receiveBytes: Int32 = 0) throws -> HTTPWire { try HTTPWire(port: port, receiveBytes: receiveBytes) }

  /// One request on a connection of its own.
  func get(_ target: String, method: String = "GET", headers: [String] = []) throws -> HTTPWire.Response {
    let wire = try wire()
    wire.send(Self.request(target, method: method, headers: headers))
    return try wire.response(hasBody: method != "HEAD")
  }

  static func request(_ target: String, method: String = "GET", headers: [String] = []) -> String {
    let all = (headers.contains { $0.hasPrefix("Host:") } ? [] : ["Host: localhost"]) + headers
    return "\(method) \(target) HTTP/1.1\r\n" + all.map { $0 + "\r\n" }.joined() + "\r\n"
  }

  /// The next thing that the loop is asked.
  func question() throws -> Question {
    try wait(for: "a question") { hasQuestion }
    return asked.removeFirst()
  }

  /// Whether the loop is asked anything now.
  var hasQuestion: Bool {
    asked += lookout.takeQuestions()
    return !asked.isEmpty
  }

  /// A stream of a room's events, once the loop has answered with a screen that holds `text`.
  func stream(_ room: String, screen text: String = "", receiveBytes: Int32 = 0) throws -> HTTPWire {
    let wire = try wire(receiveBytes: receiveBytes)
    wire.send(Self.request("/rooms/\(room)/events"))
    guard case .screen(let name, let id, true, _) = try question() else { throw TestKafka.Failure("no question for a screen") }
    lookout.tell([.screen(id: id, room: name, record: Self.record(room, 1, 0, text))])
    return wire
  }

  /// A record as the encoder would write it.
  static func record(_ room: String, _ epoch: Int, _ seq: Int, _ text: String = "") -> [UInt8] {
    Array(#"{"v":1,"room":"\#(room)","epoch":\#(epoch),"seq":\#(seq),"at":1,"op":"screen","text":"\#(text)"}"#.utf8)
  }

  func say(_ room: String, _ seqs: Range<Int>, _ text: String = "") {
    lookout.tell(seqs.map { .said(room: Array(room.utf8), record: Self.record(room, 1, $0, text)) })
  }
}
