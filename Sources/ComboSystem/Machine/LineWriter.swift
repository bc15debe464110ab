internal import Glibc

/// Writes lines to a file that may be a full pipe, on a thread of its own: its callers never wait.
///
/// Lines that find no room in the queue are dropped and counted; once the file takes lines again, a line says how many there were.
package final class LineWriter: @unchecked Sendable {
  // The proof: all that changes is guarded by `lock`.

  /// For the log.
  package static let standardError = LineWriter(STDERR_FILENO)
  /// For progress.
  package static let standardOutput = LineWriter(STDOUT_FILENO)

  /// Makes a line of how many were dropped in how many milliseconds; nil: no report.
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
  /// Whether the thread has lines that it took out of the queue and did not write yet.
  private var isWriting = false

  /// - Parameter bytesMax: how much may wait.
  package init(_ file: Int32, bytesMax: Int = 1 << 20) {
    self.file = file
    self.bytesMax = bytesMax
  }

  /// Puts a line, without its end, behind those that wait. Any thread; costs a lock that is held for a moment.
  package func write(_ line: String, loss: @escaping Loss = { _, _ in nil }) {
    lock.lock()
    defer { lock.unlock() }
    if bytes + line.utf8.count >= bytesMax {
      if dropped == 0 { droppedSince = MonotonicClock.nowMs }
      dropped += 1
      self.loss = loss
      return
    }
    lines.append(line)
    bytes += line.utf8.count + 1
    if !isStarted {
      isStarted = true
      _ = WorkThread { [self] in work() }
    }
    lock.wakeAll()
  }

  /// Waits until all lines are written, but not longer than this: before the process ends.
  package func drain(withinMs: Int64 = drainMs) {
    let deadline = Deadline(afterMs: withinMs)
    while hasLines, !deadline.isOver { MonotonicClock.sleep(ms: 1) }
  }

  private var hasLines: Bool {
    lock.lock()
    defer { lock.unlock() }
    return !lines.isEmpty || isWriting
  }

  private func work() {
    lock.lock()
    while true {
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
      if dropped > 0 {
        let line = loss(dropped, MonotonicClock.nowMs - droppedSince)
        dropped = 0
        lock.unlock()
        if let line { Console.write(line + "\n", to: file) }
        lock.lock()
      }
    }
  }
}
