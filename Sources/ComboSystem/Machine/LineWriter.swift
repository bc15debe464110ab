internal import Glibc

/// Writes lines to a file that may be a full pipe, on a thread of its own, so that its callers never wait.
///
/// If the queue is full, lines are dropped and counted. Once the file accepts lines again, one line reports their number.
package final class LineWriter: Sendable {
  /// The writer of the log.
  package static let standardError = LineWriter(STDERR_FILENO)
  /// The writer of progress.
  package static let standardOutput = LineWriter(STDOUT_FILENO)

  /// Returns a line that reports how many lines were dropped in how many milliseconds, or nil for no report.
  package typealias Loss = @Sendable (_ count: Int, _ ms: Int64) -> String?

  package static let drainMs: Int64 = 500

  private let file: Int32
  private let bytesMax: Int
  private let queue = Monitor(Queue())

  private struct Queue {
    var lines: [String] = []
    var bytes = 0
    var dropped = 0
    var droppedSince: Int64 = 0
    var loss: Loss = { _, _ in nil }
    var isStarted = false
    /// Whether the thread has lines that it removed and has not written yet.
    var isWriting = false

    mutating func append(_ line: String) {
      lines.append(line)
      bytes += line.utf8.count + 1
    }

    /// Appends the line that reports how many were dropped since the last such line.
    mutating func report() {
      if dropped == 0 { return }
      if let report = loss(dropped, MonotonicClock.nowMs - droppedSince) { append(report) }
      dropped = 0
    }
  }

  /// - Parameter bytesMax: The maximum number of bytes that may wait.
  package init(_ file: Int32, bytesMax: Int = 1 << 20) {
    self.file = file
    self.bytesMax = bytesMax
  }

  /// Queues a line, without its end. Any thread; costs a lock that is held briefly.
  package func write(_ line: String, loss: @escaping Loss = { _, _ in nil }) {
    queue.change { queue in
      if queue.bytes + line.utf8.count >= bytesMax {
        if queue.dropped == 0 { queue.droppedSince = MonotonicClock.nowMs }
        queue.dropped += 1
        queue.loss = loss
        return
      }
      queue.report()
      queue.append(line)
      if !queue.isStarted {
        queue.isStarted = true
        _ = WorkThread { [self] in work() }
      }
    }
  }

  /// Waits until all lines are written, but not longer than `withinMs`. To be called before the process ends.
  package func drain(withinMs: Int64 = drainMs) {
    let deadline = Deadline(afterMs: withinMs)
    while hasLines, !deadline.isOver { MonotonicClock.sleep(ms: 1) }
  }

  private var hasLines: Bool { queue.withLock { !$0.lines.isEmpty || $0.isWriting || $0.dropped > 0 } }

  private func work() {
    while true {
      let lines: [String] = queue.wait { queue in
        // No line followed the dropped ones.
        if queue.lines.isEmpty { queue.report() }
        queue.isWriting = !queue.lines.isEmpty
        if queue.lines.isEmpty { return nil }
        defer { queue.lines = [] }
        return queue.lines
      }
      for line in lines {
        Console.write(line + "\n", to: file)
        queue.withLock { $0.bytes -= line.utf8.count + 1 }
      }
    }
  }
}
