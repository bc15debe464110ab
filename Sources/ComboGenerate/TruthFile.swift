internal import ComboSystem
internal import Glibc

/// The file for a generator's real counts, if there is one.
package struct TruthFile: ~Copyable {
  package struct Failure: Error {
    package let description: String
    package init(_ path: String, _ error: Int32) {
      description = unsafe "cannot write \(path): \(String(cString: strerror(error)))"
    }
  }

  private let path: String
  private let file: Int32

  /// Creates the file, or none if `path` is nil.
  package init(_ path: String?) throws(Failure) {
    self.path = path ?? ""
    file = path.map { unsafe open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) } ?? -1
    if let path, file < 0 { throw Failure(path, errno) }
  }

  deinit { if file >= 0 { close(file) } }

  /// Appends lines. Returns the error, or nil.
  package func add(_ lines: String) -> Failure? {
    guard file >= 0, !lines.isEmpty, !Console.write(lines, to: file) else { return nil }
    return Failure(path, errno)
  }
}
