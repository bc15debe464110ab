import ComboEdge
import ComboLog
import ComboSystem
import ComboWire
import Synchronization
import Testing

@testable import ComboCommands

/// The demo around a fake service, which shows one banner for each gift, whatever the gift is.
@Suite("The demo", .serialized)
struct DemoTests {
  final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  /// Reads the gifts, and shows a banner for each until `stop`.
  private static func echo(_ stage: LogStage, _ stop: StopSignal) -> Int32 {
    do throws(LogFault) {
      let page = LogPage()
      var batch = LogBatch()
      var position: Int64 = 0
      var seqs: [String: Int] = [:]
      while !stop.isSet {
        let rings = stage.file.appended.rings
        page.removeAll()
        position = try stage.file.read(stage.stream(.input), from: position, into: page)
        for record in page.records {
          guard let key = page.key(record), let value = page.value(record).flatMap({ JSONValue($0) }) else { return 2 }
          let room = String(decoding: key, as: UTF8.self)
          let seq = seqs[room, default: 0] + 1
          seqs[room] = seq
          let sender = value["sender"]?["name"]?.string ?? ""
          let output = """
            {"v":1,"room":"\(room)","epoch":1,"seq":\(seq),"at":1,"op":"show","banner":\(seq),"slot":0,"count":1,"base":0,\
            "sender":{"name":"\(sender)"},"gift":{"name":"G"}}
            """
          Array(output.utf8).withUnsafeBytes {
            batch.append(stage.stream(.output), key: key, value: $0, timestamp: WallClock.nowMs)
          }
        }
        try stage.file.commit(batch, group: "echo")
        batch.removeAll()
        stage.file.appended.wait(after: rings, maxMs: 100)
      }
      return 0
    } catch {
      return 3
    }
  }

  private func run(_ seconds: Double, _ lines: Lines, service: @escaping Demo.RunService) throws -> Int32 {
    var options = DemoOptions()
    options.seconds = seconds
    options.rooms = 3
    options.rate = 100
    return Demo(
      options: options, stage: try LogStage(.memory), stop: StopSignal(), service: service, draws: false,
      print: { lines.add($0) }
    ).run()
  }

  @Test("names the invented data, shows the service's instructions, and ends with a summary when its time is over")
  func shows() throws {
    // The number of banners shown in a time depends on the machine.
    var isEnough = false
    for seconds in [4.0, 8, 16, 32, 64] where !isEnough {
      let lines = Lines()
      #expect(try run(seconds, lines, service: { Self.echo($0, $1) }) == 0)
      #expect(lines.all.first == Demo.notice)
      #expect(lines.all.last?.hasPrefix("combo-consumer demo: ") == true)
      let shown = lines.all.filter { $0.hasPrefix("+ r") }
      let rooms = Set(shown.map { String($0.prefix(4)) })
      #expect(rooms.isSubset(of: ["+ r0", "+ r1", "+ r2"]))
      isEnough = shown.count > 10 && rooms.count == 3
    }
    #expect(isEnough)
  }

  @Test("ends with 1 when the service ends by itself, with the service's own code when it was asked to end")
  func codes() throws {
    #expect(try run(30, Lines(), service: { _, _ in 0 }) == 1)
    let waits: Demo.RunService = { _, stop in
      let code = Monitor<Int32?>(nil)
      stop.onSet { code.change { $0 = 7 } }
      return code.wait { $0 }
    }
    #expect(try run(0.1, Lines(), service: waits) == 7)
  }
}

@Suite("A pace")
struct PaceTests {
  @Test("is even, and makes as many in the time as were asked for, however late it is asked")
  func even() {
    let pace = Pace(rate: 100, seconds: 2, begins: 1000)
    #expect(pace.due(at: 1000, made: 0) == 1)
    #expect(pace.due(at: 1009, made: 1) == 0)
    #expect(pace.due(at: 1010, made: 1) == 1)
    #expect(pace.due(at: 2000, made: 50) == 51)
    #expect(pace.due(at: 9000, made: 150) == 50)
    #expect(pace.due(at: 9000, made: 200) == -1)
  }

  @Test("without a rate makes as many as it can until the time is over")
  func unlimited() {
    #expect(Pace(rate: 0, seconds: 0, begins: 0).due(at: 1 << 40, made: 1 << 40) == Pace.batch)
    #expect(Pace(rate: 0, seconds: 1, begins: 0).due(at: 1000, made: 5) == -1)
  }
}

@Suite("A stop signal")
struct StopSignalTests {
  @Test("reports once, also those that arrive late")
  func once() {
    let stop = StopSignal()
    let count = Atomic<Int>(0)
    stop.onSet { count.add(1, ordering: .relaxed) }
    #expect(!stop.isSet)
    stop.set()
    stop.set()
    #expect(stop.isSet)
    #expect(count.load(ordering: .relaxed) == 1)
    stop.onSet { count.add(1, ordering: .relaxed) }
    #expect(count.load(ordering: .relaxed) == 2)
  }
}
