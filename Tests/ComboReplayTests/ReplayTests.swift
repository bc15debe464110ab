import ComboCore
import ComboGenerate
import ComboSystem
import ComboWire
import Foundation
import Testing

@testable import ComboReplay
@testable import ComboTestSupport

@Suite("A replay")
struct ReplayTests {
  static func gift(_ room: String, _ ts: Int64, sender: String = "u", id: String? = nil, count: Int = 1) -> String {
    let id = id.map { #""id":"\#($0)","# } ?? ""
    return #"{\#(id)"room":"\#(room)","ts":\#(ts),"sender":{"id":"\#(sender)"},"gift":{"id":"g"},"count":\#(count)}"#
  }

  @Test("rooms whose names collide without a seed are found as fast as others")
  func seededRooms() {
    // 200 names that would all begin their search in one of 1,024 places.
    var names: [[UInt8]] = []
    var number = 0
    while names.count < 200 {
      let name = Array("room-\(number)".utf8)
      number += 1
      if name.withUnsafeBytes({ XXH3.hash($0) }) & 1023 == 7 { names.append(name) }
    }
    let rooms = ReplayRooms()
    for name in names {
      name.withUnsafeBytes {
        _ = rooms.add(
          $0, hash: ReplayRooms.hash($0), first: 0, engine: Engine(at: 0, settings: EngineSettings(Settings())), at: 0)
      }
    }
    let probes = names.map { $0.withUnsafeBytes { rooms.probes(ReplayRooms.hash($0)) } }
    // In a single chain they would need 20,000 together.
    #expect(probes.reduce(0, +) < 1000, "\(probes)")
  }

  /// Returns random lines, with all kinds of events.
  static func madeUp(_ count: Int, rooms: Int = 30, rate: Int64 = 100, bad: Double = 0.01) -> Data {
    var mix = GiftMix()
    mix.rooms = rooms
    (mix.totals, mix.repeats, mix.retracts, mix.closes, mix.bad) = (0.3, 0.05, 0.02, 0.005, bad)
    let generator = GiftGenerator(mix, prefix: "r-")
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: GiftGenerator.longest)
    defer { memory.deallocate() }
    var lines = Data()
    for number in 0..<count {
      let made = generator.make(at: 1_732_104_000_000 + Int64(number) * 1000 / rate, to: memory)
      lines.append(memory, count: made.size)
      lines.append(0x0a)
    }
    return lines
  }

  /// Returns the lines of each room, in order.
  static func byRoom(_ output: Data) throws -> [String: [String]] {
    var rooms: [String: [String]] = [:]
    for line in output.split(separator: 0x0a) {
      let value = try #require(line.withUnsafeBytes { JSONValue($0) })
      rooms[try #require(value["room"]?.string), default: []].append(String(decoding: line, as: UTF8.self))
    }
    return rooms
  }

  // MARK: -

  @Test("writes the instructions of the specification, byte for byte")
  func bytes() {
    let sender = #"{"id":"u1","name":"小明"}"#
    let input = """
      {"room":"r1", "ts":1000, "sender": {"id" : "u1", "name":"小明"}, "gift":{"id":"rose"}, "count":3}

      {"room":"r1","ts":1100,"sender":\(sender),"gift":{"id":"rose"},"count":2}
      """
    let expected = """
      {"v":1,"room":"r1","epoch":1000,"seq":1,"at":1000,"op":"show","banner":1,"slot":0,"count":3,"base":0,"sender":\(sender),"gift":{"id":"rose"}}
      {"v":1,"room":"r1","epoch":1000,"seq":2,"at":1250,"op":"update","banner":1,"slot":0,"count":5,"added":2}
      {"v":1,"room":"r1","epoch":1000,"seq":3,"at":4500,"op":"dismiss","banner":1,"slot":0,"count":5,"reason":"idle"}

      """
    let result = TestReplay.replay(Data(input.utf8))
    #expect(String(decoding: result.output, as: UTF8.self) == expected)
    #expect(result.summary == ReplayPipeline.Summary(lines: 3, badLines: 0))
  }

  @Test("reports bad lines with their numbers, and continues")
  func badLines() throws {
    let input = ["not json", "", Self.gift("a", 1), "{}", " \t\r", Self.gift("b", 2), #"{"room":"r","sender":1}"#].joined(
      separator: "\n")
    // The line numbers continue from piece to piece, each of one or two lines.
    for chunkBytes in [200, 1 << 19] {
      let result = TestReplay.replay(Data(input.utf8), chunkBytes: chunkBytes)
      #expect(result.summary == ReplayPipeline.Summary(lines: 7, badLines: 3))
      #expect(
        result.reports.map { $0.prefix { $0 != "," && $0 != ";" }.prefix(24) } == [
          "line 1: not_json: the re", "line 4: missing_field: r", "line 7: missing_field: t",
        ])
      #expect(try Self.byRoom(result.output).keys.sorted() == ["a", "b"])
    }
  }

