internal import Glibc

/// Reads small files.
enum TextFile {
  /// Why a file cannot be read, as a sentence.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The whole text of a file of at most `limit` bytes.
  static func read(_ path: String, limit: Int) -> Result<String, Failure> {
    switch bytes(of: path, limit: limit) {
    case .failure(let failure): return .failure(failure)
    case .success(let bytes):
      guard let text = String(validating: bytes, as: UTF8.self) else { return fail("\(path) is no UTF-8 text") }
      return .success(text)
    }
  }

  /// The whole of a file of at most `limit` bytes, whatever is in it.
  static func bytes(of path: String, limit: Int) -> Result<[UInt8], Failure> {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return fail("cannot open \(path): \(String(cString: strerror(errno)))") }
    defer { close(file) }
    var bytes: [UInt8] = []
    while true {
      var status = stat()
      if bytes.isEmpty, fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
        return fail("cannot read \(path): it is a folder")
      }
      let got = withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 1) { buffer in
        let got = Glibc.read(file, buffer.baseAddress, buffer.count)
        if got > 0 { bytes.append(contentsOf: buffer[..<got]) }
        return got
      }
      if got == 0 { break }
      if got < 0 {
        if errno == EINTR { continue }
        return fail("cannot read \(path): \(String(cString: strerror(errno)))")
      }
      if bytes.count > limit { return fail("\(path) is larger than the \(limit) bytes allowed") }
    }
    return .success(bytes)
  }

  private static func fail<Value>(_ sentence: String) -> Result<Value, Failure> { .failure(Failure(description: sentence)) }
}
