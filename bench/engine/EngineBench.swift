import CMemory  // so that memory lies as in the program
import CPrefetch
import ComboCore
import Glibc

/// Takes gifts of 2,000 rooms into their engines on one core, prints gifts a second, and the memory of a room at rest.
///
///     bench-engine [plain|busy|memory] [ROUNDS] [GIFTS]
///
/// GIFTS, a million, are taken in in each round. Who counts instructions takes the difference of runs of several rounds.
@main
enum EngineBench {
  struct CountingSink: InstructionSink {
    var count = 0
    mutating func say(_ instruction: Instruction) { count += 1 }
  }

  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    let what = arguments.first ?? "all"
    let rounds = max(1, arguments.dropFirst().first.flatMap { Int($0) } ?? 7)
    let gifts = max(1, arguments.dropFirst(2).first.flatMap { Int($0) } ?? 1_000_000)
    switch what {
    case "all":
      // First, since memory that others gave back would not be seen.
      fillRooms()
      takeGifts(.plain, gifts, rounds: rounds)
      takeGifts(.busy, gifts, rounds: rounds)
    case "plain": takeGifts(.plain, gifts, rounds: rounds)
    case "busy": takeGifts(.busy, gifts, rounds: rounds)
    case "memory": fillRooms()
    default:
      print("bench-engine [plain|busy|memory] [ROUNDS] [GIFTS]: \(what) is none of these")
      exit(2)
    }
  }

  /// The median of some rounds. A first one fills the rooms and does not count: from then on no gift needs an allocation.
  static func takeGifts(_ mix: Mix, _ gifts: Int, rounds: Int) {
    let stream = GiftStream(mix, count: gifts)
    let settings = EngineSettings(Settings())
    var engines = (0..<Mix.rooms).map { _ in Engine(at: 0, settings: settings) }
    var figures: [(seconds: Double, instructions: Int)] = []
    for round in 0...rounds {
      let start = Int64(round * gifts / mix.giftsPerMs)
      var sink = CountingSink()
      let began = seconds()
      stream.text.withUnsafeBytes { text in
        engines.withUnsafeMutableBufferPointer { engines in
          stream.records.withUnsafeBufferPointer { records in
            var ahead = LookAhead(records, in: text)
            for n in 0..<gifts {
              ahead.prefetchNext(engines)
              let room = Int(records[n].room)
              engines[room].takeLent(ahead.first, at: stream.times[n] + start, to: &sink)
              if n + 1 == gifts || Int(records[n + 1].room) != room { engines[room].keepLent() }
              ahead.step()
            }
          }
        }
      }
      if round > 0 { figures.append((seconds() - began, sink.count)) }
    }
    figures.sort { $0.seconds < $1.seconds }
    let median = figures[rounds / 2]
    func perSecond(_ seconds: Double) -> String { "\(Int((Double(gifts) / seconds / 1e4).rounded()) * 10)k" }
    let ns = Int((median.seconds / Double(gifts) * 1e9).rounded())
    let share = (Double(median.instructions) / Double(gifts) * 1000).rounded() / 1000
    print(
      "engine, \(mix.name): median \(perSecond(median.seconds)) gifts/s (\(ns) ns), best \(perSecond(figures[0].seconds)),",
      "worst \(perSecond(figures[rounds - 1].seconds)); \(share) instructions a gift")
  }

  @inline(__always)
  static func gift(_ record: GiftRecord, in text: Bytes) -> Gift {
    var at = text.baseAddress.unsafelyUnwrapped + Int(record.offset)
    func take(_ length: UInt8) -> Bytes {
      defer { at += Int(length) }
      return Bytes(start: at, count: Int(length))
    }
    return Gift(
      id: take(record.lengths.0), senderID: take(record.lengths.1), receiverID: take(record.lengths.2),
      giftID: take(record.lengths.3),
      display: Display(sender: take(record.lengths.4), receiver: take(record.lengths.5), gift: take(record.lengths.6)),
      value: Double(record.value), amount: .count(Int(record.count)))
  }

  /// A million rooms, each with one combo that is gone.
  static func fillRooms() {
    let rooms = 1_000_000
    let stream = GiftStream(Mix.plain, count: 1000)
    let settings = EngineSettings(Settings())
    var sink = CountingSink()
    let before = residentBytes()
    var engines: [Engine] = []
    engines.reserveCapacity(rooms)
    stream.text.withUnsafeBytes { text in
      for n in 0..<rooms {
        var engine = Engine(at: 0, settings: settings)
        engine.take(gift(stream.records[n % stream.records.count], in: text), at: 0, to: &sink)
        engine.advance(to: 4500, to: &sink)
        engines.append(engine)
      }
    }
    precondition(engines.allSatisfy(\.isIdle), "each combo is gone after four and a half seconds")
    print("memory: \((residentBytes() - before) / rooms) bytes a room at rest, with one combo in its history and one id")
  }

  static func seconds() -> Double {
    var t = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t)
    return Double(t.tv_sec) + Double(t.tv_nsec) / 1e9
  }

  static func residentBytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, 128, file) != nil else { return 0 }
    let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let fields = text.split(separator: " ")
    return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * Int(getpagesize())
  }
}

/// Gifts with their hashes, some ahead of their turn, so that the memory that they need can be asked for: what an owner of many
/// engines does. What it costs is part of the figure.
struct LookAhead {
  private static let size = 16
  private let records: UnsafeBufferPointer<GiftRecord>
  private let text: Bytes
  private let hasher = GiftHasher()
  private let ring = UnsafeMutablePointer<Gift>.allocate(capacity: size)
  private let places = UnsafeMutablePointer<UnsafeRawPointer>.allocate(capacity: Engine.placesMax)
  private var turn = 0

  init(_ records: UnsafeBufferPointer<GiftRecord>, in text: Bytes) {
    (self.records, self.text) = (records, text)
    for n in 0..<Self.size { prepare(n) }
  }

  /// The gift whose turn it is.
  var first: Gift { @inline(__always) _read { yield ring[turn % Self.size] } }

  @inline(__always)
  private func prepare(_ n: Int) {
    let place = ring + n % Self.size
    place.initialize(to: EngineBench.gift(records[min(n, records.count - 1)], in: text))
    place.pointee.hash(with: hasher)
  }

  /// Asks for the memory that the gifts after the first will need.
  @inline(__always)
  func prefetchNext(_ engines: UnsafeMutableBufferPointer<Engine>) {
    if let room = newRoom(turn + 12) {
      let memory = engines[room].memory()
      prefetch_lines(memory.address, memory.bytes)
    }
    for step in 0..<2 {
      if let room = newRoom(turn + 9 - 3 * step) { prefetch(engines[room].places(step: step, in: places)) }
    }
    for step in 0..<3 {
      let ahead = turn + 8 - 3 * step
      if ahead >= records.count { continue }
      prefetch(
        engines[Int(records[ahead].room)].places(of: ring[ahead % Self.size].hashes, step: step, in: places))
    }
  }

  /// The room of a gift ahead, if the one before it is of another.
  @inline(__always)
  private func newRoom(_ ahead: Int) -> Int? {
    if ahead >= records.count || records[ahead].room == records[ahead - 1].room { return nil }
    return Int(records[ahead].room)
  }

  @inline(__always)
  private func prefetch(_ count: Int) {
    for n in 0..<count { CPrefetch.prefetch(places[n]) }
  }

  /// Goes on to the next gift.
  @inline(__always)
  mutating func step() {
    prepare(turn + Self.size)
    turn += 1
  }
}
