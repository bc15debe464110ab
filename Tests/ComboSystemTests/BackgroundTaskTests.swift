import ComboCore
import ComboRooms
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import ComboSystem
@testable import ComboTestSupport

@Suite("Background tasks")
struct AsideTests {
  @Test("neither rooms nor queries to the brokers wait until partitions are restored")
  func nobodyWaits() {
    let mayEnd = Atomic<Bool>(false)
    let processors = ProcessInfo.processInfo.activeProcessorCount
    let (begun, ended) = (DispatchSemaphore(value: 0), DispatchGroup())
    // These are more tasks than there are threads at first, and all are busy.
    for _ in 0..<2 * processors {
      ended.enter()
      BackgroundTask.run(.restoring) {
        begun.signal()
        while !mayEnd.load(ordering: .relaxed) {}
        ended.leave()
      }
    }
    begun.wait()
    let patience = DispatchTimeInterval.milliseconds(Int(ServiceKafka.patienceMs))
    let asked = DispatchSemaphore(value: 0)
    BackgroundTask.run(.query) { asked.signal() }
    #expect(asked.wait(timeout: .now() + patience) == .success)
    let worked = DispatchSemaphore(value: 0)
    let room = Array("r".utf8).withUnsafeBytes { Room($0, Engine(at: 0, settings: EngineSettings(Settings()))) }
    room.queue.async { worked.signal() }
    #expect(worked.wait(timeout: .now() + patience) == .success)
    mayEnd.store(true, ordering: .relaxed)
    ended.wait()
  }

  @Test("no query waits for another to be answered")
  func queriesAreAskedTogether() {
    let answer = DispatchSemaphore(value: 0)
    let (asked, answered) = (DispatchSemaphore(value: 0), DispatchGroup())
    let count = 4 * ProcessInfo.processInfo.activeProcessorCount
    for _ in 0..<count {
      answered.enter()
      BackgroundTask.run(.query) {
        asked.signal()
        answer.wait()
        answered.leave()
      }
    }
    let patience = DispatchTime.now() + .milliseconds(Int(ServiceKafka.patienceMs))
    for _ in 0..<count { #expect(asked.wait(timeout: patience) == .success) }
    for _ in 0..<count { answer.signal() }
    answered.wait()
  }

  @Test("no more restores run at a time than there are lanes, and the others follow in order")
  func lanes() {
    let lanes = Lanes(2)
    let (begun, ended) = (DispatchSemaphore(value: 0), DispatchGroup())
    let gates = (0..<4).map { _ in DispatchSemaphore(value: 0) }
    let order = Mutex<[Int]>([])
    for (index, gate) in gates.enumerated() {
      ended.enter()
      lanes.run {
        order.withLock { $0.append(index) }
        begun.signal()
        gate.wait()
        ended.leave()
      }
    }
    for _ in 0..<2 { begun.wait() }
    #expect(order.withLock { $0.sorted() } == [0, 1])
    gates[1].signal()
    begun.wait()
    #expect(order.withLock { $0.last } == 2)
    gates[2].signal()
    begun.wait()
    #expect(order.withLock { $0.last } == 3)
    gates[0].signal()
    gates[3].signal()
    ended.wait()
  }
}
