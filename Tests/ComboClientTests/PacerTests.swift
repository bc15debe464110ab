import Testing

@testable import ComboClient

@Suite("The pacer")
struct PacerTests {
  /// Returns when each arrival is drawn, with its `at`, by a client that draws as soon as something is due.
  private func drawn(_ paceMs: Int, _ arrivals: [(receivedAt: Int64, at: Int64?)]) -> [(at: Int64?, time: Int64)] {
    var pacer = Pacer<Int64?>(paceMs: paceMs)
    var out: [(Int64?, Int64)] = []
    func advance(_ time: Int64) {
      while let due = pacer.nextDue, due <= time {
        let now = max(due, out.last?.1 ?? .min)
        out += pacer.due(at: now).map { ($0, now) }
      }
    }
    for (receivedAt, at) in arrivals {
      advance(receivedAt - 1)
      pacer.hold(at, at: at, now: receivedAt)
      out += pacer.due(at: receivedAt).map { ($0, receivedAt) }
    }
    advance(.max)
    return out
  }

  @Test("batches of 100 ms get their rhythm back, whatever the clocks show", arguments: [0, 86_400_000, -3_600_000])
  func rhythm(skew: Int64) {
    let times = (0..<200).map { Int64($0) * 30 }
    let out = drawn(500, times.map { ($0 / 100 * 100 + 150, $0 + skew) })
    #expect(out.map(\.at) == times.map { $0 + skew })
    let steps = zip(out, out.dropFirst()).map { $1.time - $0.time }.dropFirst(20)
    #expect(Set(steps) == [30])
  }

  @Test("nothing is held for longer than its bound, and later instructions are due at once")
  func bound() {
    let arrivals: [(receivedAt: Int64, at: Int64?)] = (0..<300).map { index in
      let at = Int64(index) * 90
      return (at > 5000 && at < 9000 ? 9000 : at + 30, at)
    }
    for (one, (receivedAt, at)) in zip(drawn(500, arrivals), arrivals) {
      #expect(one.at == at)
      #expect(one.time - receivedAt <= 500)
      if receivedAt - at! > 530 { #expect(one.time == receivedAt) }
    }
  }

  @Test("without a bound, and without a time, everything is due on arrival")
  func none() {
    #expect(drawn(0, [(0, 0), (100, 90), (300, 100)]).map(\.time) == [0, 100, 300])
    #expect(drawn(500, [(5, nil), (7, nil)]).map(\.time) == [5, 7])
  }

  @Test("flush returns everything in order, and without calls no more than a thousand are held back")
  func flush() {
    var pacer = Pacer<Int>(paceMs: 500)
    pacer.hold(-1, at: 0, now: 400)
    #expect(pacer.due(at: 400) == [-1])
    for index in 0..<10 { pacer.hold(index, at: 1000, now: 1000) }
    #expect(pacer.due(at: 1000).isEmpty)
    #expect(pacer.flush() == Array(0..<10))
    #expect(pacer.nextDue == nil)
    for index in 0..<1000 { pacer.hold(index, at: 1000, now: 1000) }
    #expect(pacer.due(at: 1000).isEmpty && pacer.nextDue == 1400)
    pacer.hold(1000, at: 1000, now: 1000)
    #expect(pacer.nextDue == .min && pacer.due(at: 1000) == Array(0..<1001))
  }

  @Test("a delay counts for its stretch of time and the next one, and not for another connection")
  func forgets() {
    var pacer = Pacer<String>(paceMs: 500)
    pacer.hold("a", at: 0, now: 900)
    _ = pacer.due(at: 900)
    pacer.hold("b", at: 1000, now: 1000)
    #expect(pacer.nextDue == 1500)
    #expect(pacer.reset() == ["b"])
    pacer.hold("c", at: 1000, now: 1000)
    #expect(pacer.due(at: 1000) == ["c"])
    pacer.hold("d", at: 1000, now: 1400)
    pacer.hold("e", at: 7000, now: 7000)
    #expect(pacer.due(at: 7000) == ["d"] && pacer.nextDue == 7400)
    pacer.hold("f", at: 12_000, now: 12_000)
    #expect(pacer.due(at: 12_000) == ["e"] && pacer.nextDue == 12_400)
    pacer.hold("g", at: 12_001, now: 12_001)
    #expect(pacer.due(at: 12_400) == ["f", "g"])
  }
}
