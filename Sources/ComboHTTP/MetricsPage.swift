internal import ComboEdge
internal import ComboRooms
internal import ComboService
internal import ComboSystem
internal import ComboWire

/// `/metrics`: all figures in Prometheus' text format 0.0.4. Each sample bears group and input; other labels have a few values that are known
/// beforehand, or are the partitions that are this instance's.
struct MetricsPage {
  private let buffer = ByteBuffer(capacity: 64 << 10)
  /// Of each sample: whose it is.
  private let common: [(String, String)]

  private init(_ identity: ServiceIdentity) { common = [("group", identity.group), ("input", identity.input)] }

  static func text(
    _ lookout: Lookout, _ identity: ServiceIdentity, statistics: [ClientFigures], http: HTTPCounts, connections: Int,
    readers: Int, at now: Int64
  ) -> ByteBuffer {
    let page = MetricsPage(identity)
    let report = lookout.report ?? ServiceReport()
    var totals = lookout.before
    totals.addAll(report.totals)
    page.writeState(lookout, report, librdkafka: identity.librdkafka, at: now)
    page.writeTotals(totals, freshStarts: lookout.freshStarts)
    page.writeTimes(report)
    page.writePartitions(report)
    page.write(statistics)
    page.write(http, connections: connections, readers: readers)
    return page.buffer
  }

  // MARK: - The service

  private func writeState(_ lookout: Lookout, _ report: ServiceReport, librdkafka: String, at now: Int64) {
    head("combo_build_info", .gauge, "What is running; always 1.")
    sample("combo_build_info", [("version", Version.number), ("librdkafka", librdkafka)], 1)
    let isStopping = lookout.stop.isSet
    single("combo_uptime_seconds", .gauge, "Since the process began to serve.", Double(now - lookout.began) / 1000)
    single(
      "combo_live", .gauge, "1 unless the loop is stuck.",
      Health.ailment(lastBeat: lookout.lastBeat, at: now, isStopping: isStopping) == nil ? 1 : 0)
    single(
      "combo_ready", .gauge, "1 while all partitions of this instance take in and commit.",
      Health.unreadiness(lookout.report, at: now, isStopping: isStopping) == nil ? 1 : 0)
    single(
      "combo_loop_silence_seconds", .gauge, "Since the loop last took a turn.", Double(max(0, now - lookout.lastBeat)) / 1000)
    single(
      "combo_uncommitted_seconds", .gauge, "Since when something waits to become durable; 0 if nothing does.",
      report.uncommittedSince.map { Double(max(0, now - $0)) / 1000 } ?? 0)
  }

  private func writeTotals(_ totals: Service.Totals, freshStarts: Int) {
    family("combo_events_total", .counter, "Events taken in whose outcome is durable, by type.", "type", totals.tally.kinds)
    family(
      "combo_bad_events_total", .counter, "Records that went to the dead-letter topic, by what is wrong.", "code",
      totals.tally.codes)
    counter("combo_records_without_value_total", "Records without a value, which are skipped.", totals.withoutValue)
    counter(
      "combo_dropped_records_total", "Records that the map says are none of the service's; they are no dead letters.",
      totals.tally.dropped)
    counter("combo_records_total", "Records of the input whose outcome is durable.", totals.events)
    family(
      "combo_instructions_total", .counter, "Instructions committed, or acknowledged, by what they say.", "op", totals.said.named)
    counter("combo_commits_total", "Transactions committed.", totals.commits)
    counter("combo_aborts_total", "Times that all went back to what is durable.", totals.aborts)
    counter("combo_restores_total", "Restorations of a partition that began.", totals.restores)
    counter(
      "combo_resets_total", "Partitions whose state could not be proved, so that all their rooms began anew.", totals.resets)
    counter("combo_lost_records_total", "Records of the input that were never taken in, as resets found out.", Int(totals.lost))
    counter("combo_fresh_starts_total", "Services begun in place of one that was no longer a member of its group.", freshStarts)
    counter(
      "combo_clock_leads_total", "Times that a partition's clock came to be far ahead of the wall clock.", totals.clockLeads)
    counter("combo_state_bytes_total", "Bytes of snapshots written.", totals.stateBytes)
    counter("combo_journal_bytes_total", "Bytes of journal entries written.", totals.journalBytes)
  }

  private func writeTimes(_ report: ServiceReport) {
    write(
      report.commitSeconds, "combo_commit_duration_seconds",
      "From the beginning of a commit (or an entry's writing, in at-least-once delivery) until it is durable.")
    write(
      report.latenessSeconds, "combo_lateness_seconds",
      "From a record's timestamp until what it led to is durable; of each poll, that of the first record counts for all.")
    write(report.batchRecords, "combo_batch_records", "Records that one poll of the input brought.")
  }

