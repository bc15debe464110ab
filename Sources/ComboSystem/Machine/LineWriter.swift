internal import Glibc

/// Writes lines to a file that may be a full pipe, on a thread of its own, so that its callers never wait.
///
/// If the queue is full, lines are dropped and counted. Once the file accepts lines again, one line reports their number.
package final class LineWriter: @unchecked Sendable {
  // The proof: all that changes is guarded by `lock`.

  /// The writer of the log.
  package static let standardError = LineWriter(STDERR_FILENO)
  /// The writer of progress.
  package static let standardOutput = LineWriter(STDOUT_FILENO)

  /// Returns a line that reports how many lines were dropped in how many milliseconds, or nil for no report.
  package typealias Loss = @Sendable (_ count: Int, _ ms: Int64) -> String?

  package static let drainMs: Int64 = 500

  private let file: Int32
  private let bytesMax: Int
  private let lock = Lock()
  private var lines: [String] = []
  private var bytes = 0
  private var dropped = 0
  private var droppedSince: Int64 = 0
  private var loss: Loss = { _, _ in nil }
  private var isStarted = false
  /// Whether the thread has lines that it removed from the queue and has not written yet.
  private var isWriting = false

  /// - Parameter bytesMax: The maximum number of bytes that may wait.
  package init(_ file: Int32, bytesMax: Int = 1 << 20) {
    self.file = file
    self.bytesMax = bytesMax
  }

  /// Queues a line, without its end. Any thread; costs a lock that is held briefly.
  package func write(_ line: String, loss: @escaping Loss = { _, _ in nil }) {
    lock.lock()
    defer { lock.unlock() }
    if bytes + line.utf8.count >= bytesMax {
      if dropped == 0 { droppedSince = MonotonicClock.nowMs }
      dropped += 1
      self.loss = loss
      return
    }
    if dropped > 0, let report = takeReport() { append(report) }
    append(line)
    if !isStarted {
      isStarted = true
      _ = WorkThread { [self] in work() }
    }
    lock.wakeAll()
  }

  private func append(_ line: String) {
    lines.append(line)
    bytes += line.utf8.count + 1
  }

  /// Returns the line that reports how many were dropped since the last such line.
  private func takeReport() -> String? {
    defer { dropped = 0 }
    return loss(dropped, MonotonicClock.nowMs - droppedSince)
  }

  /// Waits until all lines are written, but not longer than `withinMs`. To be called before the process ends.
  package func drain(withinMs: Int64 = drainMs) {
    let deadline = Deadline(afterMs: withinMs)
    while hasLines, !deadline.isOver { MonotonicClock.sleep(ms: 1) }
  }

  private var hasLines: Bool {
    lock.lock()
    defer { lock.unlock() }
    return !lines.isEmpty || isWriting || dropped > 0
  }

  private func work() {
    lock.lock()
    while true {
      // No line followed the dropped ones.
      if lines.isEmpty, dropped > 0, let report = takeReport() { append(report) }
      while lines.isEmpty {
        isWriting = false
        lock.wait()
      }
      isWriting = true
      let taken = lines
      lines = []
      lock.unlock()
      for line in taken {
        Console.write(line + "\n", to: file)
        lock.lock()
        bytes -= line.utf8.count + 1
        lock.unlock()
      }
      lock.lock()
    }
  }
}
