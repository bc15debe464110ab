import ComboEdge
import ComboLog
import ComboRooms
import ComboSystem
import ComboWire
import Foundation
import Testing

@testable import ComboCommands
@testable import ComboTestSupport
@testable import ComboVerify

/// The service on a log instead of brokers, with the same guarantees as on Kafka.
@Suite("The service on a log")
struct LogServiceTests {
  @Test("logs once why old records cannot be deleted, and again for another reason or after a success")
  func deletion() {
    let lines = LoggedLines()
    let log = ServiceLog(.info, countsRepeats: false) { lines.add($0) }
    var deletion = LogKeeper.Deletion()
    for fault in [LogFault(.full, "1"), LogFault(.full, "2"), nil, LogFault(.full, "3"), LogFault(.inUse, "4")] {
      deletion.run(log) { () throws(LogFault) in if let fault { throw fault } }
    }
    #expect(lines.all.map { $0.last } == ["1", "3", "4"])
  }

  @Test("accepts gifts, emits banners, continues after a stop, and all of it is proven", arguments: [true, false])
  func flows(isFile: Bool) throws {
    let scene = try LogScene(isFile: isFile)
    for round in 0..<3 {
      let service = scene.start()
      try scene.give((0..<50).map { LogScene.gift("r\($0 % 5)", round * 50 + $0) })
      try scene.settle()
      service.stop.set()
      #expect(try service.end() == 0, "\(service.log)")
    }
    let report = try scene.verify()
    #expect(report.isProven, "\(report.summary)")
    // In each room, one banner continues to count through all three runs.
    #expect(Set(try scene.records(.output).filter { $0.contains(#""op":"show""#) }.map { $0.prefix(40) }).count == 5)
  }

