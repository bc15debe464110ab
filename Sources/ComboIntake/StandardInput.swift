internal import ComboLog
package import ComboSystem
internal import Glibc

/// Reads records from a descriptor: JSON with an object or an array per line.
package final class StandardInput: Sendable {
  private let intake: Intake
  private let origin: Intake.Origin
  private let log: ServiceLog

  /// The size of one read.
  private static let chunk = 256 << 10

  /// Starts to read on a thread of its own.
  /// - Parameter ended: Called at the end, with the number of lines.
  package init(
    _ intake: Intake, _ origin: Intake.Origin, descriptor: Int32 = STDIN_FILENO, log: ServiceLog,
    ended: @escaping @Sendable (Int) -> Void
  ) {
    self.intake = intake
    self.origin = origin
    self.log = log
    _ = WorkThread { [self] in ended(run(descriptor)) }
  }

  private func run(_ descriptor: Int32) -> Int {
    var lines = 0
    // The beginning of an incomplete line.
    var rest: [UInt8] = []
    var isSkipping = false
    var rate = QuietRate()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunk, alignment: 1)
    defer { buffer.deallocate() }
    while true {
      let got = read(descriptor, buffer.baseAddress, buffer.count)
      if got < 0, errno == EINTR { continue }
      if got < 0 {
        log.warning("standard input cannot be read: \(.reason, String(cString: strerror(errno)))")
        break
      }
      if got == 0 { break }
      var batch = LogBatch()
      let now = WallClock.nowMs
      var bytes = UnsafeRawBufferPointer(rebasing: buffer[..<got])
      while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
        let line = UnsafeRawBufferPointer(rebasing: bytes[..<end])
        bytes = UnsafeRawBufferPointer(rebasing: bytes[(end + 1)...])
        lines += 1
        if isSkipping {
          isSkipping = false
        } else if rest.isEmpty {
          add(line, to: &batch, at: now)
        } else {
          rest.append(contentsOf: line)
          rest.withUnsafeBytes { add($0, to: &batch, at: now) }
        }
        rest.removeAll(keepingCapacity: true)
      }
      if !isSkipping { rest.append(contentsOf: bytes) }
      if rest.count > Intake.recordBytesMax {
        isSkipping = true
        rest = []
        reportTooLarge()
      }
      if !offer(batch) { return lines }
      let offered = MonotonicClock.nowMs
      rate.add(batch.count, at: offered)
      // When few lines arrive, those of some milliseconds are read together: writing them costs the same as writing one.
      if rate.isQuiet(at: offered) { MonotonicClock.sleep(ms: LogAppender.quietGapMs) }
    }
    if !rest.isEmpty {
      lines += 1
      var batch = LogBatch()
      rest.withUnsafeBytes { add($0, to: &batch, at: WallClock.nowMs) }
      _ = offer(batch)
    }
    return lines
  }

  private func add(_ line: UnsafeRawBufferPointer, to batch: inout LogBatch, at now: Int64) {
    guard let first = line.first(where: { $0 != 0x20 && !(0x09...0x0d).contains($0) }) else { return }
    if line.count > Intake.recordBytesMax { return reportTooLarge() }
    if first == UInt8(ascii: "[") {
      let whole = batch.count
      do throws(RecordSplitter.Fault) {
        try RecordSplitter.split(line) { intake.add($0, of: origin, to: &batch, at: now) }
        return
      } catch {
        precondition(batch.count == whole)
      }
    }
    // Records that are not JSON are appended, too: the dead-letter topic reports the fault.
    intake.add(line, of: origin, to: &batch, at: now)
  }

  private func reportTooLarge() {
    log.warning("a line of standard input is larger than \(.limit, Intake.recordBytesMax) bytes and was skipped")
  }

  /// Waits while the log is full, so that no line of a pipe is lost.
  private func offer(_ batch: LogBatch) -> Bool {
    if batch.isEmpty { return true }
    while true {
      let answer = Answer()
      guard intake.offerPatiently(batch, gathers: false, done: { answer.set($0) }) else { return false }
      guard let fault = answer.wait() else { return true }
      guard fault.code == .full else {
        log.error("records from standard input could not be stored: \(.reason, fault)")
        return true
      }
      log.warning("reading standard input is paused: \(.reason, fault)")
      MonotonicClock.sleep(ms: 1000)
    }
  }
}

/// Waits for the results of records.
final class Answer: Sendable {
  private let fault = Monitor<LogFault??>(nil)

  func set(_ fault: LogFault?) { self.fault.change { $0 = .some(fault) } }

  func wait() -> LogFault? { fault.wait { $0 } }
}
