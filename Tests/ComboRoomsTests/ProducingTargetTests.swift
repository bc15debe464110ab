import ComboCore
import ComboEdge
import ComboWire
import Dispatch
import Synchronization
import Testing

@testable import ComboRooms

/// The first records of a transaction, which are held back and produced in order.
@Suite("What goes out in a transaction")
struct ProducingTargetTests {
  /// An output that keeps what is produced.
  private final class Taken: OutputEdge {
    private let taken = Mutex<[String]>([])
    var values: [String] { taken.withLock { $0 } }

    func produce(_ topic: Topic, partition: Int32?, key: Bytes?, value: Bytes?, timestamp: Int64?, headers: [RecordHeader]) {
      let text = value.map { String(decoding: $0, as: UTF8.self) } ?? ""
      taken.withLock { $0.append(headers.isEmpty ? text : "\(text) with \(headers[0].name)") }
    }

    func begin() {}
    func commit(_ offsets: [CommittedOffset]) {}
    func abort() {}
    func renew() {}
    func serve() {}
  }

  private let taken = Taken()
  private let target: ProducingTarget

  private static let heldBytes = 65_536

  init() { target = ProducingTarget(taken, watched: HeldBack(), heldBytes: Self.heldBytes) }

  private func say(_ text: String, headers: [RecordHeader] = []) {
    var value = text
    value.withUTF8 { target.produce(.output, key: nil, value: Bytes($0), timestamp: nil, headers: headers) }
  }

  @Test("a little is held until it is let go; what follows goes out at once")
  func little() {
    target.begin()
    say("a")
    say("b", headers: [RecordHeader(name: "why", value: nil)])
    #expect(taken.values == [])
    target.release()
    #expect(taken.values == ["a", "b with why"])
    say("c")
    #expect(taken.values == ["a", "b with why", "c"])
    target.release()
    #expect(taken.values.count == 3)
  }

  @Test("the first 64 KiB let go of all")
  func much() {
    target.begin()
    let part = String(repeating: "x", count: Self.heldBytes / 4)
    for _ in 0..<3 { say(part) }
    #expect(taken.values == [])
    say(part)
    #expect(taken.values.count == 4)
    say("y")
    #expect(taken.values.last == "y")
  }

  @Test("the next transaction holds back anew, and nothing of one that failed comes in it")
  func next() {
    target.begin()
    say("lost")
    target.begin()
    say("a")
    target.release()
    #expect(taken.values == ["a"])
    target.begin()
    say("b")
    #expect(taken.values == ["a"])
    target.release()
    #expect(taken.values == ["a", "b"])
  }

  @Test("of several threads each keeps its order, while one of them lets all go", arguments: 0..<20)
  func threads(run: Int) {
    target.begin()
    let (threads, each) = (4, 1500)
    DispatchQueue.concurrentPerform(iterations: threads) { thread in
      for n in 0..<each { say("\(thread) \(n) 0123456789") }
    }
    target.release()
    let all = taken.values.map { $0.split(separator: " ").prefix(2).map { Int($0)! } }
    #expect(all.count == threads * each)
    for thread in 0..<threads {
      // Computed outside the expectation, whose message would list all records.
      let isInOrder = all.lazy.filter { $0[0] == thread }.map { $0[1] }.elementsEqual(0..<each)
      #expect(isInOrder, "what thread \(thread) produced")
    }
  }
}
