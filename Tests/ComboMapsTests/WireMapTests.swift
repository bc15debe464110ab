import ComboCore
import ComboMaps
import ComboWire
import Foundation
import Testing

@testable import ComboTestSupport

@Suite("The map `wire`")
struct WireMapTests {
  /// All lines of the repository's conformance streams, and of those in the folder that COMBO_TEST_CONFORMANCE names, if any.
  private static var lines: [[UInt8]] {
    let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let more = ProcessInfo.processInfo.environment["COMBO_TEST_CONFORMANCE"].map { URL(fileURLWithPath: $0) }
    let folders = [here.appendingPathComponent("Conformance")] + (more.map { [$0] } ?? [])
    return folders.flatMap { folder -> [[UInt8]] in
      let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { $0.hasSuffix(".in.jsonl") }
      return names.sorted().flatMap { name -> [[UInt8]] in
        let data = (try? Data(contentsOf: folder.appendingPathComponent(name))) ?? Data()
        return data.split(separator: 0x0a).map { Array($0) }
      }
    }
  }

  private static let bad = [
    "{", "", "5", #"{"room":"r","ts":1,"gift":{"id":"g"}}"#, #"{"room":"r","ts":1,"sender":{"id":"u"}}"#,
    #"{"room":"r","ts":1,"sender":5,"gift":{"id":"g"}}"#, #"{"room":"r","ts":1,"sender":{"id":"u"},"gift":5}"#,
    #"{"room":"r","ts":1,"sender":{"id":1.5},"gift":{"id":"g"}}"#, #"{"room":"r","ts":1,"sender":{"id":"u"},"gift":{"id":{}}}"#,
    #"{"room":"r","sender":{"id":"u"},"gift":{"id":"g"}}"#, #"{"room":"r","ts":-1,"sender":{"id":"u"},"gift":{"id":"g"}}"#,
    #"{"room":"r","ts":1.5,"sender":{"id":"u"},"gift":{"id":"g"}}"#, #"{"ts":1,"sender":{"id":"u"},"gift":{"id":"g"}}"#,
    #"{"room":"r","ts":1,"sender":{"id":"u"},"gift":{"id":"g"},"count":0}"#,
    #"{"room":"r","ts":1,"sender":{"id":"u"},"gift":{"id":"g"},"count":1,"total":2}"#,
    #"{"room":"r","ts":1,"sender":{"id":"u"},"gift":{"id":"g"},"total":2,"streak":[]}"#,
    #"{"room":"r","ts":1,"sender":{"id":"u"},"gift":{"id":"g","value":-1}}"#,
    #"{"room":"r","ts":1,"sender":{"id":"u"},"receiver":5,"gift":{"id":"g"}}"#,
    #"{"type":"applause","room":"r","ts":1}"#, #"{"type":"retract","room":"r","ts":1}"#,
    #"{"type":"retract","room":"r","ts":1,"sender":{"id":"u"},"gift":{}}"#,
    #"{"type":"room_settings","room":"r","ts":1,"settings":{"slots":101}}"#, #"{"type":"room_settings","room":"r","ts":1}"#,
    #"{"room":"\#(String(repeating: "r", count: 257))","ts":1,"sender":{"id":"u"},"gift":{"id":"g"}}"#,
    #"{"room":"r","ts":1,"sender":{"id":"u","n":"\#(String(repeating: "n", count: 16_400))"},"gift":{"id":"g"}}"#,
  ]

  @Test("makes the same events of all conformance streams as records without a map are, byte for byte")
  func same() throws {
    let map = try RecordMap(Array(try #require(BuiltInMaps.text("wire")).utf8), file: "wire")
    let plain = RecordDecoder(limits: .replay)
    let mapped = RecordDecoder(limits: .replay, map: map)
    let arena = BumpArena()
    func read(_ decoder: RecordDecoder, _ line: [UInt8]) -> String {
      arena.reset()
      var event = Event()
      return line.withUnsafeBytes { bytes in
        do throws(BadEvent) {
          guard try decoder.decode(bytes, key: nil, into: arena, &event) else { return "dropped" }
          return text(of: event) + (event.kind == .roomSettings ? "\(decoder.own)" : "")
        } catch {
          return "bad \(error.code)"
        }
      }
    }
    let lines = Self.lines + Self.bad.map { Array($0.utf8) }
    #expect(lines.count > 1000)
    var bad = 0
    for line in lines {
      let (one, other) = (read(plain, line), read(mapped, line))
      if one.hasPrefix("bad") { bad += 1 }
      if one != other { Issue.record("\(String(decoding: line.prefix(300), as: UTF8.self)): \(other), not \(one)") }
    }
    #expect(bad >= Self.bad.count)
  }

  @Test("calls a CloudEvent one, wherever its members stand, as it is called without a map", arguments: [true, false])
  func cloudEvent(isMapped: Bool) throws {
    let map = try RecordMap(Array(try #require(BuiltInMaps.text("wire")).utf8), file: "wire")
    let decoder = RecordDecoder(map: isMapped ? map : nil)
    for record in [
      #"{"specversion":"1.0","type":"gift.sent","id":"e","data":{"room":"r","sender":{"id":"u"},"gift":{"id":"g"}}}"#,
      #"{"type":"gift.sent","source":"/x","data_base64":"e30=","specversion":"1.0"}"#,
    ] {
      var event = Event()
      // Read again, it is of a known shape.
      for _ in 0..<2 {
        Array(record.utf8).withUnsafeBytes { record in
          do throws(BadEvent) {
            _ = try decoder.decode(record, key: nil, into: BumpArena(), &event)
            Issue.record("an event")
          } catch {
            #expect(error.code == .unknownType, "\(error)")
            #expect(error.reason.contains(#"CloudEvent of type "gift.sent""#), "\(error)")
            #expect(error.reason.contains("docs/kafka-envelopes.md"), "\(error)")
          }
        }
      }
    }
  }
}
