internal import Glibc
internal import Synchronization

/// Standard output and standard error, and the environment of the process.
package enum Console {
  private static let hasLost = Atomic<Bool>(false)

  /// Whether output to standard output was lost.
  package static var hasLostOutput: Bool { hasLost.load(ordering: .relaxed) }

  /// Opens a file to be read from its beginning to its end.
  /// - Parameter path: The file's path, or nil for standard input.
  /// - Returns: The descriptor, which the caller closes unless it is standard input's, or nil if it cannot be opened, which is
  ///   reported.
  package static func input(_ path: String?) -> Int32? {
    guard let path else { return STDIN_FILENO }
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      report(unsafe "cannot open \(path): \(String(cString: strerror(errno)))")
      return nil
    }
    posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL)
    return file
  }

  /// Writes all of it, even if the kernel accepts only parts. Returns false if the reader is gone or the disk is full.
  @discardableResult
  package static func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) -> Bool {
    var rest = unsafe bytes[...]
    while unsafe !rest.isEmpty {
      let written = unsafe Glibc.write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if written < 0 {
        if errno == EINTR { continue }
        if errno == EAGAIN {  // The terminal was made non-blocking: wait until it accepts more
          var ready = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
          unsafe poll(&ready, 1, -1)
          continue
        }
        if file == STDOUT_FILENO { hasLost.store(true, ordering: .relaxed) }
        return false
      }
      unsafe rest = unsafe rest.dropFirst(written)
    }
    return true
  }

  @discardableResult
  package static func write(_ text: String, to file: Int32) -> Bool {
    var text = text
    return text.withUTF8 { unsafe write(UnsafeRawBufferPointer($0), to: file) }
  }

  /// Writes a text to standard output. Returns an exit code.
  package static func print(_ text: String) -> Int32 { write(text, to: STDOUT_FILENO) ? 0 : 1 }

  /// Writes a sentence to standard error, in one write, so that lines of several threads do not mix.
  package static func report(_ sentence: String) {
    LineWriter.standardError.drain()
    write("combo-consumer: \(sentence)\n", to: STDERR_FILENO)
  }

  /// Writes the faults of a command line. Returns an exit code.
  package static func refuse(_ sentences: [String], hint: String) -> Int32 {
    let lines = sentences.map { "combo-consumer: \($0)\n" }.joined()
    write("\(lines)See \(hint).\n", to: STDERR_FILENO)
    return 2
  }

  package static func variable(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }

  /// The names of all variables of the environment that the process was started with.
  package static var variableNames: [String] {
    guard case .success(let bytes) = TextFile.bytes(of: "/proc/self/environ", limit: 4 << 20) else { return [] }
    return bytes.split(separator: 0).map { String(decoding: $0.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self) }
  }

  package static var hostName: String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { name in
      guard unsafe gethostname(name.baseAddress!, 255) == 0 else { return "localhost" }
      unsafe name[255] = 0
      return unsafe String(cString: name.baseAddress!)
    }
  }
}
