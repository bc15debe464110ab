import ComboService
import ComboSystem
import Foundation
import Testing

@testable import ComboHTTP
@testable import ComboTestSupport

@Suite("Compressed answers")
struct GzipTests {
  /// Returns what gzip unpacks. With `isWhole`, it must find the checksum and the length correct.
  private func unpacked(_ bytes: [UInt8], isWhole: Bool = true) throws -> String {
    let path = NSTemporaryDirectory() + "/" + TestKafka.fresh("combo-gzip")
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/gzip")
    process.arguments = ["-dc"]
    process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    let out = Pipe()
    process.standardOutput = out
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = out.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    if isWhole { #expect(process.terminationStatus == 0, "gzip ends with \(process.terminationStatus)") }
    return String(decoding: text, as: UTF8.self)
  }

  private func text(_ count: Int) -> [UInt8] {
    Array((0..<count).map { #"{"op":"update","banner":\#($0 % 7),"count":\#($0)}"# }.joined(separator: "\n").utf8)
  }

  @Test("pieces of any length, compressed or only wrapped, are one stream")
  func pieces() throws {
    let gzip = GzipPieces()
    var sum = GzipPieces.Sum()
    var (stream, want) = (GzipPieces.head, [UInt8]())
    for (bytes, readers) in [(text(1), 1), (text(500), 1), ([], 1), (text(3), 1000), (text(5000), 1), (text(2), 1)] {
      let piece = gzip.piece(bytes, readers: readers)
      #expect(bytes.count * readers < 2048 || piece.blocks.count < bytes.count)
      #expect(piece.blocks.count <= bytes.count + 5)
      sum.add(piece)
      stream += piece.blocks
      want += bytes
      // The bytes so far can be read at once.
      #expect(try unpacked(stream, isWhole: false) == String(decoding: want, as: UTF8.self))
    }
    #expect(try unpacked(stream + sum.tail) == String(decoding: want, as: UTF8.self))
    #expect(try unpacked(gzip.whole(text(100))) == String(decoding: text(100), as: UTF8.self))
  }

  @Test("are sent only to clients that accept them")
  func accepted() {
    for header in ["gzip", "deflate, gzip;q=1.0, *;q=0.5", "br,GZIP", "gzip; q=0.1"] { #expect(GzipPieces.isAccepted([header])) }
    for header in ["", "br", "gzip;q=0", "gzip; q=0.000", "x-gzip", "identity"] { #expect(!GzipPieces.isAccepted([header])) }
  }

  @Test("readers of a room, compressed or not, from the beginning or later, get the same events; pieces are made once")
  func readers() throws {
    let gzip = GzipPieces()
    let feed = EventFeed(Array("r".utf8))
    let screen = Array("event: screen\ndata: {}\n\n".utf8)
    func reader(_ isCompressed: Bool) -> EventReader {
      let reader = EventReader(feed, screen: screen, gzip: isCompressed ? gzip : nil, at: 0)
      feed.readers[ObjectIdentifier(reader)] = reader
      return reader
    }
    var sent: [ObjectIdentifier: [UInt8]] = [:]
    func write(_ readers: [EventReader], most: Int = .max) {
      for reader in readers {
        var buffer = [UInt8](repeating: 0, count: 100)
        var written = 0
        while written < most, case .wrote(let count) = buffer.withUnsafeMutableBytes({ reader.write(to: $0, at: 0) }) {
          sent[ObjectIdentifier(reader), default: []] += buffer[..<count]
          written += count
        }
      }
    }
    let (plain, first, second) = (reader(false), reader(true), reader(true))
    var all = [plain, first, second]
    var output: [UInt8] = []
    for round in 0..<20 {
      for _ in 0...(round % 5) {
        let text = String(repeating: "x", count: round * 20)
        let event = StreamText.event("instruction", HTTPStage.record("r", 1, feed.end + 1, text))
        output += event
        feed.add(event, id: nil, at: 0, bytesMax: .max)
      }
      if round == 7 { all.append(reader(true)) }
      // The third one is slow now and then.
      write(round % 3 == 0 ? [plain, first] + all[3...] : all, most: round % 4 == 1 ? 150 : .max)
    }
    for reader in all { reader.end(with: StreamText.stopping) }
    write(all)
    let whole = String(decoding: screen + output + StreamText.stopping, as: UTF8.self)
    #expect(String(decoding: sent[ObjectIdentifier(plain)]!, as: UTF8.self) == whole)
    #expect(try unpacked(sent[ObjectIdentifier(first)]!) == whole)
    #expect(try unpacked(sent[ObjectIdentifier(second)]!) == whole)
    let late = try unpacked(sent[ObjectIdentifier(all[3])]!)
    #expect(late.count > screen.count && whole.hasSuffix(late.dropFirst(screen.count)))
    #expect(sent[ObjectIdentifier(first)]!.count < sent[ObjectIdentifier(plain)]!.count)
    // All readers share the same bytes.
    let place = feed.end
    feed.add(Array(repeating: 65, count: 5000), id: nil, at: 0, bytesMax: .max)
    #expect(feed.piece(from: place, gzip).piece.blocks == feed.piece(from: place, gzip).piece.blocks)
    #expect(feed.piece(from: place, gzip).end == place + 1)
  }

  @Test("a page is compressed for clients that accept that, with a tag of its own")
  func page() throws {
    let stage = try HTTPStage()
    let plain = try stage.get("/assets/rooms.js")
    let packed = try stage.get("/assets/rooms.js", headers: ["Accept-Encoding: gzip, br"])
    #expect(plain.header("Content-Encoding") == nil && packed.header("Content-Encoding") == "gzip")
    for answer in [plain, packed] { #expect(answer.header("Vary")?.contains("Accept-Encoding") == true) }
    #expect(packed.body.count * 2 < plain.body.count)
    #expect(try unpacked(packed.body) == plain.text)
    let tags = try (#require(plain.header("ETag")), #require(packed.header("ETag")))
    #expect(tags.0 != tags.1)
    for tag in [tags.0, tags.1] {
      #expect(try stage.get("/assets/rooms.js", headers: ["Accept-Encoding: gzip", "If-None-Match: \(tag)"]).status == 304)
      #expect(try stage.get("/assets/rooms.js", headers: ["If-None-Match: \(tag)"]).status == 304)
    }
    #expect(try stage.get("/health/live", headers: ["Accept-Encoding: gzip"]).header("Content-Encoding") == nil)
    let metrics = try stage.get("/metrics", headers: ["Accept-Encoding: gzip"])
    #expect(try metrics.header("Content-Encoding") == "gzip" && unpacked(metrics.body).contains("combo_build_info"))
  }

  @Test("a stream is compressed for clients that accept that; each event can be read when it arrives, and the end is whole")
  func stream() throws {
    let stage = try HTTPStage()
    let wire = try stage.wire()
    wire.send(HTTPStage.request("/rooms/r/events", headers: ["Accept-Encoding: gzip"]))
    guard case .screen(let room, let id, true, _) = try stage.query() else {
      throw TestKafka.Failure("no query for a screen")
    }
    stage.observatory.tell([.screen(id: id, room: room, record: HTTPStage.record("r", 1, 1, "first"))])
    let head = try wire.head()
    #expect(head.header("Content-Encoding") == "gzip" && head.header("Content-Type")?.hasPrefix("text/event-stream") == true)
    var seen = 0
    for last in [2, 5, 30] {
      stage.emit("r", (seen + 2)..<(last + 1))
      seen = last - 1
      var text = ""
      _ = try wire.bytes { bytes in
        text = (try? unpacked(bytes, isWhole: false)) ?? ""
        return text.contains("id: 1-\(last)\n") && text.hasSuffix("\n\n")
      }
      #expect(text.hasPrefix("event: screen\n") && (2...last).allSatisfy { text.contains("id: 1-\($0)\n") })
    }
    stage.stop.set()
    #expect(try unpacked(wire.bytes { _ in false }).contains(#"{"reason":"stopping""#))
  }
}
