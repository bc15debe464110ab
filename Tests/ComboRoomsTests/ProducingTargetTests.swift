import ComboCore
import ComboEdge
import ComboWire
import Dispatch
import Synchronization
import Testing

@testable import ComboRooms

/// The first records of a transaction, which are held back and produced in order.
@Suite("Records sent in a transaction")
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

  private func emit(_ text: String, headers: [RecordHeader] = []) {
    var value = text
    value.withUTF8 { target.produce(.output, key: nil, value: Bytes($0), timestamp: nil, headers: headers) }
  }

  @Test("a few records are held until they are released; later ones are sent at once")
  func little() {
    target.begin()
    emit("a")
    emit("b", headers: [RecordHeader(name: "why", value: nil)])
    #expect(taken.values == [])
    target.release()
    #expect(taken.values == ["a", "b with why"])
    emit("c")
    #expect(taken.values == ["a", "b with why", "c"])
    target.release()
    #expect(taken.values.count == 3)
  }

  @Test("once 64 KiB are held, all are released")
  func much() {
    target.begin()
    let part = String(repeating: "x", count: Self.heldBytes / 4)
    for _ in 0..<3 { emit(part) }
    #expect(taken.values == [])
    emit(part)
    #expect(taken.values.count == 4)
    emit("y")
    #expect(taken.values.last == "y")
  }

  @Test("the next transaction holds records back again, and contains nothing of one that failed")
  func next() {
    target.begin()
    emit("lost")
    target.begin()
    emit("a")
    target.release()
    #expect(taken.values == ["a"])
    target.begin()
    emit("b")
    #expect(taken.values == ["a"])
    target.release()
    #expect(taken.values == ["a", "b"])
  }

  @Test("each of several threads keeps its order, while one of them releases all", arguments: 0..<20)
  func threads(run: Int) {
    target.begin()
    let (threads, each) = (4, 1500)
    DispatchQueue.concurrentPerform(iterations: threads) { thread in
      for n in 0..<each { emit("\(thread) \(n) 0123456789") }
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
