import ComboCore
import ComboEdge
import ComboKafka
import ComboRooms
import ComboService
import ComboSystem
import ComboWire
import Foundation
import Testing

@testable import ComboHTTP
@testable import ComboTestSupport

@Suite("Metrics")
struct MetricsTests {
  /// Returns a page with something in each family.
  private func page(_ clients: [String] = ["consumer"]) -> String {
    let observatory = Observatory(stop: StopFlag())
    var report = ServiceReport()
    report.at = MonotonicClock.nowMs
    report.hasJoined = true
    report.partitions = [
      .init(number: 0, isRunning: true, lag: 5, rooms: 2), .init(number: 7, isRunning: false, restored: 0.25),
    ]
    report.totals.tally.count(.gift)
    report.totals.tally.count(.outOfRange)
    report.totals.said.show = 3
    report.totals.lost = 11
    for ms: Int64 in [50, 900, 70_000] { report.totals.said.waits.add(ms) }
    report.totals.said.waits.skip(3, 4, 40.5, .overflow)
    report.histograms.inputAgeSeconds.add(0.2, times: 5)
    report.histograms.restoreSeconds.add(1.5)
    report.inputPartitions = 9
    (report.totals.said.turn, report.totals.said.idle) = (1, 1)
    report.histograms.commitSeconds.add(0.02)
    report.histograms.commitSeconds.add(100, times: 2)
    observatory.publish(report)
    var earlier = ServiceTotals()
    earlier.said.show = 4
    earlier.commits = 2
    observatory.startsAfresh(after: earlier)
    observatory.publish(report)
    let statistics = ClientStatistics()
    let text = Self.statistics
    for client in clients {
      // Only a consumer has a group.
      let text = client == "consumer" ? text : text.replacingOccurrences(of: "\"cgrp\"", with: "\"none\"")
      statistics.store(ClientStatistics.Text(owning: strdup(text)!, count: text.utf8.count), of: client)
    }
    return String(
      decoding: MetricsPage.text(
        [
          ServedService(observatory, ServiceIdentity(group: "g", input: "in", instance: "i", librdkafka: "2.0.2")) {
            statistics.figures()
          }
        ], http: HTTPCounts(),
        connections: 3, readers: 1, at: MonotonicClock.nowMs
      ).array, as: UTF8.self)
  }

  @Test("a record may have any time: its producer sets it")
  func latenessOfAnyTimestamp() {
    let metrics = LoopMetrics()
    var arrivals = Arrivals()
    for timestamp in [Int64.min, Int64.min + 8000, -1, 0, 2_000_000_000_000, .max] { arrivals.add(timestamp, count: 1) }
    metrics.arrived(arrivals, wall: 1_700_000_000_000, monotonic: 1)
    #expect(metrics.histograms.latenessSeconds.count == 6)
    let now: Int64 = 1_700_000_000_000
    let limits = DeadLetterLimits(bytes: 1 << 20, beforeMs: .max - 1, afterMs: 3_600_000)
    // Computed as Kafka does: the first is so long ago that it counts as in the future.
    let refused = [Int64.min + now - 8000, -1, 0, now, now + 3_600_000, now + 3_600_001, .max].map {
      limits.refuse($0, wall: now)
    }
    #expect(refused == [true, false, false, false, false, true, true])
    #expect(!DeadLetterLimits(bytes: 1 << 20, beforeMs: nil, afterMs: nil).refuse(.min, wall: now))
  }

  private static let statistics = """
    {"name":"x","msg_cnt":3,"rx":17,"tx":20,"replyq":1,"rxmsgs":99,
     "brokers":{"a:1/1":{"name":"a:1/1","nodeid":1,"source":"learned","state":"UP","waitresp_cnt":2,"rtt":{"p99":4000},"connects":5},
                "b:1/2":{"nodeid":2,"source":"learned","state":"DOWN","waitresp_cnt":1,"rtt":{"p99":9000},"connects":1},
                "c:1/3":{"name":"c:1/3","nodeid":3,"source":"configured","state":"UP"},
                "d:1/bootstrap":{"nodeid":-1,"source":"configured","state":"UP"},
                ":0/internal":{"nodeid":-1,"source":"internal","state":"UP"},
                "GroupCoordinator":{"nodeid":1,"source":"logical","state":"UP"}},
     "topics":{"t":{"topic":"t","partitions":{"0":{"partition":0,"fetchq_cnt":4,"fetchq_size":40},"-1":{"fetchq_cnt":1}}}},
     "cgrp":{"state":"up","rebalance_cnt":6}}
    """

