internal import CZlib
internal import Glibc

/// Creates pieces of gzip streams (RFC 1952) that can be shared. A piece does not depend on earlier data, so it is compressed
/// once for all readers of a room, wherever their streams began.
///
/// It belongs to one thread.
final class GzipPieces {
  /// A piece of a stream.
  struct Piece: Sendable {
    /// Whole deflate blocks, up to a byte boundary.
    var blocks: [UInt8]
    /// The checksum of the text.
    var checksum: UInt
    var count: Int
  }

  /// The header of a stream: deflate, no name, no time, no system.
  static let head: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]
  /// The minimum number of bytes to send to all readers: compression takes 5 to 10 µs and more per piece.
  private static let bytesMin = 2048
  /// The maximum size of a stored block.
  private static let storedMax = 65_535

  private let stream: UnsafeMutablePointer<z_stream>?

  init() { stream = czlib_make() }

  deinit {
    deflateEnd(stream)
    free(stream)
  }

  /// Encodes a text as a piece.
  /// - Parameter readers: The approximate number of receivers. With few bytes in total, the text is stored uncompressed.
  func piece(_ text: [UInt8], readers: Int) -> Piece {
    let checksum = text.withUnsafeBytes { crc32_z(0, $0.bindMemory(to: UInt8.self).baseAddress, $0.count) }
    let blocks = text.count * max(1, readers) >= Self.bytesMin ? deflated(text) : nil
    return Piece(blocks: blocks ?? Self.stored(text), checksum: checksum, count: text.count)
  }

  private func deflated(_ text: [UInt8]) -> [UInt8]? {
    guard let stream else { return nil }
    let room = text.count + text.count / 8 + 64
    let blocks = [UInt8](unsafeUninitializedCapacity: room) { out, count in
      count = text.withUnsafeBytes { czlib_blocks(stream, $0.baseAddress, $0.count, out.baseAddress, room) }
    }
    return blocks.isEmpty ? nil : blocks
  }

  /// Encodes the text in stored blocks, without compression.
  private static func stored(_ text: [UInt8]) -> [UInt8] {
    var blocks: [UInt8] = []
    blocks.reserveCapacity(text.count + 5 * (text.count / storedMax + 1))
    var place = 0
    while place < text.count {
      let count = min(storedMax, text.count - place)
      let (low, high) = (UInt8(truncatingIfNeeded: count), UInt8(truncatingIfNeeded: count >> 8))
      blocks += [0, low, high, ~low, ~high]
      blocks += text[place..<place + count]
      place += count
    }
    return blocks
  }

  /// Returns a complete gzip stream of a text.
  func whole(_ text: [UInt8]) -> [UInt8] {
    let piece = piece(text, readers: Self.bytesMin)
    var sum = Sum()
    sum.add(piece)
    return Self.head + piece.blocks + sum.tail
  }

  /// The checksum and the size of everything in a stream, for its end.
  struct Sum {
    private var checksum: UInt = 0
    private var count = 0

    mutating func add(_ piece: Piece) {
      checksum = crc32_combine(checksum, piece.checksum, piece.count)
      count &+= piece.count
    }

    /// An empty last block, the checksum, and the size.
    var tail: [UInt8] {
      var tail: [UInt8] = [3, 0]
      for shift in stride(from: 0, to: 32, by: 8) { tail.append(UInt8(truncatingIfNeeded: checksum >> UInt(shift))) }
      for shift in stride(from: 0, to: 32, by: 8) { tail.append(UInt8(truncatingIfNeeded: count >> shift)) }
      return tail
    }
  }

  /// Whether `Accept-Encoding` headers allow gzip.
  static func isAccepted(_ headers: [String]) -> Bool {
    for coding in headers.joined(separator: ",").lowercased().split(separator: ",") {
      let parts = coding.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
      guard parts.first == "gzip" else { continue }
      return !parts.dropFirst().contains { ["q=0", "q=0.", "q=0.0", "q=0.00", "q=0.000"].contains($0) }
    }
    return false
  }
}
