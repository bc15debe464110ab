import Glibc

/// How late shows came, in steps of 0.1 ms up to 100 s.
struct Delays {
  private var steps = [UInt32](repeating: 0, count: 1_000_001)
  private var records = 0
  private var shows = 0
  private var longest: Int64 = 0

  mutating func add(_ record: UnsafeRawBufferPointer, at now: Int64) {
    records += 1
    guard Self.find(#""op":"show""#, in: record) != nil else { return }
    var time = Self.number(after: #""at":"#, in: record)
    if let sender = Self.find(#""sender":"#, in: record) {
      // Shows of ours hand the whole sender on; its `t` is there only if the load has one.
      let tail = UnsafeRawBufferPointer(rebasing: record[sender...])
      let whole = Self.find("}", in: tail).map { UnsafeRawBufferPointer(rebasing: tail[..<$0]) } ?? tail
      if let sent = Self.number(after: #""t":"#, in: whole) { time = sent }
    }
    guard let time else { return }
    let delay = max(0, now - time * 1000)
    shows += 1
    longest = max(longest, delay)
    steps[Int(min(delay / 100, 1_000_000))] += 1
  }

  /// One line of `name=value`; times in milliseconds.
  var text: String {
    "records=\(records) shows=\(shows) p50=\(percentile(0.5)) p90=\(percentile(0.9)) p99=\(percentile(0.99)) max=\(Double(longest) / 1000)"
  }

  /// Nearest rank.
  private func percentile(_ share: Double) -> Double {
    let rank = max(1, Int((share * Double(shows)).rounded(.up)))
    var seen = 0
    for (step, count) in steps.enumerated() {
      seen += Int(count)
      if seen >= rank { return Double(step) / 10 }
    }
    return 0
  }

  private static func find(_ word: StaticString, in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    let count = word.utf8CodeUnitCount
    var at = 0
    // glibc's memmem is not among what Swift sees.
    while at + count <= bytes.count, let found = memchr(base + at, Int32(word.utf8Start[0]), bytes.count - count - at + 1) {
      at = UnsafeRawPointer(found) - base
      if memcmp(found, word.utf8Start, count) == 0 { return at + count }
      at += 1
    }
    return nil
  }

  private static func number(after word: StaticString, in bytes: UnsafeRawBufferPointer) -> Int64? {
    guard var at = find(word, in: bytes) else { return nil }
    var number: Int64 = 0
    let begin = at
    while at < bytes.count, bytes[at] >= 0x30, bytes[at] <= 0x39, at - begin < 18 {
      number = number * 10 + Int64(bytes[at] - 0x30)
      at += 1
    }
    return at > begin ? number : nil
  }
}
