internal import Glibc

/// A pipe with which any thread wakes the one that waits in `poll`.
final class WakePipe: Sendable {
  /// The descriptor to wait for: it is readable after a wake-up.
  let readEnd: Int32
  private let writeEnd: Int32

  /// Creates a pipe, or returns nil if the process has no descriptors left. `errno` has the reason.
  init?() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  /// Wakes the waiting thread. May be called from any thread.
  func wake() {
    var byte: UInt8 = 1
    // A full pipe wakes it, too.
    _ = write(writeEnd, &byte, 1)
  }

  /// Discards the wake-ups so far.
  func drain() {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
      while read(readEnd, buffer.baseAddress, buffer.count) > 0 {}
    }
  }
}
