internal import Glibc

/// Reads small files.
package enum TextFile {
  /// The reason why a file cannot be read, as a sentence.
  package struct Failure: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
  }

  /// Returns the whole text of a file of at most `limit` bytes.
  /// - Parameter name: The file's name in sentences, or nil to use its path. If a secret may have been given in place of a path,
  ///   no sentence may contain the path.
  package static func read(_ path: String, limit: Int, named name: String? = nil) -> Result<String, Failure> {
    bytes(of: path, limit: limit, named: name).flatMap { bytes in
      String(validating: bytes, as: UTF8.self).map { .success($0) } ?? fail("\(name ?? path) is not UTF-8 text")
    }
  }

  /// Returns the whole of a file of at most `limit` bytes, whatever it contains.
  package static func bytes(of path: String, limit: Int, named name: String? = nil) -> Result<[UInt8], Failure> {
    let shown = name ?? path
    // Opening a pipe would wait for a program at its other end.
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return fail(unsafe "cannot open \(shown): \(String(cString: strerror(errno)))") }
    defer { close(file) }
    var status = stat()
    if unsafe fstat(file, &status) == 0 {
      switch status.st_mode & S_IFMT {
      case S_IFDIR: return fail("cannot read \(shown): it is a folder")
      case S_IFIFO where isNamed(path): return fail("cannot read \(shown): it is a named pipe, which may never get a writer")
      default: break
      }
    }
    // Data from another program (/dev/stdin) may come later.
    _ = fcntl(file, F_SETFL, 0)
    var bytes: [UInt8] = []
    while true {
      let got = unsafe withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 1) { buffer in
        let got = unsafe Glibc.read(file, buffer.baseAddress, buffer.count)
        if got > 0 { unsafe bytes.append(contentsOf: buffer[..<got]) }
        return got
      }
      if got == 0 { break }
      if got < 0 {
        if errno == EINTR { continue }
        return fail(unsafe "cannot read \(shown): \(String(cString: strerror(errno)))")
      }
      if bytes.count > limit { return fail("\(shown) is larger than the \(limit) bytes allowed") }
    }
    return .success(bytes)
  }

  /// Whether a pipe is in a file system, rather than inherited from the process that started this one.
  private static func isNamed(_ pipe: String) -> Bool {
    let place = unsafe realpath(pipe, nil)
    unsafe free(place)
    return unsafe place != nil
  }

  private static func fail<Value>(_ sentence: String) -> Result<Value, Failure> { .failure(Failure(description: sentence)) }
}