  @Test("librdkafka's statistics are summed, and invalid text is ignored")
  func clients() {
    let samples = MetricsText.samples(page())
    #expect(samples[#"combo_kafka_client_responses_total{client="consumer"}"#] == 17)
    #expect(samples[#"combo_kafka_client_received_records_total{client="consumer"}"#] == 99)
    #expect(samples[#"combo_kafka_client_brokers{client="consumer"}"#] == 3)
    #expect(samples[#"combo_kafka_client_brokers_up{client="consumer"}"#] == 2)
    #expect(samples[#"combo_kafka_client_requests_waiting{client="consumer"}"#] == 3)
    #expect(samples[#"combo_kafka_client_connects_total{client="consumer"}"#] == 6)
    #expect(samples[#"combo_kafka_client_round_trip_p99_seconds{client="consumer"}"#] == 0.009)
    #expect(samples[#"combo_kafka_client_fetched_records{client="consumer"}"#] == 5)
    #expect(samples[#"combo_kafka_client_rebalances_total{client="consumer"}"#] == 6)
    let invalid: [(text: String, requests: [Double])] = [
      ("", []), ("{", []), ("[]", [0]), ("{\"brokers\":5,\"topics\":[1],\"cgrp\":null,\"tx\":\"x\"}", [0]),
    ]
    for (text, requests) in invalid {
      let statistics = ClientStatistics()
      statistics.store(ClientStatistics.Text(owning: strdup(text)!, count: text.utf8.count), of: "c")
      #expect(statistics.figures().map(\.requests) == requests, "\(text)")
    }
  }

