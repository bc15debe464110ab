import ComboClientHTTP
import Foundation
import Glibc
import Synchronization
import Testing

@testable import ComboClient

@Suite("A room's stream by URLSession")
struct RoomStreamTests {
  private let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
  private let screen = #"{"room":"r","epoch":1,"seq":4,"op":"screen","banners":[]}"#

  private func stream(_ server: Server, room: String = "r", headers: [String: String] = [:]) -> RoomStream {
    var waits = RoomStream.Waits()
    waits.retryMs = 1
    waits.retryMostMs = 5
    return RoomStream(service: URL(string: "http://127.0.0.1:\(server.port)/")!, room: room, headers: headers, waits: waits)
  }

  @Test("it reads events, reports why the connection ended, and connects again")
  func reconnects() async throws {
    let body = "event: screen\ndata: \(screen)\n\n"
    let server = try Server { _ in "\(head)\(body)" }
    defer { server.stop() }
    var received: [RoomStream.Element] = []
    for await happened in stream(server, room: "a/b é", headers: ["Authorization": "Bearer x"]) {
      received.append(happened)
      if received.count == 4 { break }
    }
    let event = RoomStream.Element.event(.screen(try #require(DisplayInstruction(screen))))
    #expect(received[0] == event && received[2] == event)
    guard case .disconnected(_, let retryMs) = received[1] else { throw DecodingTests.Wrong() }
    #expect(retryMs <= 5)
    let first = try #require(server.requests.first)
    #expect(first.hasPrefix("GET /rooms/a%2Fb%20%C3%A9/events HTTP/1.1\r\n"))
    #expect(first.contains("Authorization: Bearer x") && first.contains("text/event-stream"))
  }

  /// Returns the `Last-Event-ID` header of a request, or nil if it has none.
  private func lastID(_ request: String) -> String? {
    request.split(separator: "\r\n").first { $0.lowercased().hasPrefix("last-event-id: ") }.map { String($0.dropFirst(15)) }
  }

  @Test("a new connection requests to continue after the last received event")
  func continues() async throws {
    let show = #"{"room":"r","epoch":1,"seq":5,"op":"show","banner":1,"slot":0,"count":3}"#
    let screen = screen
    let server = try Server { request in
      request.lowercased().contains("last-event-id: 1-4\r\n")
        ? "\(head): alive\n\nevent: instruction\nid: 1-5\ndata: \(show)\n\n"
        : "\(head)event: screen\nid: 1-4\ndata: \(screen)\n\n"
    }
    defer { server.stop() }
    var room = RoomScreen()
    var events: [RoomEvent] = []
    for await happened in stream(server) {
      guard case .event(let event) = happened else { continue }
      // The third request's answer begins with a screen, as this service does not know the id.
      if events.count == 2 { break }
      events.append(event)
      if case .screen(let one) = event { #expect(room.takeJoined(one) == .draw) }
      if case .instruction(let one) = event { _ = room.take(one) }
    }
    #expect(room.banners.map(\.count) == [3])
    #expect(events.count == 2)
    #expect(server.requests.prefix(3).map(lastID) == [nil, "1-4", "1-5"])
  }

  @Test("without a connection for long it reports once that the banners are stale, and requests a screen")
  func stale() async throws {
    let good = "\(head)event: screen\nid: 1-4\ndata: \(screen)\n\n"
    let bad = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    let answered = Mutex(0)
    let server = try Server { _ in
      answered.withLock {
        $0 += 1; return $0
      } == 1 ? good : bad
    }
    defer { server.stop() }
    var waits = RoomStream.Waits()
    // The second request must not be later than that.
    (waits.retryMs, waits.retryMostMs, waits.staleMs) = (1, 5, 500)
    var staled = 0
    for await happened in RoomStream(service: URL(string: "http://127.0.0.1:\(server.port)")!, room: "r", waits: waits) {
      if happened == .stale { staled = server.requests.count }
      // Two more requests follow, so that at least one began after that.
      if staled > 0, server.requests.count >= staled + 2 { break }
    }
    #expect(lastID(server.requests[1]) == "1-4")
    #expect(lastID(try #require(server.requests.last)) == nil)
  }

  @Test("a refusal is reported in the service's words")
  func refusal() async throws {
    let body = #"{"error":"this room is another instance's"}"#
    let server = try Server { _ in
      "HTTP/1.1 404 Not Found\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    }
    defer { server.stop() }
    for await happened in stream(server) {
      guard case .disconnected(let sentence, _) = happened else { throw DecodingTests.Wrong() }
      #expect(sentence == "this room is another instance's")
      break
    }
  }
}

/// A server that answers each connection with a text, and closes it.
private final class Server: Sendable {
  let port: UInt16
  private let socket: Int32
  private let received = Mutex<[String]>([])

  var requests: [String] { received.withLock { $0 } }

  init(_ answer: @escaping @Sendable (String) -> String) throws {
    let listener = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let port: UInt16? = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        guard bind(listener, raw, length) == 0, listen(listener, 8) == 0, getsockname(listener, raw, &length) == 0 else {
          return nil
        }
        return UnsafeRawPointer(raw).load(as: sockaddr_in.self).sin_port.bigEndian
      }
    }
    self.port = try #require(port)
    socket = listener
    Thread.detachNewThread { [self] in
      while true {
        let connection = accept(listener, nil, nil)
        if connection < 0 { break }
        var request = [UInt8](repeating: 0, count: 8192)
        var text = ""
        while !text.hasSuffix("\r\n\r\n") {
          let count = read(connection, &request, request.count)
          if count <= 0 { break }
          text += String(decoding: request[..<count], as: UTF8.self)
        }
        received.withLock { $0.append(text) }
        let response = Array(answer(text).utf8)
        _ = write(connection, response, response.count)
        shutdown(connection, Int32(SHUT_WR))
        while read(connection, &request, request.count) > 0 {}
        close(connection)
      }
      close(listener)
    }
  }

  /// Ends the thread, which then closes the socket.
  func stop() { shutdown(socket, Int32(SHUT_RDWR)) }
}
