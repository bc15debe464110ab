internal import ComboEdge
internal import ComboMaps
internal import ComboRooms
internal import ComboService
internal import ComboSystem

/// The source of a page of metrics.
struct MetricsSource {
  let observatory: Observatory
  let report: ServiceReport
  /// The totals since the process began.
  let totals: ServiceTotals
  let librdkafka: String
  let clients: [ClientFigures]
  let http: HTTPCounts
  let connections: Int
  let readers: Int
  /// The time by the monotonic clock.
  let now: Int64
}

/// A metric: its name, type, help and values.
struct Metric: Sendable {
  enum Kind: String, Sendable {
    case counter, gauge, histogram
  }

  /// A value with its labels.
  struct Sample {
    var labels: [(String, String)] = []
    let value: Double
  }

  enum Values: Sendable {
    case samples(@Sendable (MetricsSource) -> [Sample])
    case histogram(@Sendable (MetricsSource) -> Histogram)
  }

  let name: String
  let kind: Kind
  let help: String
  let values: Values
  /// Whether it is left out if it has no samples.
  var isOptional = false

  static func counter(_ name: String, _ help: String, _ value: @escaping @Sendable (MetricsSource) -> Int) -> Metric {
    Metric(name: name, kind: .counter, help: help, values: .samples { [Sample(value: Double(value($0)))] })
  }

  static func gauge(_ name: String, _ help: String, _ value: @escaping @Sendable (MetricsSource) -> Double) -> Metric {
    Metric(name: name, kind: .gauge, help: help, values: .samples { [Sample(value: value($0))] })
  }

  /// Creates a counter for each value of a label.
  static func counters(
    _ name: String, by label: String, _ help: String, _ values: @escaping @Sendable (MetricsSource) -> [(String, Int)]
  ) -> Metric {
    Metric(
      name: name, kind: .counter, help: help,
      values: .samples { values($0).map { Sample(labels: [(label, $0.0)], value: Double($0.1)) } })
  }

  /// Creates a gauge for each partition, or for each that reads its input.
  static func partition(
    _ name: String, running: Bool = true, _ help: String, _ value: @escaping @Sendable (ServiceReport.Partition) -> Double?
  ) -> Metric {
    Metric(
      name: name, kind: .gauge, help: help,
      values: .samples { source in
        source.report.partitions.compactMap { partition in
          if running, !partition.isRunning { return nil }
          return value(partition).map { Sample(labels: [("partition", String(partition.number))], value: $0) }
        }
      })
  }

  /// Creates a metric for each client of librdkafka.
  static func client(
    _ name: String, _ kind: Kind, _ help: String, _ value: @escaping @Sendable (ClientFigures) -> Double?
  ) -> Metric {
    Metric(
      name: "combo_kafka_client_" + name, kind: kind, help: help,
      values: .samples { source in
        source.clients.compactMap { client in value(client).map { Sample(labels: [("client", client.client)], value: $0) } }
      }, isOptional: true)
  }

  static func histogram(
    _ name: String, _ help: String, _ value: @escaping @Sendable (MetricsSource) -> Histogram
  ) -> Metric {
    Metric(name: name, kind: .histogram, help: help, values: .histogram(value))
  }
}

/// Every metric, in the order of the page. docs/schemas/metrics.tsv is generated from it.
///
/// Labels have only a few values that are known beforehand, or the partitions of this instance.
enum MetricTable {
  static let all: [Metric] = ofService + ofServer
  static let ofService = service + totals + counters + times + partitions + clients
  /// The metrics of the HTTP server, which all services of a process have in common.
  static let ofServer = HTTPCounts.metrics

  private static let service: [Metric] = [
    Metric(
      name: "combo_build_info", kind: .gauge, help: "Always 1; the labels have the versions of the program and of librdkafka.",
      values: .samples { source in
        [.init(labels: [("version", Version.number), ("librdkafka", source.librdkafka)], value: 1)]
      }),
    .gauge("combo_uptime_seconds", "Seconds since the process began to serve.") { Double($0.now - $0.observatory.began) / 1000 },
    .gauge("combo_live", "1 unless the service loop is stuck.") {
      Health.reasonToRestart(lastBeat: $0.observatory.lastBeat, at: $0.now, isStopping: $0.observatory.stop.isSet) == nil ? 1 : 0
    },
    .gauge("combo_ready", "1 while all partitions of this instance read and commit.") {
      let observatory = $0.observatory
      return Health.reasonNotReady(
        observatory.report, hindrance: observatory.hindrance, at: $0.now, isStopping: observatory.stop.isSet) == nil ? 1 : 0
    },
    .gauge("combo_loop_silence_seconds", "Seconds since the last turn of the service loop.") {
      Double(max(0, $0.now - $0.observatory.lastBeat)) / 1000
    },
    .gauge("combo_uncommitted_seconds", "Age of the oldest work that is not durable yet; 0 if there is none.") { source in
      source.report.uncommittedSince.map { Double(max(0, source.now - $0)) / 1000 } ?? 0
    },
  ]

