internal import Glibc

/// The end of the file that SQLite writes ahead, as this process last wrote it.
///
/// It shows whether another program has overwritten or cut off that file during a commit. The file's size and time show it only
/// between two commits, since a commit changes both.
final class LogAheadEnd {
  private typealias Header = (UInt64, UInt64, UInt64, UInt64)
  private typealias FrameHeader = (UInt64, UInt64, UInt64)

  private struct End {
    let header: Header
    let place: Int
    let frame: FrameHeader
  }

  private let file: Int32
  private let frameBytes: Int
  private var last: End?

  /// - Parameter path: The path of the file written ahead.
  /// - Returns: nil if it cannot be opened.
  init?(_ path: String, pageSize: Int64) {
    file = open(path, O_RDONLY | O_CLOEXEC)
    frameBytes = MemoryLayout<FrameHeader>.size + Int(pageSize)
    if file == -1 { return nil }
  }

  deinit { close(file) }

  /// Notes the end after a commit. Costs three short reads.
  /// - Parameter pages: The number of pages that are written ahead.
  /// - Returns: Whether the file still has what this process wrote.
  func advance(pages: Int32) -> Bool {
    if pages == 0 { return true }
    let place = MemoryLayout<Header>.size + (Int(pages) - 1) * frameBytes
    var (header, frame): (Header, FrameHeader) = ((0, 0, 0, 0), (0, 0, 0))
    // Both have the salts of this use of the file.
    guard read(&header, at: 0), read(&frame, at: place), frame.1 == header.2, header.2 != 0 else { return false }
    if let last, last.header == header {
      // SQLite has only appended to it since, so the end then is still there.
      var former: FrameHeader = (0, 0, 0)
      guard read(&former, at: last.place), former == last.frame || place <= last.place else { return false }
    }
    last = End(header: header, place: place, frame: frame)
    return true
  }

  private func read<Value>(_ value: inout Value, at place: Int) -> Bool {
    withUnsafeMutableBytes(of: &value) { pread(file, $0.baseAddress, $0.count, off_t(place)) == $0.count }
  }
}