  @Test("skips a line that is longer than any memory, and reports its length")
  func tooLong() throws {
    let long = String(repeating: "x", count: 70_000)
    let input = [Self.gift("a", 1), long, Self.gift("a", 2), long].joined(separator: "\n")
    for chunkBytes in [1000, 66_000, 1 << 19] {
      let result = TestReplay.replay(Data(input.utf8), chunkBytes: chunkBytes)
      #expect(result.summary == ReplayPipeline.Summary(lines: 4, badLines: 2))
      #expect(result.reports.allSatisfy { $0.contains("too_large") && $0.contains("70000") }, "\(result.reports)")
      #expect(try Self.byRoom(result.output)["a"]?.last?.contains(#""count":2"#) == true)
    }
  }

  @Test("accepts a file that begins with a byte order mark, or whose lines end with CR LF")
  func foreignText() {
    let lines = [Self.gift("a", 1), Self.gift("a", 2)]
    let plain = TestReplay.replay(Data(lines.joined(separator: "\n").utf8)).output
    let foreign = Data([0xef, 0xbb, 0xbf]) + Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    #expect(TestReplay.replay(foreign).output == plain)
    #expect(TestReplay.replay(foreign).summary.badLines == 0)
  }

  @Test("of nothing writes nothing")
  func nothing() {
    for input in ["", "\n", "\n\n \n"] {
      let result = TestReplay.replay(Data(input.utf8))
      #expect(result.output.isEmpty)
      #expect(result.summary.badLines == 0)
    }
  }

  @Test("writes the same bytes in one go and in pieces, with any number of threads", arguments: [1, 2, 5])
  func pieces(threads: Int) {
    let input = Self.madeUp(4000)
    let whole = TestReplay.replay(input, threads: 1, chunkBytes: 1 << 24)
    #expect(whole.summary.lines == 4000)
    #expect(whole.output.count > 100_000)
    for (chunkBytes, step) in [(20_481, 700), (30_000, 1 << 20), (1 << 19, 1)] {
      let result = TestReplay.replay(input, threads: threads, chunkBytes: chunkBytes, step: step)
      #expect(result.output == whole.output)
      #expect(result.reports == whole.reports)
    }
  }

  @Test("writes instructions in the order of the lines that led to them, and the rest by the rooms' first lines")
  func order() throws {
    let input = [Self.gift("b", 1000), Self.gift("a", 1000), Self.gift("c", 1000), Self.gift("a", 1100)]
    let output = TestReplay.replay(Data(input.joined(separator: "\n").utf8)).output
    let rooms = try output.split(separator: 0x0a).map { line in
      try #require(line.withUnsafeBytes { JSONValue($0) }?["room"]?.string)
    }
    #expect(rooms == ["b", "a", "c", "b", "a", "a", "c"])
  }

  @Test("forgets rooms that have rested without a difference in the output", arguments: [1, 2])
  func sweeps(threads: Int) throws {
    // Half an hour, with rooms that come and go.
    let input = Self.madeUp(20_000, rooms: 400, rate: 10)
    let kept = TestReplay.replay(input, threads: threads)
    // Pieces are some seconds long, with sweeps in between.
    let forgotten = TestReplay.replay(input, maxRestedRooms: 0, threads: threads, chunkBytes: 21_000, sweepLines: 50)
    // Compared room by room, as the whole difference would fill pages.
    let (all, rest) = (try Self.byRoom(kept.output), try Self.byRoom(forgotten.output))
    let different = Set(all.keys).union(rest.keys).filter { all[$0] != rest[$0] }.sorted()
    #expect(different == [])
    // The same rooms are forgotten at the same lines, whatever the number of threads.
    #expect(
      forgotten.output == TestReplay.replay(input, maxRestedRooms: 0, threads: 3, chunkBytes: 21_000, sweepLines: 50).output)
  }

  @Test("reports the same fates of gifts when it forgets rooms that have rested")
  func explainingSweeps() throws {
    let input = Self.madeUp(20_000, rooms: 400, rate: 10)
    let all = try Self.byRoom(TestReplay.explain(input))
    let rest = try Self.byRoom(TestReplay.explain(input, maxRestedRooms: 0, chunkBytes: 21_000, sweepLines: 50))
    #expect(all.values.reduce(0) { $0 + $1.count } > 19_000)
    #expect(Set(all.keys).union(rest.keys).filter { all[$0] != rest[$0] }.sorted() == [])
  }

  @Test("keeps rooms whose times lie far apart, unless there are very many")
  func farApart() throws {
    var lines = [Self.gift("a", 1000, id: "x")]
    for hour in 1...5 { lines.append(Self.gift("b", Int64(hour) * 3_600_000)) }
    lines.append(Self.gift("a", 2000, id: "x"))
    lines.append(Self.gift("a", 2000, id: "y"))
    let output = TestReplay.replay(Data(lines.joined(separator: "\n").utf8), sweepLines: 1).output
    let a = try #require(try Self.byRoom(output)["a"])
    #expect(a.count == 3)
    #expect(a[1].contains(#""count":2,"added":1"#))
  }

  @Test("ends with a sentence when its input cannot be read, and early when its output cannot be written")
  func failures() {
    let broken = LineSource(read: { _ in -5 })
    let one = ReplayPipeline(broken, settings: Settings(), maxRestedRooms: 0, threads: 2, write: { _ in true }, report: { _ in })
    #expect(one.run().failure == "cannot read the input: Input/output error")
    let other = ReplayPipeline(
      TestReplay.source(Self.madeUp(2000)), settings: Settings(), maxRestedRooms: 0, threads: 2, chunkBytes: 30_000,
      write: { _ in false }, report: { _ in })
    #expect(other.run().lines < 2000)
  }
}

