import Foundation
import Testing

@testable import ComboSystem
@testable import ComboTestSupport

@Suite("A log line")
struct LogLineTests {
  private let time: Int64 = 1_763_752_595_007
  private let message: LogMessage = "partition \(.partition, 3) could not be \"restored\": \(.reason, "no\nleader\u{1b}[31m")"

  @Test("is a sentence for people, in one line whatever its values hold")
  func text() {
    #expect(
      LogLine.line(.warning, message, format: .text, at: time)
        == "2025-11-21T19:16:35.007Z warning partition 3 could not be \"restored\": no leader [31m")
  }

  @Test("names one of a thing in the singular, in the text for people only")
  func singular() {
    func text(_ message: LogMessage) -> String { String(LogLine.line(.info, message, format: .text, at: time).dropFirst(30)) }
    let restored: LogMessage =
      "\(.rooms, 1) rooms, \(.records, 1) records and \(.entries, 2) entries; \(.count, 1) records are written again"
    #expect(text(restored) == "1 room, 1 record and 2 entries; 1 record is written again")
    #expect(text("the input has \(.count, 1) partitions now, in \(.ms, 1) ms") == "the input has 1 partition now, in 1 ms")
    #expect(
      text("\(.records, 1) records of the input were never taken in: they were deleted")
        == "1 record of the input was never taken in: they were deleted")
    #expect(
      LogLine.line(.info, restored, format: .json, at: time).contains("{rooms} rooms, {records} records and {entries} entries;"))
    #expect(Counted.text(1, "instructions differ") == "1 instruction differs" && Counted.text(2000, "lines") == "2,000 lines")
    #expect(Counted.text(1, "screens are what a client has drawn") == "1 screen is what a client has drawn")
  }

  @Test("the line of one of several services names its input, which is no part of the message")
  func input() throws {
    var own = message
    own.input = "gifts"
    let text = LogLine.line(.warning, message, format: .text, at: time)
    #expect(
      LogLine.line(.warning, own, format: .text, at: time) == text.replacingOccurrences(of: "warning ", with: "warning gifts: "))
    let line = LogLine.line(.warning, own, format: .json, at: time)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    #expect(object["input"] as? String == "gifts" && object["message"] as? String == message.template)
    #expect(own.likeness != message.likeness)
  }

  @Test("is an object for programs, with a message that never changes and a field for each value")
  func json() throws {
    let line = LogLine.line(.warning, message, more: (count: 7, seconds: 10), format: .json, at: time)
    #expect(!line.contains("\n"))
    let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    #expect(object["time"] as? String == "2025-11-21T19:16:35.007Z")
    #expect(object["level"] as? String == "warning")
    #expect(object["message"] as? String == "partition {partition} could not be \"restored\": {reason}")
    #expect(object["partition"] as? Int == 3)
    #expect(object["reason"] as? String == "no\nleader\u{1b}[31m")
    #expect(object["more"] as? Int == 7)
    #expect(object["within_s"] as? Int == 10)
    #expect(object.count == 7)
  }

  @Test("is not even made below the log's level, which may change at any time")
  func levels() {
    let lines = LoggedLines()
    let log = ServiceLog(.warning) { lines.add($0) }
    func never() -> LogMessage {
      Issue.record("it was made")
      return "made"
    }
    log.info(never())
    log.warning("one")
    let copy = log
    copy.level = .debug
    log.debug("two")
    copy.format = .json
    log.info("three")
    #expect(lines.messages.prefix(2) == ["warning one", "debug two"])
    #expect(lines.all[2].contains(#""level":"info","message":"three"}"#))
  }
}

@Suite("The last line of a log")
struct LastLogLineTests {
  @Test("follows the counts of lines that were held back, and nothing follows it")
  func last() {
    let lines = LoggedLines()
    let log = ServiceLog(.info) { lines.add($0) }
    for _ in 0..<3 { log.error("it was fenced") }
    log.error(last: "the service ends: \(.reason, "it was fenced")")
    log.warning("a client has given up")
    log.error(last: "the service ends again")
    log.flush()
    #expect(
      lines.messages == [
        "error it was fenced", "error it was fenced … and 2 more in the last 10 s", "error the service ends: it was fenced",
      ]
    )
  }
}

@Suite("A flood of log lines")
struct LogFloodTests {
  private func refused(_ broker: Int, after ms: Int) -> LogMessage {
    "kafka: \(.text, "kafka-\(broker):9092/\(broker): Connect failed: refused (after \(ms)ms in state CONNECT), try \(ms)") [\(.facility, "FAIL")]"
  }

  @Test("is written once and counted; the number of the others is logged when its time is over")
  func counted() {
    var flood = LogFlood()
    let news1 = flood.shouldWrite(.warning, refused(1, after: 3), at: 1000)
    #expect(news1)
    for ms in 1...50 {
      let news2 = flood.shouldWrite(.warning, refused(1, after: ms), at: 1000 + Int64(ms))
      #expect(!news2)
    }
    #expect(flood.nextDue == 11_000)
    let early = flood.due(at: 10_999)
    #expect(early.isEmpty)
    let due = flood.due(at: 11_000)
    #expect(due.map(\.count) == [50])
    #expect(due[0].level == .warning)
    #expect(due[0].message.sentence == refused(1, after: 50).sentence)
    let news3 = flood.shouldWrite(.warning, refused(1, after: 9), at: 11_000)
    #expect(news3, "the next window begins with a line")
    let late = flood.due(at: 30_000)
    #expect(late.isEmpty, "nothing was counted in it")
  }

  @Test("distinguishes by level, partition and broker")
  func different() {
    var flood = LogFlood()
    func lost(_ partition: Int) -> LogMessage { "partition \(.partition, partition) is away for \(.ms, partition) ms" }
    let news4 = flood.shouldWrite(.warning, refused(1, after: 3), at: 0)
    #expect(news4)
    let news5 = flood.shouldWrite(.error, refused(1, after: 3), at: 0)
    #expect(news5)
    let news6 = flood.shouldWrite(.warning, refused(2, after: 3), at: 0)
    #expect(news6)
    let news7 = flood.shouldWrite(.warning, lost(1), at: 0)
    #expect(news7)
    let news8 = flood.shouldWrite(.warning, lost(2), at: 0)
    #expect(news8)
    let news9 = flood.shouldWrite(.warning, lost(2), at: 0)
    #expect(!news9)
  }

  @Test("is recognized in lines that all differ, too")
  func bounded() {
    var flood = LogFlood()
    var news = 0
    for number in 0..<10_000 where flood.shouldWrite(.warning, "a \(.reason, "r\(number)") b", at: Int64(number / 100)) {
      news += 1
    }
    #expect(news == LogFlood.likenessesMax + 1)
    let rest = flood.rest().map(\.count).reduce(0, +)
    #expect(rest == 10_000 - news)
  }

  @Test("is written as one line, and another at the end; a line that is no warning is never held back")
  func written() {
    let lines = LoggedLines()
    // The clock stands still, so that all are in one window, however slow the machine is.
    let log = ServiceLog(.debug, write: { lines.add($0) }, now: { 1000 })
    for number in 0..<1000 { log.warning("trouble with Kafka: \(.reason, "broker is away (\(number))")") }
    for _ in 0..<3 { log.info("said") }
    log.flush()
    log.flush()
    #expect(
      lines.messages == ["warning trouble with Kafka: broker is away (0)"] + Array(repeating: "info said", count: 3)
        + ["warning trouble with Kafka: broker is away (999) … and 999 more in the last 10 s"])
  }
}
