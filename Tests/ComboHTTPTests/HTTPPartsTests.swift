import CPages
import ComboService
import ComboSystem
import Foundation
import Testing

@testable import ComboHTTP
@testable import ComboTestSupport

@Suite("Parts of the HTTP server")
struct HTTPPartsTests {
  @Test("an address is numeric, `localhost` or `*`, with a port, and determines who can reach it")
  func addresses() throws {
    for (text, host, isLoopback) in [
      ("127.0.0.1:8080", "127.0.0.1", true), ("localhost:0", "127.0.0.1", true), ("127.9.9.9:1", "127.9.9.9", true),
      ("[::1]:65535", "::1", true), ("*:80", "*", false), ("0.0.0.0:80", "0.0.0.0", false), ("[::]:80", "::", false),
      ("10.0.0.1:80", "10.0.0.1", false),
    ] {
      let address = try #require(HTTPAddress(text))
      #expect(address.host == host)
      #expect(address.isLoopback == isLoopback, "\(text)")
    }
    for text in [
      "", ":", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "a:1", "::1:80", "[::1]", "1.2.3:4", "[x]:1",
    ] {
      #expect(HTTPAddress(text) == nil, "\(text)")
    }
    #expect(HTTPAddress("[::1]:80")?.url == "http://[::1]:80/")
  }

  @Test("all addresses of this machine are those of IPv6 and of IPv4, and of IPv4 alone where there is no other")
  func everywhere() throws {
    let token = try HTTPToken("0123456789abcdef")
    let loopback = try? HTTPAddress("[::1]:0")!.listen()
    if let loopback { close(loopback.socket) }
    let server = try HTTPServer(
      HTTPAddress("*:0")!, token: token, observatory: Observatory(stop: StopFlag()), identity: ServiceIdentity(),
      log: ServiceLog(.error))
    defer { server.stop() }
    #expect(server.address.host == (loopback == nil ? "0.0.0.0" : "::"))
    #expect(!server.address.isLoopback && server.address.port != 0)
    for isIPv6 in loopback == nil ? [false] : [false, true] {
      let wire = try HTTPWire(port: server.address.port, isIPv6: isIPv6)
      wire.send(HTTPStage.request("/health/live"))
      #expect(try wire.response().status == 200)
      let other = try HTTPWire(port: server.address.port, isIPv6: isIPv6)
      other.send(HTTPStage.request("/metrics"))
      #expect(try other.response().status == 401)
    }
    // An address for examples, which no machine has.
    let none = HTTPAddress("[2001:db8::1]:0")!
    let (socket, address) = try HTTPAddress.listen(atFirstOf: [none, HTTPAddress("127.0.0.1:0")!])
    defer { close(socket) }
    #expect(address.host == "127.0.0.1" && address.port != 0)
    let taken = #expect(throws: HTTPFault.self) { _ = try HTTPAddress.listen(atFirstOf: [address, HTTPAddress("127.0.0.1:0")!]) }
    #expect(taken?.isPortTaken == true)
    #expect(throws: HTTPFault.self) { _ = try HTTPAddress("*:\(address.port)")!.listen() }
  }

