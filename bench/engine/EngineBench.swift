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
    let batch = UnsafeMutablePointer<Gift>.allocate(capacity: GiftStream.batch)
    let places = UnsafeMutablePointer<UnsafeRawPointer>.allocate(capacity: Engine.prefetchMax)
    defer {
      batch.deallocate()
      places.deallocate()
    }
    var engines = (0..<Mix.rooms).map { _ in Engine(at: 0, settings: settings) }
    var figures: [(seconds: Double, instructions: Int)] = []
    for round in 0...rounds {
      let start = Int64(round * gifts / mix.giftsPerMs)
      var sink = CountingSink()
      var taken = 0.0
      stream.text.withUnsafeBytes { text in
        engines.withUnsafeMutableBufferPointer { engines in
          stream.records.withUnsafeBufferPointer { records in
            for first in stride(from: 0, to: gifts, by: GiftStream.batch) {
              let end = min(first + GiftStream.batch, gifts)
              // As a decoder hands them over: where their texts lie is known.
              for n in first..<end { (batch + n - first).initialize(to: gift(records[n], in: text)) }
              let began = seconds()
              let ahead = LookAhead(batch, UnsafeBufferPointer(rebasing: records[first..<end]), places)
              for n in 0..<end - first {
                ahead.prefetch(behind: n, engines, at: stream.times[first + n] + start)
                let room = ahead.room(n)
                engines[room].takeLent(batch + n, at: stream.times[first + n] + start, to: &sink)
                if n + 1 == end - first || ahead.room(n + 1) != room { engines[room].keepLent() }
              }
              taken += seconds() - began
            }
          }
        }
      }
      if round > 0 { figures.append((taken, sink.count)) }
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

/// Makes the hashes of a batch's gifts some gifts before their turn, and asks for the memory that they will need: what an owner
/// of many engines does. What it costs is part of the figure.
struct LookAhead {
  private let gifts: UnsafeMutablePointer<Gift>
  private let records: UnsafeBufferPointer<GiftRecord>
  private let hasher = GiftHasher()
  /// Lent, with room for ``Engine/prefetchMax``.
  private let places: UnsafeMutablePointer<UnsafeRawPointer>

  init(
    _ gifts: UnsafeMutablePointer<Gift>, _ records: UnsafeBufferPointer<GiftRecord>,
    _ places: UnsafeMutablePointer<UnsafeRawPointer>
  ) {
    (self.gifts, self.records, self.places) = (gifts, records, places)
    for n in 0..<min(16, records.count) { gifts[n].hash(with: hasher) }
  }

  @inline(__always)
  func room(_ n: Int) -> Int { Int(records[n].room) }

  /// Asks for the memory that the gifts behind the `n`th will need.
  @inline(__always)
  func prefetch(behind n: Int, _ engines: UnsafeMutableBufferPointer<Engine>, at now: Int64) {
    if n + 24 < records.count, let text = gifts[n + 24].id.baseAddress { prefetch_lines(text, records[n + 24].length) }
    if n + 16 < records.count { gifts[n + 16].hash(with: hasher) }
    if let room = newRoom(n + 12) {
      let memory = engines[room].memory()
      prefetch_lines(memory.address, memory.bytes)
    }
    for step in 0..<2 {
      if let room = newRoom(n + 9 - 3 * step) { prefetch(engines[room].prefetchAddresses(step: step, at: now, in: places)) }
    }
    for step in 0..<3 {
      let ahead = n + 8 - 3 * step
      if ahead >= records.count { continue }
      prefetch(engines[room(ahead)].prefetchAddresses(of: gifts[ahead].hashes, step: step, in: places))
    }
  }

  /// The room of a gift, if the one before it is of another.
  @inline(__always)
  private func newRoom(_ n: Int) -> Int? {
    n >= records.count || records[n].room == records[n - 1].room ? nil : room(n)
  }

  @inline(__always)
  private func prefetch(_ count: Int) {
    prefetch_all(places, count)
  }
}