  private func writePartitions(_ report: ServiceReport) {
    single("combo_rooms", .gauge, "Rooms that are awake.", Double(report.rooms))
    single("combo_partitions", .gauge, "Partitions that are this instance's.", Double(report.partitions.count))
    if let count = report.inputPartitions {
      single("combo_input_partitions", .gauge, "Partitions of the input, as the brokers last said.", Double(count))
    }
    let running = report.partitions.filter(\.isRunning)
    byPartition("combo_partition_running", "1 if the partition takes in, 0 while it is restored.", report.partitions) {
      $0.isRunning ? 1 : 0
    }
    byPartition(
      "combo_partition_restored_ratio", "How much of what must be run through again has been, from 0 to 1.", report.partitions
    ) { $0.restored }
    byPartition("combo_partition_lag_records", "Records of the input that are not taken in yet.", running) {
      $0.lag.map(Double.init)
    }
    byPartition("combo_partition_rooms", "Rooms of the partition that are awake.", running) { Double($0.rooms) }
    byPartition("combo_partition_own_settings_rooms", "Rooms with settings of their own.", running) {
      Double($0.roomsWithOwnSettings)
    }
    single(
      "combo_own_settings_rooms_max", .gauge, "Rooms of one partition that may have settings of their own.",
      Double(report.ownSettingsMax))
    byPartition(
      "combo_partition_pending_entries", "In at-least-once delivery, entries on their way; at most \(PartitionLog.unsaidMax).",
      running
    ) { Double($0.entriesOnTheirWay) }
    byPartition(
      "combo_partition_pending_records",
      "Records taken in that no entry holds yet; in at-least-once delivery nothing more is taken in from "
        + "\(WriteAheadDelivery.takenMax) on.", running
    ) { Double($0.recordsWithoutEntry) }
  }

  // MARK: - The Kafka clients and the server

  private func write(_ clients: [ClientFigures]) {
    func each(_ name: String, _ kind: Kind, _ help: String, _ value: (ClientFigures) -> Double?) {
      let samples = clients.compactMap { client in value(client).map { (client.client, $0) } }
      if samples.isEmpty { return }
      head(name, kind, help)
      for (client, value) in samples { sample(name, [("client", client)], value) }
    }
    let p = "combo_kafka_client_"
    each(p + "queue_records", .gauge, "Records that wait to be sent.") { $0.isConsumer ? nil : $0.queueRecords }
    each(p + "queue_records_max", .gauge, "Records that may wait to be sent.") { $0.isConsumer ? nil : $0.queueRecordsMax }
    each(p + "queue_bytes", .gauge, "Bytes of records that wait to be sent.") { $0.isConsumer ? nil : $0.queueBytes }
    each(p + "queue_bytes_max", .gauge, "Bytes of records that may wait to be sent.") { $0.isConsumer ? nil : $0.queueBytesMax }
    each(p + "fetched_records", .gauge, "Records fetched and not taken in yet.") { $0.isConsumer ? $0.fetchedRecords : nil }
    each(p + "fetched_bytes", .gauge, "Bytes of records fetched and not taken in yet.") { $0.isConsumer ? $0.fetchedBytes : nil }
    each(p + "sent_records_total", .counter, "Records sent.") { $0.isConsumer ? nil : $0.recordsSent }
    each(p + "sent_record_bytes_total", .counter, "Bytes of records sent.") { $0.isConsumer ? nil : $0.recordBytesSent }
    each(p + "received_records_total", .counter, "Records received.") { $0.isConsumer ? $0.recordsReceived : nil }
    each(p + "received_record_bytes_total", .counter, "Bytes of records received.") {
      $0.isConsumer ? $0.recordBytesReceived : nil
    }
    each(p + "requests_total", .counter, "Requests sent to brokers.") { $0.requests }
    each(p + "responses_total", .counter, "Responses received from brokers.") { $0.responses }
    each(p + "sent_bytes_total", .counter, "Bytes sent to brokers.") { $0.bytesSent }
    each(p + "received_bytes_total", .counter, "Bytes received from brokers.") { $0.bytesReceived }
    each(p + "operations", .gauge, "Events of the client that wait for the program.") { $0.operations }
    each(p + "brokers", .gauge, "Brokers that are known.") { $0.brokers }
    each(p + "brokers_up", .gauge, "Brokers with a connection that is up.") { $0.brokersUp }
    each(p + "requests_waiting", .gauge, "Requests that wait for a response.") { $0.requestsWaiting }
    each(p + "request_errors_total", .counter, "Requests that could not be sent.") { $0.requestErrors }
    each(p + "response_errors_total", .counter, "Responses that could not be received.") { $0.responseErrors }
    each(p + "request_timeouts_total", .counter, "Requests that nobody answered in time.") { $0.requestTimeouts }
    each(p + "connects_total", .counter, "Connections tried.") { $0.connects }
    each(p + "disconnects_total", .counter, "Connections that ended.") { $0.disconnects }
    each(p + "round_trip_p99_seconds", .gauge, "99th percentile of the slowest broker's round trips.") { $0.roundTripSeconds }
    each(p + "throttle_p99_seconds", .gauge, "99th percentile of the time for which a broker asked to be spared.") {
      $0.throttleSeconds
    }
    each(p + "rebalances_total", .counter, "Rebalances of the group that the client took part in.") { $0.rebalances }
  }

