import ComboCore
import ComboMaps
import ComboWire
import Glibc

/// Decodes events of about 300 bytes, the copy into an arena included, and encodes instructions, on one core; prints how many a
/// second.
///
///     bench-wire [decode|unlike|mapped|composed|various|protobuf|avro|encode] [ROUNDS] [TIMES]
///     bench-wire map FORM                        prints the map that reads gifts in a form: json, protobuf or avro
///     bench-wire fill FORM BROKERS TOPIC COUNT   writes gifts of 10,000 rooms to a topic
///
/// Each of 4,096 events is decoded TIMES (120) times in a round, each instruction encoded TIMES times. Who counts instructions of
/// the processor takes the difference of runs of several TIMES; the program says how many events or instructions a TIME is.
@main
enum WireBench {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    let what = arguments.first ?? "all"
    if what == "map" || what == "fill" { return FillBench.run(Array(arguments)) }
    let rounds = max(1, arguments.dropFirst().first.flatMap { Int($0) } ?? 7)
    let times = max(1, arguments.dropFirst(2).first.flatMap { Int($0) } ?? 120)
    switch what {
    case "all":
      decodeEvents("decode", rounds, times, (0..<4096).map { event($0) })
      decodeEvents("unlike", rounds, times, (0..<4096).map(unlikeEvent))
      MapBench.run("mapped", rounds, times, events: (0..<4096).map { event($0) }, text: BuiltInMaps.text("wire")!)
      MapBench.run("composed", rounds, times, events: (0..<4096).map(MapBench.event), text: MapBench.map)
      MapBench.run("various", rounds, times, events: (0..<4096).map(MapBench.variousEvent), text: MapBench.map)
      binary("protobuf", rounds, times, BinaryBench.protobufMap)
      binary("avro", rounds, times, BinaryBench.avroMap)
      EncodeBench.run(rounds, times)
    case "decode": decodeEvents(what, rounds, times, (0..<4096).map { event($0) })
    case "unlike": decodeEvents(what, rounds, times, (0..<4096).map(unlikeEvent))
    case "mapped": MapBench.run("mapped", rounds, times, events: (0..<4096).map { event($0) }, text: BuiltInMaps.text("wire")!)
    case "composed": MapBench.run("composed", rounds, times, events: (0..<4096).map(MapBench.event), text: MapBench.map)
    case "various":
      MapBench.run("various", rounds, times, events: (0..<4096).map(MapBench.variousEvent), text: MapBench.map)
    case "protobuf": binary(what, rounds, times, BinaryBench.protobufMap)
    case "avro":
      binary(what, rounds, times, BinaryBench.avroMap)
    case "encode": EncodeBench.run(rounds, times)
    default:
      print("bench-wire [decode|unlike|mapped|composed|various|protobuf|avro|encode] [ROUNDS] [TIMES]: \(what) is none of these")
      exit(2)
    }
  }

  private static func decodeEvents(_ name: String, _ rounds: Int, _ times: Int, _ texts: [[UInt8]]) {
    // As records lie in what was fetched: memory of its own, that no reference is counted to.
    let events = texts.map(memory)
    let bytes = events.reduce(0) { $0 + $1.count }
    let keys = (0..<4096).map { memory(Array("r\($0 % 100)".utf8)) }
    let decoder = EventDecoder()
    let arena = BumpArena()
    var slot = Event()
    var figures: [Double] = []
    for round in 0...rounds {
      let began = seconds()
      var count = 0
      for _ in 0..<times {
        for i in 0..<events.count {
          if i & 1023 == 0 { arena.reset() }
          do throws(BadEvent) {
            try decoder.decode(events[i], key: keys[i], into: arena, &slot)
            count += 1
          } catch {
            fatalError("an event of the benchmark is bad: \(error)")
          }
        }
      }
      let took = seconds() - began
      // The first round warms up.
      if round > 0 { figures.append(Double(count) / took) }
    }
    figures.sort()
    let median = figures[figures.count / 2]
    print(
      "\(name): median \(Int(median)) events/s, \(Int(1e9 / median)) ns an event of \(bytes / events.count) bytes",
      "(\(rounds) rounds, \(Int(figures[0])) to \(Int(figures.last!))); \(events.count) events a time")
  }

  private static func memory(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    memory.copyBytes(from: bytes)
    return UnsafeRawBufferPointer(memory)
  }

  /// The same events in 1,024 shapes, in no order: a decoder does not know so many at a time.
  private static func unlikeEvent(_ n: Int) -> [UInt8] { event(n, more: more(n)) }

  /// Ten members that are there or not.
  static func more(_ n: Int) -> String {
    let shape = UInt64(n) &* 0x9E37_79B9_7F4A_7C15 &>> 54
    return (0..<10).filter { shape & 1 << $0 != 0 }.map { #""x\#($0)":\#(n % 10),"# }.joined()
  }

  private static func binary(_ form: String, _ rounds: Int, _ times: Int, _ map: String) {
    var (keys, gifts): ([[UInt8]], [[UInt8]]) = ([], [])
    FillBench.forEachGift(4096, form) {
      keys.append($0)
      gifts.append($1)
    }
    MapBench.run(form, rounds, times, events: gifts, keys: keys, text: map)
  }

  static func event(_ n: Int, more: String = "") -> [UInt8] {
    Array(
      """
      {"id":"e-193b2f2a3c0-1-\(1_000_000 + n)","room":"r\(n % 100)","ts":1732104000\(100 + n % 900),"sender":{"id":"u\(n % 100)-\(n % 50)",\
      "name":"小明\(n % 1000)","avatar":"https://cdn.example.com/avatar/3f/3fa9c1d27b64e85f_100.webp","t":1732104000123},\(more)\
      "receiver":{"id":"a\(n % 100)","name":"主播晚风"},"gift":{"id":"rose","name":"玫瑰","value":\(n % 500)},"count":\(1 + n % 10)}
      """.utf8)
  }

  static func seconds() -> Double {
    var t = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t)
    return Double(t.tv_sec) + Double(t.tv_nsec) / 1e9
  }
}