  private static let totals: [Metric] = [
    .counters("combo_events_total", by: "type", "Events whose outcome is durable, by type.") { $0.totals.tally.kinds },
    .counters("combo_bad_events_total", by: "code", "Records that went to the dead-letter topic, by code.") {
      $0.totals.tally.codes
    },
    .counter("combo_dropped_records_total", "Records that the map dropped; they are not dead letters.") {
      $0.totals.tally.dropped
    },
    .counter(
      "combo_old_gifts_total", "Gifts that were older than --max-age-ms when they were read, and were ignored."
    ) {
      $0.totals.tally.old
    },
    // Rule and reason come from the map, and there are at most a few dozen of them.
    Metric(
      name: "combo_map_records_total", kind: .counter,
      help: "Records by the map's rule, the outcome (event, dropped or bad), and the reason.",
      values: .samples { source in
        source.report.mapRows.map { row in
          .init(labels: [("rule", row.rule), ("outcome", row.outcome), ("reason", row.reason)], value: Double(row.count))
        }
      }),
    .counters("combo_instructions_total", by: "op", "Instructions committed or acknowledged, by op.") {
      $0.totals.said.named
    },
    .counters("combo_dismissals_total", by: "reason", "Banners that left the screen, by reason.") { $0.totals.said.dismissals },
    .counters("combo_banners_skipped_total", by: "reason", "Banners that were never shown, by reason.") { source in
      source.totals.said.waits.skips.map { ($0.reason, $0.1.banners) }
    },
    .counters("combo_gifts_skipped_total", by: "reason", "Gifts that were never shown, by reason.") { source in
      source.totals.said.waits.skips.map { ($0.reason, $0.1.gifts) }
    },
    Metric(
      name: "combo_gifts_skipped_worth_total", kind: .counter, help: "Worth of the gifts that were never shown, by reason.",
      values: .samples { source in
        source.totals.said.waits.skips.map { .init(labels: [("reason", $0.reason)], value: $0.1.worth) }
      }),
    .counter("combo_fresh_starts_total", "Times that the service started again within the process (fresh starts).") {
      $0.observatory.freshStarts
    },
  ]

  private static let counters: [Metric] = ServiceTotals.counters.map { counter in
    .counter(counter.name, counter.help) { $0.totals[keyPath: counter.total] }
  }

  private static let times: [Metric] = [
    .histogram(
      "combo_commit_duration_seconds",
      "Time from the beginning of a commit (in at-least-once delivery, of writing an entry) until it is durable."
    ) { $0.report.histograms.commitSeconds },
    .histogram(
      "combo_lateness_seconds",
      "Time from a record's timestamp until its outcome is durable; the first record of each poll counts for all."
    ) { $0.report.histograms.latenessSeconds },
    .histogram(
      "combo_gift_wait_seconds",
      "Time from reading a gift until it is shown; the longest of each instruction counts, which may be too long by up to count_ms."
    ) { Histogram($0.totals.said.waits) },
    .histogram(
      "combo_input_age_seconds",
      "Time from a record's timestamp until it is read; the first record of each poll and partition counts for all."
    ) { $0.report.histograms.inputAgeSeconds },
    .histogram("combo_restore_duration_seconds", "Time from the beginning of a restore until the takeover.") {
      $0.report.histograms.restoreSeconds
    },
    .histogram("combo_batch_records", "Records per poll of the input.") { $0.report.histograms.batchRecords },
  ]