@Suite("Lines")
struct LineSourceTests {
  private func pieces(_ text: String, memory size: Int, step: Int, isWaiting: @escaping () -> Bool = { false }) -> [String] {
    let source = TestReplay.source(Data(text.utf8), step: step, isWaiting: isWaiting)
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
    defer { memory.deallocate() }
    var pieces: [String] = []
    while true {
      switch source.next(into: memory) {
      case .lines(let count): pieces.append(String(decoding: memory[..<count], as: UTF8.self))
      case .tooLong(let count): pieces.append("too long: \(count)")
      case .end: return pieces
      case .failed(let error): return ["failed: \(error)"]
      }
    }
  }

  @Test("are complete, whatever the reads are", arguments: 1...12)
  func whole(step: Int) {
    let text = "one\ntwo\n\nthree\nfour"
    let pieces = pieces(text, memory: 9, step: step)
    #expect(pieces.joined() == text)
    #expect(pieces.dropLast().allSatisfy { $0.hasSuffix("\n") })
  }

  @Test("that do not fit are passed over", arguments: 1...12)
  func tooLong(step: Int) {
    #expect(pieces("a\n0123456789\nb\n", memory: 6, step: step).joined(separator: "|") == "a\n|too long: 10|b\n")
    #expect(pieces("0123456789", memory: 6, step: step) == ["too long: 10"])
  }

  @Test("that are there are returned before more is read")
  func waiting() {
    #expect(pieces("a\nbc\nd", memory: 100, step: 2, isWaiting: { true }) == ["a\n", "bc\n", "d"])
    #expect(pieces("01234567\nb\ncd\ne\n", memory: 6, step: 20, isWaiting: { true }) == ["too long: 8", "b\n", "cd\ne\n"])
  }

  @Test("that were read before a read failed are returned before the failure")
  func failure() {
    var reads = ["a\nb", "c\nd"]
    let source = LineSource(read: { memory in
      if reads.isEmpty { return -5 }
      let text = Array(reads.removeFirst().utf8)
      memory.copyBytes(from: text)
      return text.count
    })
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
    defer { memory.deallocate() }
    #expect([source.next(into: memory), source.next(into: memory)] == [.lines(5), .failed(5)])
  }
}

@Suite("A table of rooms")
struct ReplayRoomsTests {
  @Test("puts a room into the same group in each process")
  func groups() {
    let groups = (0..<8).map { number in Array("room-\(number)".utf8).withUnsafeBytes { ReplayRooms.group($0, of: 8) } }
    #expect(groups == [7, 7, 0, 4, 0, 6, 1, 0])
  }

  @Test("has the same contents as a dictionary, whatever is added and removed", arguments: 0..<20)
  func model(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed))
    let rooms = ReplayRooms()
    let settings = EngineSettings(Settings())
    var model: [String: UInt64] = [:]
    for step in 0..<3000 {
      let name = "r\(random.below(600))"
      let bytes = Array(name.utf8)
      bytes.withUnsafeBytes { bytes in
        // Few hashes, so that they collide and wrap around.
        let hash = ReplayRooms.hash(bytes) | ~0x7
        let index = rooms.find(bytes, hash: hash)
        if let first = model[name] {
          #expect(index >= 0 && rooms[index].pointee.first == first)
          if random.below(2) == 0 {
            rooms.remove(index)
            model[name] = nil
          }
        } else {
          #expect(index == -1)
          _ = rooms.add(bytes, hash: hash, first: UInt64(step), engine: Engine(at: 0, settings: settings), at: 0)
          model[name] = UInt64(step)
        }
      }
    }
    #expect(rooms.count == model.count)
    #expect(Set(rooms.indices.map { rooms[$0].pointee.first }) == Set(model.values))
  }
}