  @Test("a target is cut at the slashes that are written, and decoded strictly")
  func targets() {
    func path(_ text: String) -> [String]? {
      HTTPTarget(Array(text.utf8)).map { $0.path.map { String(decoding: $0, as: UTF8.self) } }
    }
    #expect(path("/") == [])
    #expect(path("/a/b") == ["a", "b"])
    #expect(path("/a%2Fb/..") == ["a/b", ".."])
    #expect(path("/a/") == ["a", ""])
    #expect(path("/a+b?c") == ["a+b"])
    #expect(path("/%e6%88%BF") == ["房"])
    #expect(path("http://localhost:8080/rooms/a%2Fb") == ["rooms", "a/b"])
    for bad in ["", "a", "http://localhost", "ftp://x/y", "/%", "/%1", "/%g1", "/a?%x"] { #expect(path(bad) == nil, "\(bad)") }
    let target = HTTPTarget(Array("/rooms?limit=5&prefix=a+b%26&limit=7&x&=y".utf8))
    #expect(target?.value("limit") == Array("7".utf8))
    #expect(target?.value("prefix") == Array("a b&".utf8))
    #expect(target?.value("x") == [])
    #expect(target?.value("none") == nil)
  }

  @Test("a token must be hard to guess, and the white space around it is ignored")
  func tokens() throws {
    let token = try HTTPToken("  0123456789abcdef\r\n")
    #expect(token.isPresent(in: "bearer 0123456789abcdef"))
    #expect("\(token)" == "a token")
    for bad in ["", "short", "0123456789 abcdef", "0123456789abcdé€", String(repeating: "a", count: 1025)] {
      #expect(throws: HTTPFault.self) { _ = try HTTPToken(bad) }
    }
    for length in 0..<10 {
      let bytes = (0..<length).map { UInt8($0 * 29 & 0xff) }
      #expect(Base64.decoded(Data(bytes).base64EncodedString().utf8) == bytes)
    }
    for bad in ["a=b", "a b", "A", "QUJDR", "=", "QQ=", "QUI==", "QUJD=", "QQ===", "Q==="] {
      #expect(Base64.decoded(bad.utf8) == nil, "\(bad)")
    }
    #expect(Base64.decoded("QQ".utf8) == [0x41] && Base64.decoded("QQ==".utf8) == [0x41])
  }

  @Test("an event's id is its epoch and seq, whatever the room is called")
  func eventIDs() {
    let record = #"{"v":1,"room":"\",\"epoch\":7,\"seq\":8","epoch":123,"seq":45,"at":1,"op":"move_up"}"#
    let text = String(decoding: StreamText.event("instruction", Array(record.utf8)), as: UTF8.self)
    #expect(text == "event: instruction\nid: 123-45\ndata: \(record)\n\n")
  }

  @Test("a reader gets events in whatever pieces, and a feed keeps no more than it may")
  func feeds() {
    for size in 1...40 {
      let feed = EventFeed([1])
      let reader = EventReader(feed, screen: Array("screen;".utf8), at: 0)
      feed.readers[ObjectIdentifier(reader)] = reader
      var got: [UInt8] = []
      func read() {
        var piece = [UInt8](repeating: 0, count: size)
        while case .wrote(let count) = piece.withUnsafeMutableBytes({ reader.write(to: $0, at: 0) }) { got += piece[..<count] }
      }
      var expected = "screen;"
      for number in 0..<200 {
        feed.add(Array("event \(number);".utf8), id: nil, at: 0, bytesMax: 1 << 20)
        expected += "event \(number);"
        if number % 7 == 0 { read() }
        if number % 50 == 0 { feed.removeRead(before: 1) }
      }
      read()
      #expect(String(decoding: got, as: UTF8.self) == expected)
      feed.removeRead(before: 1)
      #expect(feed.bytes == 0)
    }
    let feed = EventFeed([1])
    let reader = EventReader(feed, screen: [], at: 0)
    for number in 0..<1000 { feed.add(Array("event \(number);".utf8), id: nil, at: 0, bytesMax: 100) }
    #expect(feed.bytes <= 100)
    var piece = [UInt8](repeating: 0, count: 1000)
    guard case .wrote(let count) = piece.withUnsafeMutableBytes({ reader.write(to: $0, at: 0) }) else {
      Issue.record("nothing")
      return
    }
    #expect(Array(piece[..<count]) == StreamText.dropped)
    #expect(reader.wasTooSlow)
    guard case .ended = piece.withUnsafeMutableBytes({ reader.write(to: $0, at: 0) }) else {
      Issue.record("it goes on")
      return
    }
  }

  @Test("the pages in the program are those in the sources")
  func pages() throws {
    let web = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Sources/ComboHTTP/Pages/web").standardizedFileURL
    var names: Set<String> = []
    for case let file as URL in try #require(
      FileManager.default.enumerator(at: web, includingPropertiesForKeys: [.isRegularFileKey]))
    {
      guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true, !file.lastPathComponent.hasPrefix(".")
      else {
        continue
      }
      let name = String(file.standardizedFileURL.path.dropFirst(web.path.count + 1))
      names.insert(name)
      let page = EmbeddedPage.all[name]
      #expect(
        page.map { Data($0.bytes) } == (try Data(contentsOf: file)),
        "\(name) has changed since: build again")
    }
    #expect(names == Set(EmbeddedPage.all.keys), "add it to Sources/CPages/pages.c")
    #expect(names.contains("index.html") && names.contains("service.html"))
  }
}
