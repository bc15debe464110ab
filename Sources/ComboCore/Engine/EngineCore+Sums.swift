/// Skips that are reported together: the specification's *Summed skips*.
extension EngineCore {
  /// A banner that was never made, or that was taken out, overflows.
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

  /// A waiting banner overflows.
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

  /// Emits the sum, if anything was summed. Its deadline is gone with it.
  mutating func sayDueSum(at now: Int64, to sink: inout some InstructionSink) {
    guard hasSkipSum else { return }
    let sum = skipSum
    skipSum = .none
    isEarliestExact = false
    say(sum, .overflow, at: now, to: &sink)
  }

  /// The room is closed: all that wait are skipped together.
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
  /// Nothing.
  static let none = SkipSum(banners: 0, count: 0, value: 0, deadline: .max)

  /// Adds a banner's gifts. The count of a thousand banners that are full could not be written: it stays at the largest number.
  mutating func add(_ count: Int, _ worth: Double) {
    banners += 1
    let sum = self.count.addingReportingOverflow(count)
    self.count = sum.overflow ? .max : sum.partialValue
    value += worth
  }
}
