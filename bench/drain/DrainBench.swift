import CKafka
import Glibc

/// Reads a topic's committed records from its end on until SIGTERM or SIGINT, and prints how late its shows were.
///
///     bench-drain BROKERS TOPIC
///
/// Says `ready` once it reads. How late: when the record came, less `sender.t` if the show has that, or else its `at`.
@main
enum DrainBench {
  private nonisolated(unsafe) static var isStopping: sig_atomic_t = 0

  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else { end("bench-drain BROKERS TOPIC") }
    for number in [SIGINT, SIGTERM] { signal(number) { _ in DrainBench.isStopping = 1 } }
    let client = makeClient(brokers: arguments[1])
    rd_kafka_poll_set_consumer(client)
    assignEnds(of: arguments[2], client)
    tell("ready")
    var delays = Delays()
    read(client, &delays)
    tell(delays.text)
    _exit(0)
  }

  private static func makeClient(brokers: String) -> OpaquePointer {
    let settings = rd_kafka_conf_new()
    var fault = [CChar](repeating: 0, count: 512)
    for (name, value) in [
      ("bootstrap.servers", brokers), ("group.id", "bench-drain"), ("enable.auto.commit", "false"),
      ("isolation.level", "read_committed"), ("auto.offset.reset", "error"), ("fetch.wait.max.ms", "100"),
    ] where rd_kafka_conf_set(settings, name, value, &fault, fault.count) != RD_KAFKA_CONF_OK {
      end("\(name): \(text(fault))")
    }
    guard let client = rd_kafka_new(RD_KAFKA_CONSUMER, settings, &fault, fault.count) else {
      end("no consumer: \(text(fault))")
    }
    return client
  }

  /// All partitions, from the end of now on: everything that is written from here on will be seen.
  private static func assignEnds(of topic: String, _ client: OpaquePointer) {
    var metadata: UnsafePointer<rd_kafka_metadata>?
    guard let handle = rd_kafka_topic_new(client, topic, nil),
      rd_kafka_metadata(client, 0, handle, &metadata, 10_000) == RD_KAFKA_RESP_ERR_NO_ERROR, let metadata,
      metadata.pointee.topic_cnt == 1, metadata.pointee.topics[0].partition_cnt > 0
    else { end("there is no topic \(topic)") }
    let count = metadata.pointee.topics[0].partition_cnt
    guard let list = rd_kafka_topic_partition_list_new(count) else { end("no memory") }
    for partition in 0..<count {
      var low: Int64 = 0
      var high: Int64 = 0
      let code = rd_kafka_query_watermark_offsets(client, topic, partition, &low, &high, 10_000)
      guard code == RD_KAFKA_RESP_ERR_NO_ERROR, let place = rd_kafka_topic_partition_list_add(list, topic, partition) else {
        end("no end of \(topic), partition \(partition): \(String(cString: rd_kafka_err2str(code)))")
      }
      place.pointee.offset = high
    }
    guard rd_kafka_assign(client, list) == RD_KAFKA_RESP_ERR_NO_ERROR else { end("cannot assign \(topic)") }
  }

  private static func read(_ client: OpaquePointer, _ delays: inout Delays) {
    let queue = rd_kafka_queue_get_consumer(client)
    var batch = [UnsafeMutablePointer<rd_kafka_message_t>?](repeating: nil, count: 1000)
    while isStopping == 0 {
      let count = rd_kafka_consume_batch_queue(queue, 20, &batch, batch.count)
      let now = nowMicroseconds()
      for place in 0..<max(0, count) {
        guard let message = batch[place] else { continue }
        if message.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR {
          delays.add(UnsafeRawBufferPointer(start: message.pointee.payload, count: message.pointee.len), at: now)
        } else {
          say("bench-drain: \(String(cString: rd_kafka_message_errstr(message)))")
        }
        rd_kafka_message_destroy(message)
      }
    }
  }

  private static func nowMicroseconds() -> Int64 {
    var t = timespec()
    clock_gettime(CLOCK_REALTIME, &t)
    return Int64(t.tv_sec) * 1_000_000 + Int64(t.tv_nsec) / 1000
  }

  private static func text(_ bytes: [CChar]) -> String {
    String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func end(_ why: String) -> Never {
    say(why)
    exit(1)
  }

  private static func tell(_ line: String) {
    let text = Array((line + "\n").utf8)
    _ = write(1, text, text.count)
  }

  private static func say(_ line: String) {
    let text = Array((line + "\n").utf8)
    _ = write(2, text, text.count)
  }
}
