/// Skips that are reported together. The specification's *Summed skips*.
extension EngineCore {
  /// Adds to the sum of overflows a banner that was never created, or that has left the queue.
  mutating func sum(banner: Int, _ count: Int, _ worth: Double, at now: Int64, to sink: inout some InstructionSink) {
    if !hasSkipSum {
      skipSum.deadline = now + Int64(settings.skipMs)
      if skipSum.deadline < earliestDeadline {
        earliestDeadline = skipSum.deadline
        isEarliestExact = true
      }
    }
    skipSum.add(count, worth)
    sink.summed(banner, at: now, .overflow)
  }

  /// Adds a waiting banner to the sum of overflows.
  mutating func sum(_ index: Int32, at now: Int64, to sink: inout some InstructionSink) {
    takeFromQueue(index)
    let banner = banners[index]
    sum(banner: banner.number, banner.total - banner.base, banner.value, at: now, to: &sink)
    if settings.values.finals, banner.base > 0 {
      say(
        .final(banner: banner.number, count: banner.total, reason: .overflow, display: banners.display(index)), at: now, to: &sink
      )
    }
    drop(index)
  }

  /// Emits the sum and clears its deadline, if anything was summed.
  mutating func sayDueSum(at now: Int64, to sink: inout some InstructionSink) {
    guard hasSkipSum else { return }
    let sum = skipSum
    skipSum = .none
    isEarliestExact = false
    say(sum, .overflow, at: now, to: &sink)
  }

  /// Skips all waiting banners together because the room is closed.
  mutating func sumClosed(at now: Int64, to sink: inout some InstructionSink) {
    if queue.count == 0 { return }
    var sum = SkipSum.none
    var index = queue.first
    while index >= 0 {
      sum.add(banners[index].total - banners[index].base, banners[index].value)
      sink.summed(banners[index].number, at: now, .closed)
      index = banners[index].next
    }
    say(sum, .closed, at: now, to: &sink)
    while queue.first >= 0 {
      let index = queue.first
      takeFromQueue(index)
      let banner = banners[index]
      if settings.values.finals, banner.base > 0 {
        say(
          .final(banner: banner.number, count: banner.total, reason: .closed, display: banners.display(index)), at: now, to: &sink
        )
      }
      drop(index)
    }
  }

  private mutating func say(_ sum: SkipSum, _ reason: SkipReason, at now: Int64, to sink: inout some InstructionSink) {
    say(
      .skipSum(banners: sum.banners, count: sum.count, value: sum.value, reason: reason), at: now, worth: sum.value, to: &sink)
  }
}

extension SkipSum {
  static let none = SkipSum(banners: 0, count: 0, value: 0, deadline: .max)

  /// Adds a banner's gifts. A count that would overflow, as that of a thousand full banners would, stays at the largest number.
  mutating func add(_ count: Int, _ worth: Double) {
    banners += 1
    let sum = self.count.addingReportingOverflow(count)
    self.count = sum.overflow ? .max : sum.partialValue
    value += worth
  }
}