  private static let partitions: [Metric] = [
    .gauge("combo_rooms", "Rooms awake.") { Double($0.report.rooms) },
    .gauge("combo_partitions", "Partitions of this instance.") { Double($0.report.partitions.count) },
    Metric(
      name: "combo_input_partitions", kind: .gauge, help: "Partitions of the input, as last reported by the brokers.",
      values: .samples { $0.report.inputPartitions.map { [.init(value: Double($0))] } ?? [] }, isOptional: true),
    .partition("combo_partition_running", running: false, "1 if the partition reads its input, 0 while it is being restored.") {
      $0.isRunning ? 1 : 0
    },
    .partition(
      "combo_partition_restored_ratio", running: false, "Progress of the restore, from 0 to 1."
    ) { $0.restored },
    .partition(
      "combo_partition_lag_records",
      "Records of the input that have not been read yet; the marker of a transaction's end counts as one."
    ) { $0.lag.map(Double.init) },
    .partition(
      "combo_partition_stalled_seconds",
      "How long the oldest unread record has been waiting, for example behind an open transaction of a producer; 0 if none waits."
    ) { Double($0.stalledMs) / 1000 },
    .partition(
      "combo_partition_schema_wait_seconds",
      "How long the partition has waited for a schema that the registry does not answer for; 0 if it does not wait."
    ) { Double($0.schemaWait?.ms ?? 0) / 1000 },
    Metric(
      name: "combo_open_transaction_seconds", kind: .gauge,
      help:
        "Age of a transaction that is open in a partition, by its first record's timestamp; with topic offsets, the time a takeover has"
        + " waited for one. Absent below 15 s.",
      values: .samples { source in
        source.report.heldUp.map {
          .init(labels: [("topic", $0.topic), ("partition", String($0.partition))], value: Double($0.ms) / 1000)
        }
      }, isOptional: true),
    .partition("combo_partition_rooms", "Rooms awake in the partition.") { Double($0.rooms) },
    .partition(
      "combo_partition_behind_seconds",
      "How far the rooms of the partition are behind its clock because they emit more than can be written."
    ) { Double($0.behindMs) / 1000 },
    .partition("combo_partition_own_settings_rooms", "Rooms in the partition that have their own settings.") {
      Double($0.roomsWithOwnSettings)
    },
    .gauge("combo_own_settings_rooms_max", "Maximum of combo_partition_own_settings_rooms.") {
      Double($0.report.ownSettingsMax)
    },
    .partition(
      "combo_partition_pending_entries",
      "Journal entries that are not acknowledged yet (at-least-once delivery), at most \(PartitionLog.unsaidMax)."
    ) { Double($0.entriesOnTheirWay) },
    .partition(
      "combo_partition_pending_records",
      "Records that were read but are not in a journal entry yet; in at-least-once delivery, reading pauses at \(WriteAheadDelivery.takenMax)."
    ) { Double($0.recordsWithoutEntry) },
  ]

  private static let clients: [Metric] = [
    .client("queue_records", .gauge, "Records waiting to be sent.") { $0.isConsumer ? nil : $0.queueRecords },
    .client("queue_records_max", .gauge, "Maximum of records waiting to be sent.") { $0.isConsumer ? nil : $0.queueRecordsMax },
    .client("queue_bytes", .gauge, "Bytes of records waiting to be sent.") { $0.isConsumer ? nil : $0.queueBytes },
    .client("queue_bytes_max", .gauge, "Maximum of bytes waiting to be sent.") { $0.isConsumer ? nil : $0.queueBytesMax },
    .client("fetched_records", .gauge, "Records fetched but not processed yet.") { $0.isConsumer ? $0.fetchedRecords : nil },
    .client("fetched_bytes", .gauge, "Bytes of records fetched but not processed yet.") { $0.isConsumer ? $0.fetchedBytes : nil },
    .client("sent_records_total", .counter, "Records sent.") { $0.isConsumer ? nil : $0.recordsSent },
    .client("sent_record_bytes_total", .counter, "Bytes of records sent.") { $0.isConsumer ? nil : $0.recordBytesSent },
    .client("received_records_total", .counter, "Records received.") { $0.isConsumer ? $0.recordsReceived : nil },
    .client("received_record_bytes_total", .counter, "Bytes of records received.") {
      $0.isConsumer ? $0.recordBytesReceived : nil
    },
    .client("requests_total", .counter, "Requests sent to brokers.") { $0.requests },
    .client("responses_total", .counter, "Responses received from brokers.") { $0.responses },
    .client("sent_bytes_total", .counter, "Bytes sent to brokers.") { $0.bytesSent },
    .client("received_bytes_total", .counter, "Bytes received from brokers.") { $0.bytesReceived },
    .client("operations", .gauge, "Events of the client waiting for the program.") { $0.operations },
    .client("brokers", .gauge, "Known brokers.") { $0.brokers },
    .client("brokers_up", .gauge, "Brokers with an open connection.") { $0.brokersUp },
    .client("requests_waiting", .gauge, "Requests waiting for a response.") { $0.requestsWaiting },
    .client("request_errors_total", .counter, "Requests that could not be sent.") { $0.requestErrors },
    .client("response_errors_total", .counter, "Responses that could not be received.") { $0.responseErrors },
    .client("request_timeouts_total", .counter, "Requests that timed out.") { $0.requestTimeouts },
    .client("connects_total", .counter, "Connection attempts.") { $0.connects },
    .client("disconnects_total", .counter, "Closed connections.") { $0.disconnects },
    .client("round_trip_p99_seconds", .gauge, "99th percentile of the slowest broker's round trips.") { $0.roundTripSeconds },
    .client("throttle_p99_seconds", .gauge, "99th percentile of throttling by a broker.") {
      $0.throttleSeconds
    },
    .client("rebalances_total", .counter, "Rebalances of the group that this client took part in.") { $0.rebalances },
  ]
}
