import ComboSystem
import Foundation
import Glibc

/// A client that sends bytes exactly as given, even if they are no valid request.
final class HTTPWire {
  let descriptor: Int32
  private var received: [UInt8] = []
  private(set) var isClosed = false

  /// - Parameters:
  ///   - isIPv6: Whether it connects to `::1` instead of 127.0.0.1.
  ///   - receiveBytes: The size of its receive window; 0 for the system's default.
  init(port: UInt16, isIPv6: Bool = false, receiveBytes: Int32 = 0) throws {
    descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    if receiveBytes > 0 {
      var bytes = receiveBytes
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(isIPv6 ? "::1" : "127.0.0.1", String(port), nil, &found) == 0, let address = found else {
      throw TestKafka.Failure("no address")
    }
    defer { freeaddrinfo(address) }
    let connected = Glibc.connect(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen)
    guard connected == 0 else { throw TestKafka.Failure("cannot connect to port \(port): \(String(cString: strerror(errno)))") }
  }

  deinit { close() }

  func close() {
    if !isShut { Glibc.close(descriptor) }
    isShut = true
  }
  private var isShut = false

  /// Sends bytes, and returns whether all were sent.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return false }
      sent += count
    }
    return true
  }

  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Receives bytes until `isEnough` returns true or the other end closes.
  func receive(withinMs: Int64 = ServiceKafka.patienceMs, until isEnough: ([UInt8]) -> Bool) throws {
    let deadline = Deadline(afterMs: withinMs)
    while !isEnough(received), !isClosed {
      guard !deadline.isOver else {
        throw TestKafka.Failure(
          "nothing more came within \(withinMs) ms: \(String(decoding: received.suffix(2000), as: UTF8.self))")
      }
      var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&ready, 1, 50) > 0 else { continue }
      var buffer = [UInt8](repeating: 0, count: 65_536)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count <= 0 { isClosed = true } else { received += buffer[..<count] }
    }
  }

  struct Response {
    var status = 0
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    var text: String { String(decoding: body, as: UTF8.self) }
    func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
  }

  /// Returns the next response, and keeps the bytes after it.
  func response(hasBody: Bool = true) throws -> Response {
    let response = try head()
    var answer = response
    if !hasBody || response.status == 304 { return answer }
    if let length = response.header("Content-Length").flatMap({ Int($0) }) {
      try receive { $0.count >= length }
      answer.body = Array(received.prefix(length))
      received.removeFirst(min(length, received.count))
    } else {
      try receive { _ in false }
      answer.body = received
      received = []
    }
    return answer
  }

  /// Returns the answer to a request on its own connection. Sends the request again while the service is busy and answers 503.
  /// - Parameter hasBody: False leaves what follows the headers to be read, such as a stream of events.
  static func answer(to request: String, port: UInt16, hasBody: Bool = true) throws -> (wire: HTTPWire, response: Response) {
    var last: (wire: HTTPWire, response: Response)?
    try wait(for: "another answer than 503") {
      let wire = try HTTPWire(port: port)
      wire.send(request)
      let response = hasBody ? try wire.response() : try wire.head()
      last = (wire, response)
      return response.status != 503
    }
    return last!
  }

  /// Returns the status and headers of the next response.
  func head() throws -> Response {
    let end = Array("\r\n\r\n".utf8)
    func place(_ bytes: [UInt8]) -> Int? {
      bytes.count < 4 ? nil : (0...(bytes.count - 4)).first { bytes[$0..<($0 + 4)].elementsEqual(end) }
    }
    try receive { place($0) != nil }
    guard let place = place(received) else { throw TestKafka.Failure("closed before an answer came") }
    let lines = String(decoding: received[..<place], as: UTF8.self).components(separatedBy: "\r\n")
    received.removeFirst(place + 4)
    var response = Response()
    let isHead = lines[0].hasPrefix("HTTP/1.1 ")
    response.status = (isHead ? lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) } : nil) ?? 0
    for line in lines.dropFirst() {
      let halves = line.split(separator: ":", maxSplits: 1)
      response.headers.append((String(halves[0]), halves.count > 1 ? halves[1].trimmingCharacters(in: .whitespaces) : ""))
    }
    return response
  }

  // MARK: - Events

  struct Event: Equatable {
    var name = ""
    var id = ""
    var data = ""
    var isComment = false
  }

  private var stream: [UInt8] = []
  private var isAtEnd = false

  /// Decodes the chunks that have been received.
  private func unchunk() {
    while !isAtEnd {
      guard let line = received.firstIndex(of: 0x0A) else { return }
      guard let size = Int(String(decoding: received[..<line].filter { $0 != 0x0D }, as: UTF8.self), radix: 16) else {
        isAtEnd = true
        return
      }
      guard received.count >= line + 1 + size + 2 else { return }
      stream += received[(line + 1)..<(line + 1 + size)]
      received.removeFirst(line + 1 + size + 2)
      if size == 0 { isAtEnd = true }
    }
  }

  /// Returns the next event of the stream, or nil if it has ended.
  func event(withinMs: Int64 = ServiceKafka.patienceMs) throws -> Event? {
    let deadline = Deadline(afterMs: withinMs)
    while true {
      unchunk()
      if let end = (0..<max(0, stream.count - 1)).first(where: { stream[$0] == 0x0A && stream[$0 + 1] == 0x0A }) {
        let lines = String(decoding: stream[..<end], as: UTF8.self).components(separatedBy: "\n")
        stream.removeFirst(end + 2)
        var event = Event()
        for line in lines {
          if line.hasPrefix(":") { event.isComment = true }
          if line.hasPrefix("event: ") { event.name = String(line.dropFirst(7)) }
          if line.hasPrefix("id: ") { event.id = String(line.dropFirst(4)) }
          if line.hasPrefix("data: ") { event.data = String(line.dropFirst(6)) }
        }
        return event
      }
      if isAtEnd || isClosed { return nil }
      let before = received.count
      try receive(withinMs: deadline.leftMs) { $0.count > before }
    }
  }

  /// Returns all received bytes of the stream, once `isEnough` returns true or the stream has ended.
  func bytes(until isEnough: ([UInt8]) -> Bool) throws -> [UInt8] {
    while true {
      unchunk()
      if isEnough(stream) || isAtEnd || isClosed { return stream }
      let before = received.count
      try receive { $0.count > before }
    }
  }

  /// Returns the next event that is not a comment.
  func nextEvent() throws -> Event? {
    while let event = try event() {
      if !event.isComment { return event }
    }
    return nil
  }
}
