import Testing

@testable import ComboCommands
@testable import ComboTestSupport

@Suite("A redrive's selection")
struct RedriveSelectionTests {
  private static func note(
    code: String? = "not_json", reason: String = "no object", topic: String = "gifts", at time: Int64? = 1000,
    more: [String: String] = [:]
  ) -> DeadLetterNote {
    var headers = ["combo.reason": reason, "combo.topic": topic, "combo.partition": "3", "combo.offset": "7"]
    headers["combo.error"] = code
    headers.merge(more) { $1 }
    return DeadLetterNote(place: .init(partition: 1, offset: 5), timestampMs: time, headers: headers)
  }

  @Test("sends the matching ones, and gives the reason for all others")
  func verdicts() {
    var selection = RedriveSelection(input: "gifts")
    #expect(selection.verdict(of: Self.note()) == .send)
    #expect(selection.verdict(of: Self.note(code: nil)) == .noDeadLetter)
    #expect(selection.verdict(of: Self.note(topic: "other")) == .otherInput)
    #expect(selection.verdict(of: Self.note(more: ["combo.truncated": "70000"])) == .truncated)
    #expect(selection.verdict(of: Self.note(more: ["combo.redriven": "1"])) == .tooOften)
    var large = Self.note()
    large.bytes = 1001
    #expect(selection.verdict(of: large) == .send)
    selection.bytesMax = 1000
    #expect(selection.verdict(of: large) == .tooLarge)
    large.bytes = 1000
    #expect(selection.verdict(of: large) == .send)
    selection.redrivesMax = 2
    #expect(selection.verdict(of: Self.note(more: ["combo.redriven": "1"])) == .send)
    selection.sent = [.init(partition: 1, offset: 5)]
    #expect(selection.verdict(of: Self.note()) == .alreadySent)
    // Another dead letter of the same record, and one of another record at its place of a recreated input.
    selection.sources = [Self.note().source!]
    selection.sent = []
    #expect(selection.verdict(of: Self.note(reason: "said in other words")) == .repeated)
    #expect(selection.verdict(of: Self.note(at: 1001)) == .send)
    #expect(selection.verdict(of: Self.note(more: ["combo.offset": "8"])) == .send)
  }

  @Test("counts the bytes of a batch with one record as Kafka does")
  func size() {
    var size = BatchSize()
    size.add(key: nil, value: nil)
    // 61 bytes for the batch, and the record: its length, attributes, two deltas, two lengths, and the number of headers.
    #expect(size.bytes == 61 + 7)
    size = BatchSize()
    size.add(key: 1, value: 100)
    size.add(header: "h", value: nil)
    // Lengths from 64 on take two bytes.
    #expect(size.bytes == 61 + 2 + 3 + (1 + 1) + (2 + 100) + 1 + (1 + 1) + 1)
  }

  @Test("filters by code, text of the reason, and time, whose end is excluded")
  func filters() {
    var selection = RedriveSelection(input: "gifts")
    selection.code = "wrong_type"
    #expect(selection.verdict(of: Self.note()) == .filtered)
    selection.code = "not_json"
    selection.reason = "object"
    #expect(selection.verdict(of: Self.note()) == .send)
    #expect(selection.verdict(of: Self.note(reason: "else")) == .filtered)
    selection.since = 1000
    selection.until = 1001
    #expect(selection.verdict(of: Self.note()) == .send)
    #expect(selection.verdict(of: Self.note(at: 999)) == .filtered)
    #expect(selection.verdict(of: Self.note(at: 1001)) == .filtered)
    #expect(selection.verdict(of: Self.note(at: nil)) == .filtered)
  }

  @Test("a receipt names positions, and other lines in it are ignored")
  func receipts() {
    let receipt = Self.note(code: nil, more: ["combo.redrive.receipt": "0:12,3:9,x,4:,3::5,:3:5:"]).receipt
    #expect(receipt == [.init(partition: 0, offset: 12), .init(partition: 3, offset: 9)])
    #expect(Self.note().receipt == nil)
  }

  @Test(
    "reasons that differ in their values alone are one kind, kinds are distinguished by the map's rule, and the most frequent comes first"
  )
  func reference() throws {
    var report = RedriveReport()
    report.add(Self.note(reason: #"count is 12; at most 5 (in "abc")"#), .send)
    report.add(Self.note(reason: #"count is 7; at most 5 (in "d")"#), .send)
    report.add(Self.note(reason: "sender is missing"), .tooOften)
    report.add(Self.note(code: "wrong_type"), .filtered)
    var texts = [
      (title: "a dry run", text: report.text(isDryRun: true, limit: nil)), ("done", report.text(isDryRun: false, limit: nil)),
    ]
    texts.append(("a limit of 1", report.text(isDryRun: true, limit: 1)))
    texts.append(("for programs", report.json(isDryRun: true, limit: 1)))
    report = RedriveReport()
    for rule in [2, 2, 12] { report.add(Self.note(code: "unknown_type", reason: "no gift of ours (t, rule \(rule))"), .send) }
    report.add(Self.note(reason: "the record is not UTF-8 (at byte 57); a JSON object in UTF-8 (RFC 8259) is expected"), .send)
    report.add(Self.note(code: "wrong_type", reason: #"sender.id is an array, [77, "a\"b"]; it must be a string"#), .send)
    for id in [7, 7, 12] { report.add(Self.note(reason: "the record's schema is \(id), which is not used: no answer"), .send) }
    texts.append(("values in reasons", report.text(isDryRun: true, limit: nil)))
    try GeneratedPart.expect(snapshot: "redrive.txt", is: texts)
  }

  @Test("a dead letter is an object on a line for programs, with its result")
  func line() {
    #expect(
      RedriveReport.line(Self.note(reason: #"a "b""#, more: ["combo.partition": "3", "combo.offset": "17"]), "send")
        == #"{"place":"1:5","verdict":"send","code":"not_json","reason":"a \"b\"","topic":"gifts","partition":3,"offset":17,"timestamp":1000,"redriven":0}"#
        + "\n")
    #expect(RedriveReport.line(Self.note(at: nil), "beyondLimit").contains(#""verdict":"beyondLimit""#))
  }
}
