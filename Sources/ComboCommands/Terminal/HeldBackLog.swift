internal import ComboSystem
internal import Glibc

/// Buffers the output to standard error, if that is a terminal, while something else is drawn there, and writes it afterwards.
final class HeldBackLog {
  private let file: Int32
  private let terminal: Int32

  /// Redirects standard error to a file. Returns nil if standard error is not a terminal, or the file cannot be created.
  init?() {
    guard isatty(STDERR_FILENO) == 1 else { return nil }
    var name = Array("/tmp/combo-consumer-log-XXXXXX".utf8CString)
    let file = mkstemp(&name)
    guard file >= 0 else { return nil }
    unlink(name)
    let terminal = dup(STDERR_FILENO)
    LineWriter.standardError.drain()
    guard terminal >= 0, dup2(file, STDERR_FILENO) >= 0 else {
      close(file)
      return nil
    }
    self.file = file
    self.terminal = terminal
  }

  /// The maximum number of bytes at the end that are shown.
  private static let shownMax = 8192

  /// Restores standard error, and writes the buffered output.
  func release() {
    LineWriter.standardError.drain()
    dup2(terminal, STDERR_FILENO)
    close(terminal)
    let end = lseek(file, 0, Int32(SEEK_END))
    let start = max(0, end - off_t(Self.shownMax))
    withUnsafeTemporaryAllocation(byteCount: Self.shownMax, alignment: 1) { memory in
      let got = pread(file, memory.baseAddress, Int(end - start), start)
      guard got > 0 else { return }
      var text = UnsafeRawBufferPointer(rebasing: memory[..<got])
      // Begins with a whole line.
      if start > 0, let lineEnd = text.firstIndex(of: 0x0a) { text = UnsafeRawBufferPointer(rebasing: text[(lineEnd + 1)...]) }
      Console.write(text, to: STDERR_FILENO)
    }
    close(file)
  }
}
