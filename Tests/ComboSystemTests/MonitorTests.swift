import ComboSystem
import Testing

@Suite("A monitor")
struct MonitorTests {
  @Test("threads that wait for each other's changes resume one after the other")
  func chain() {
    let step = Monitor(0)
    let threads = (1...4).reversed().map { own in
      WorkThread {
        step.wait { step -> Void? in
          if step != own - 1 { return nil }
          step = own
          return ()
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(step.withLock { $0 } == 4)
  }

  @Test("a wait ends with a change, or when its time is over")
  func ends() {
    let isOpen = Monitor(false)
    let began = MonotonicClock.nowMs
    isOpen.wait(while: { !$0 }, maxMs: 30)
    #expect(MonotonicClock.nowMs - began >= 29)
    let thread = WorkThread { isOpen.change { $0 = true } }
    isOpen.wait(while: { !$0 }, maxMs: 60_000)
    #expect(isOpen.withLock { $0 })
    thread.join()
  }
}
