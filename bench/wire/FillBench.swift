import CKafka
import ComboGenerate
import ComboMaps
import Glibc

/// Fills a topic with the gifts of `generate` in one of three forms, for measurements of the whole service.
enum FillBench {
  static func run(_ arguments: [String]) {
    let form = arguments.count > 1 ? arguments[1] : ""
    guard let map = ["json": BuiltInMaps.text("wire")!, "protobuf": BinaryBench.protobufMap, "avro": BinaryBench.avroMap][form]
    else {
      end("the form must be json, protobuf or avro")
    }
    if arguments[0] == "map" { return print(map) }
    guard arguments.count == 5, let count = Int(arguments[4]), count > 0 else { end("bench-wire fill FORM BROKERS TOPIC COUNT") }
    fill(arguments[3], at: arguments[2], count, form)
  }

  /// Passes gifts on, as JSON, in a form, with their rooms.
  static func forEachGift(_ count: Int, _ form: String, _ body: (_ room: [UInt8], _ gift: [UInt8]) -> Void) {
    let binary = BinaryBench()
    var mix = GiftMix()
    mix.rooms = 10_000
    let generator = GiftGenerator(mix, prefix: "g-")
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: GiftGenerator.longest)
    defer { memory.deallocate() }
    for n in 0..<count {
      let size = generator.make(at: 1_732_104_000_000 + Int64(n / 100), to: memory).size
      let gift = UnsafeRawBufferPointer(start: memory, count: size)
      body(
        Array(generator.room), form == "protobuf" ? binary.protobuf(gift) : form == "avro" ? binary.avro(gift) : Array(gift))
    }
  }

  private static func fill(_ topic: String, at brokers: String, _ count: Int, _ form: String) {
    let settings = rd_kafka_conf_new()
    var fault = [CChar](repeating: 0, count: 512)
    for (name, value) in [
      ("bootstrap.servers", brokers), ("linger.ms", "50"), ("compression.type", "lz4"), ("enable.idempotence", "true"),
    ] where rd_kafka_conf_set(settings, name, value, &fault, fault.count) != RD_KAFKA_CONF_OK {
      end("\(name): \(text(fault))")
    }
    guard let client = rd_kafka_new(RD_KAFKA_PRODUCER, settings, &fault, fault.count) else { end("no producer: \(text(fault))") }
    guard let handle = rd_kafka_topic_new(client, topic, nil) else { end("\(topic) is no topic") }
    var left = count
    forEachGift(count, form) { room, gift in
      var (key, value) = (room, gift)
      while rd_kafka_produce(
        handle, RD_KAFKA_PARTITION_UA, RD_KAFKA_MSG_F_COPY, &value, value.count, &key, key.count, nil) != 0
      {
        let code = rd_kafka_last_error()
        guard code == RD_KAFKA_RESP_ERR__QUEUE_FULL else { end(String(cString: rd_kafka_err2str(code))) }
        rd_kafka_poll(client, 100)
      }
      left -= 1
      if left & 1023 == 0 { rd_kafka_poll(client, 0) }
    }
    guard rd_kafka_flush(client, 120_000) == RD_KAFKA_RESP_ERR_NO_ERROR else { end("not all gifts could be written") }
  }

  private static func text(_ bytes: [CChar]) -> String {
    String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func end(_ why: String) -> Never {
    let line = Array("bench-wire: \(why)\n".utf8)
    _ = write(2, line, line.count)
    exit(1)
  }
}