  @Test("once its input is over it ends by itself, with the last banner gone")
  func ends() throws {
    let scene = try LogScene()
    try scene.give([LogScene.gift("r", 1), LogScene.gift("s", 1)])
    let over = StopFlag()
    let service = scene.start(inputOver: over)
    try scene.settle()
    #expect(try scene.records(.output).count >= 2)
    over.set()
    #expect(try service.end() == 0, "\(service.log)")
    let emitted = try scene.records(.output)
    for room in ["r", "s"] {
      let own = emitted.filter { $0.contains(#""room":"\#(room)""#) }
      #expect(own.count { $0.contains(#""op":"show""#) } == own.count { $0.contains(#""op":"dismiss""#) }, "\(own)")
    }
    #expect(try scene.verify().isProven)
  }

  @Test("bad records go to the dead-letter topic, with the reason")
  func deadLetters() throws {
    let scene = try LogScene()
    let service = scene.start()
    try scene.give(["hello", #"{"type":"gift"}"#, LogScene.gift("r", 1)])
    try scene.settle()
    service.stop.set()
    #expect(try service.end() == 0)
    #expect(try scene.records(.deadLetter) == ["hello", #"{"type":"gift"}"#])
    let report = try scene.verify()
    #expect(report.isProven && report.summary.contains("But 2 of 3 records were bad"), "\(report.summary)")
  }

  @Test("a successor fences the other at any moment, and each gift still counts once", arguments: [1, 2] as [UInt64])
  func takesOver(seed: UInt64) throws {
    let scene = try LogScene()
    var random = SplitMix64(seed: seed)
    print("seed \(seed)")
    var services: [LogScene.Running] = []
    for round in 0..<8 {
      services.append(scene.start())
      // Otherwise the next one could be faster, and be fenced by this one.
      try services[round].awaitLog("assigned: ")
      for part in 0..<4 {
        try scene.give((0..<25).map { LogScene.gift("r\($0 % 3)", round * 100 + part * 25 + $0) })
        MonotonicClock.sleep(ms: Int64.random(in: 0...15, using: &random))
      }
    }
    try scene.settle()
    let last = services.removeLast()
    for service in services { #expect(try service.end() == 1) }
    last.stop.set()
    #expect(try last.end() == 0, "\(last.log)")
    let report = try scene.verify()
    #expect(report.isProven, "\(report.summary)")
  }

  @Test("`live --print` ends with 1 and the reason if standard output cannot be written")
  func printsNowhere() throws {
    let folder = NSTemporaryDirectory() + "/" + TestKafka.fresh("combo-print")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try Data((LogScene.gift("r", 1) + "\n").utf8).write(to: URL(fileURLWithPath: folder + "/in"))
    try Data().write(to: URL(fileURLWithPath: folder + "/log"))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: ServiceProcess.program)
    process.arguments = ["live", "--data", "none", "--http", "none", "--print"]
    process.standardInput = FileHandle(forReadingAtPath: folder + "/in")
    process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
    process.standardError = FileHandle(forWritingAtPath: folder + "/log")
    try process.run()
    process.waitUntilExit()
    let log = try String(contentsOfFile: folder + "/log", encoding: .utf8)
    #expect(
      process.terminationStatus == 1 && log.contains("cannot write to standard output: No space left on device"), "\(log)")
  }

  @Test("`live` needs a source: without HTTP, --from post is none")
  func hasNoSource() throws {
    let (code, _, log) = try ServiceProcess.run(["live", "--data", "none", "--http", "none", "--from", "post"])
    #expect(code == 2 && log.contains("there is no source of records"), "\(log)")
  }

  @Test("`live --export` reports the number of records that were deleted before the first that it prints")
  func exportsRest() throws {
    let scene = try LogScene(isFile: true)
    let path = try #require(scene.path) + "-evicted"
    var limits = LogFile.Limits()
    limits.sizeMax = 1 << 18
    let file = try LogFile(.file(path), limits: limits)
    try file.makeTopic(LogStage.input, partitions: 1)
    while file.bounds(0).first == 0 {
      var batch = LogBatch()
      for number in 0..<200 {
        Array(LogScene.gift("r", number).utf8).withUnsafeBytes { batch.append(0, key: nil, value: $0, timestamp: 1000) }
      }
      try file.append(batch)
    }
    var batch = LogBatch()
    for value in [LogScene.gift(#"a\tb"#, 0), #"{"map":"tiktok","room":"r","record":{}}"#] {
      Array(value.utf8).withUnsafeBytes { batch.append(0, key: nil, value: $0, timestamp: 1000) }
    }
    try file.append(batch)
    let (first, end) = file.bounds(0)
    file.close()
    let (code, output, log) = try ServiceProcess.run(["live", "--export", "--data", path])
    #expect(code == 0 && output.split(separator: "\n").count == end - first)
    #expect(
      log.contains(
        "from record \(ProgressMeter.grouped(Int(first) + 1)) on: \(ProgressMeter.grouped(Int(first))) records before it were deleted"
      ),
      "\(log)")
    #expect(output.contains("\na b\t{") && log.contains("note: the room of 1 record has"), "\(output.suffix(200)) \(log)")
    #expect(log.contains("note: 1 record without a room, and so with an empty key"), "\(log)")
  }

  @Test(
    "a log that is full deletes old records up to a checkpoint by itself, and what follows from there is proven, after a stop too",
    arguments: [true, false])
  func full(countsBytes: Bool) throws {
    var limits = LogFile.Limits()
    limits.sizeMax = 2 << 20
    let scene = try LogScene(limits: limits)
    let file = scene.stage.file
    var configuration = LogScene.configuration()
    if countsBytes { configuration.checkpointBytes = 100_000 } else { configuration.checkpointGifts = 50 }
    let service = scene.start(configuration)
    var taken = 0
    let deadline = Deadline(afterMs: 120_000)
    let show = String(repeating: "x", count: 2000)
    // The rooms never rest, so that checkpoints are the only known beginnings.
    var since = 0
    while since < 30, !deadline.isOver {
      if file.bounds(scene.stage.stream(.output)).first > 0 { since += 1 }
      do {
        try scene.give(
          (0..<20).map {
            #"{"room":"r\#($0 % 5)","sender":{"id":"u\#(taken % 7)","show":"\#(show)"},"gift":{"id":"rose","value":\#($0)}}"#
          })
        taken += 20
      } catch let fault as LogFault {
        // Nothing may be deleted until the next checkpoint.
        #expect(fault.code == .full)
      }
      try scene.settle()
      if file.needsRetention { try file.retain(ageMs: 1_000_000_000, now: WallClock.nowMs) }
    }
    #expect(taken > 200 && file.bounds(scene.stage.stream(.input)).first > 0)
    try scene.give([LogScene.gift("r0", 1_000_000)])
    try scene.settle()
    service.stop.set()
    #expect(try service.end() == 0, "\(service.log)")
    let report = try scene.verify(.oldest)
    #expect(report.isProven && report.tally.equal > 0, "\(report.summary)")
    let first = file.bounds(scene.stage.stream(.input)).first
    #expect(
      report.summary.contains(
        "deleted before that: \(Counted.text(Int(first), "records of the input")); what is left of it begins"),
      "\(report.summary)")
    // The newest checkpoint alone would prove nothing.
    #expect(try scene.verify().tally.equal < report.tally.equal)
    // A takeover after the checkpoint changes nothing of that.
    let next = scene.start(configuration)
    try scene.give([LogScene.gift("r0", 1_000_001)])
    try scene.settle()
    next.stop.set()
    #expect(try next.end() == 0, "\(next.log)")
    let again = try scene.verify(.oldest)
    #expect(again.isProven && again.tally.equal >= report.tally.equal, "\(again.summary)")
  }
}