  @Test("have the totals of this process, including earlier services")
  func values() {
    let samples = MetricsText.samples(page())
    #expect(samples[#"combo_events_total{type="gift"}"#] == 1)
    #expect(samples[#"combo_bad_events_total{code="out_of_range"}"#] == 1)
    #expect(samples[#"combo_bad_events_total{code="not_json"}"#] == 0)
    #expect(samples[#"combo_instructions_total{op="show"}"#] == 7)
    #expect(samples[#"combo_instructions_total{op="dismiss"}"#] == 2)
    #expect(samples[#"combo_dismissals_total{reason="turn"}"#] == 1)
    #expect(samples["combo_commits_total"] == 2)
    #expect(samples["combo_fresh_starts_total"] == 1)
    #expect(samples["combo_lost_records_total"] == 11 && samples["combo_input_partitions"] == 9)
    #expect(samples[#"combo_commit_duration_seconds_bucket{le="0.01"}"#] == 0)
    #expect(samples[#"combo_commit_duration_seconds_bucket{le="0.025"}"#] == 1)
    #expect(samples[#"combo_commit_duration_seconds_bucket{le="60"}"#] == 1)
    #expect(samples[#"combo_commit_duration_seconds_bucket{le="+Inf"}"#] == 3)
    #expect(samples["combo_commit_duration_seconds_count"] == 3)
    #expect(samples["combo_commit_duration_seconds_sum"] == 200.02)
    #expect(samples[#"combo_partition_lag_records{partition="0"}"#] == 5)
    #expect(samples[#"combo_partition_lag_records{partition="7"}"#] == nil)
    #expect(samples[#"combo_partition_restored_ratio{partition="7"}"#] == 0.25)
    #expect(samples["combo_ready"] == 0)
    #expect(
      samples[#"combo_gift_wait_seconds_bucket{le="0.1"}"#] == 1 && samples[#"combo_gift_wait_seconds_bucket{le="1"}"#] == 2)
    #expect(samples["combo_gift_wait_seconds_count"] == 3 && samples["combo_gift_wait_seconds_sum"] == 70.95)
    #expect(samples[#"combo_gifts_skipped_total{reason="overflow"}"#] == 4)
    #expect(samples[#"combo_gifts_skipped_worth_total{reason="overflow"}"#] == 40.5)
    #expect(samples[#"combo_gifts_skipped_total{reason="closed"}"#] == 0)
    #expect(samples["combo_input_age_seconds_count"] == 5 && samples["combo_restore_duration_seconds_sum"] == 1.5)
  }

  @Test("have the group and the input as labels of each sample")
  func whose() {
    let samples = page().split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(!samples.isEmpty && samples.allSatisfy { $0.contains(#"{group="g",input="in""#) })
  }

  @Test("do not count a beginning that somebody asked for as a fresh start")
  func wanted() {
    let observatory = Observatory(stop: StopFlag())
    observatory.startsAfresh(after: ServiceTotals(), isWanted: true)
    #expect(observatory.freshStarts == 0)
    observatory.startsAfresh(after: ServiceTotals())
    #expect(observatory.freshStarts == 1)
  }

  private static let promtool = ["/usr/bin/promtool", "/usr/local/bin/promtool"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  @Test("pass `promtool check metrics`")
  func promtool() throws {
    guard let path = ProcessInfo.processInfo.environment["COMBO_TEST_PROMTOOL"] ?? Self.promtool else {
      print("SKIPPED: promtool is not there (Debian: apt-get install prometheus; or COMBO_TEST_PROMTOOL names it)")
      return
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = ["check", "metrics"]
    let (input, output) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput, process.standardError) = (input, output, output)
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(page().utf8))
    try input.fileHandleForWriting.close()
    let message = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(message)")
    #expect(message.isEmpty, "\(message)")
  }

  private var names: Set<String> { Set(MetricTable.all.map(\.name)) }

  @Test("are listed in docs/schemas/metrics.tsv, each with its type and meaning")
  func reference() throws {
    let rows = MetricTable.all.map { "\($0.name)\t\($0.kind.rawValue)\t\($0.help)" }
    try GeneratedPart.expect("docs/schemas/metrics.tsv", is: ["metric\ttype\tmeaning"] + rows)
  }

  @Test("each family appears once, with its help, and each sample once")
  func form() {
    let text = page()
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.last == "")
    let helps = lines.filter { $0.hasPrefix("# HELP ") }.map { $0.split(separator: " ")[2] }
    #expect(Set(helps).count == helps.count)
    #expect(Set(helps.map(String.init)).isSubset(of: names) && MetricTable.all.count == names.count)
    let samples = lines.filter { !$0.hasPrefix("#") && !$0.isEmpty }.map { $0.split(separator: " ")[0] }
    #expect(Set(samples).count == samples.count)
    #expect(samples.allSatisfy { $0.hasPrefix("combo_") })
  }

  // MARK: - Parts

  @Test("recent times are those of the last ten seconds, to an eighth")
  func recent() {
    var times = RecentTimes()
    #expect(times.figures(monotonic: 5) == nil)
    for ms in 1...100 { times.add(Int64(ms), monotonic: 1_000) }
    let figures = times.figures(monotonic: 1_500)
    #expect(figures?.max == 100)
    #expect((50...56).contains(figures?.p50 ?? 0))
    #expect((99...100).contains(figures?.p99 ?? 0))
    #expect(times.figures(monotonic: 11_000) == nil)
    times.add(.max, monotonic: 50_000)
    times.add(-5, monotonic: 50_000)
    #expect(times.figures(monotonic: 50_000)?.max == .max)
    var random = SplitMix64(seed: testSeed("recent"))
    for _ in 0..<200 {
      var times = RecentTimes()
      let all = (0..<100).map { _ in Int64(random.below(1 << random.below(30))) }.sorted()
      for ms in all { times.add(ms, monotonic: 3_000) }
      let figures = times.figures(monotonic: 3_000)!
      #expect(figures.max == all.last!)
      #expect(figures.p50 >= all[49] && Double(figures.p50) <= Double(all[49]) * 1.125 + 1)
    }
  }

  @Test("a room's rate is that of about the last ten seconds")
  func rate() {
    var rate = RoomRate()
    #expect(rate.perSecond(at: 0) == 0)
    for second in 0..<30 { rate.count(20, in: RoomRate.period(at: Int64(second) * 1000)) }
    #expect(abs(rate.perSecond(at: 29_999) - 20) < 2)
    #expect(abs(rate.perSecond(at: 35_000) - 10) < 1)
    #expect(rate.perSecond(at: 50_000) == 0)
  }

  @Test("health: alive while the loop turns, ready while all is restored and commits")
  func health() {
    let beat = Health.stuckAfterMs
    #expect(Health.reasonToRestart(lastBeat: 0, at: beat - 1, isStopping: false) == nil)
    #expect(Health.reasonToRestart(lastBeat: 0, at: beat, isStopping: false)?.contains("90 s") == true)
    #expect(Health.reasonToRestart(lastBeat: 0, at: beat, isStopping: true) == nil)
    var report = ServiceReport()
    report.at = 100_000
    report.hasJoined = true
    func why(_ now: Int64 = 100_000) -> String? { Health.reasonNotReady(report, at: now, isStopping: false) }
    #expect(why() == nil, "a member without partitions is ready too")
    #expect(why(106_000)?.contains("waiting for the brokers") == true)
    report.uncommittedSince = 80_000
    #expect(why()?.contains("20 s") == true)
    report.uncommittedSince = 99_000
    #expect(why() == nil)
    report.isFailing = true
    #expect(why() != nil)
    report.isFailing = false
    report.stall = "records wait"
    #expect(why() == "records wait")
    report.stall = nil
    report.hasJoined = false
    #expect(why()?.contains("joined") == true)
  }
}