  private func write(_ http: HTTPCounts, connections: Int, readers: Int) {
    family(
      "combo_http_responses_total", .counter, "Answers by the first digit of their status.", "class",
      (2...5).map { ("\($0)xx", http.responses[$0]) })
    counter("combo_http_connections_total", "Connections taken.", http.connections)
    counter("combo_http_slow_requests_total", "Connections closed because a request took too long to come.", http.slowRequests)
    single("combo_http_connections", .gauge, "Connections that are open.", Double(connections))
    single("combo_http_connections_max", .gauge, "Connections that may be open.", Double(http.connectionsMax))
    counter("combo_http_event_readers_total", "Streams of events begun.", http.readersBegun)
    counter(
      "combo_http_event_readers_dropped_total", "Streams of events ended because the reader was too slow.", http.readersDropped)
    counter(
      "combo_http_event_readers_resumed_total", "Of those begun, who went on behind the event they had last.", http.readersResumed
    )
    single("combo_http_event_readers", .gauge, "Streams of events that are open.", Double(readers))
    single("combo_http_event_readers_max", .gauge, "Streams of events that may be open.", Double(http.readersMax))
  }

  // MARK: - The format

  private enum Kind: String {
    case counter, gauge, histogram
  }

  private func head(_ name: String, _ kind: Kind, _ help: String) {
    buffer.append("# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n")
  }

  private func single(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
    head(name, kind, help)
    sample(name, [], value)
  }

  private func counter(_ name: String, _ help: String, _ value: Int) { single(name, .counter, help, Double(value)) }

  private func family(_ name: String, _ kind: Kind, _ help: String, _ label: String, _ values: [(String, Int)]) {
    head(name, kind, help)
    for (value, count) in values { sample(name, [(label, value)], Double(count)) }
  }

  private func byPartition(
    _ name: String, _ help: String, _ partitions: [ServiceReport.Partition], _ value: (ServiceReport.Partition) -> Double?
  ) {
    head(name, .gauge, help)
    for partition in partitions {
      if let value = value(partition) { sample(name, [("partition", String(partition.number))], value) }
    }
  }

  private func write(_ histogram: Histogram, _ name: String, _ help: String) {
    head(name, .histogram, help)
    var count = 0
    for (place, bound) in histogram.bounds.enumerated() {
      count += histogram.counts[place]
      sample(name + "_bucket", [("le", number(bound))], Double(count))
    }
    count += histogram.counts[histogram.bounds.count]
    sample(name + "_bucket", [("le", "+Inf")], Double(count))
    sample(name + "_sum", [], histogram.sum)
    sample(name + "_count", [], Double(count))
  }

  private func number(_ value: Double) -> String { value == value.rounded() ? String(Int(value)) : "\(value)" }

  private func sample(_ name: String, _ labels: [(String, String)], _ value: Double) {
    buffer.append(name)
    for (index, (label, text)) in (common + labels).enumerated() {
      buffer.append(index == 0 ? UInt8(ascii: "{") : UInt8(ascii: ","))
      buffer.append(label)
      buffer.append("=\"")
      for byte in text.utf8 {
        // As the format has it.
        switch byte {
        case UInt8(ascii: "\\"): buffer.append("\\\\")
        case UInt8(ascii: "\""): buffer.append("\\\"")
        case 0x0A: buffer.append("\\n")
        default: buffer.append(byte)
        }
      }
      buffer.append(UInt8(ascii: "\""))
    }
    buffer.append(UInt8(ascii: "}"))
    buffer.append(UInt8(ascii: " "))
    buffer.append(value)
    buffer.append(UInt8(ascii: "\n"))
  }
}
