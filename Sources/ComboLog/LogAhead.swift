internal import Glibc

/// The file that SQLite writes ahead (`FILE-wal`), as https://www.sqlite.org/fileformat2.html#walformat describes it.
///
/// SQLite treats the first frame with a wrong checksum as the end, as after a crash. So a flipped bit would lose everything
/// written after it, unnoticed. The checksums also show which bit it was.
enum LogAhead {
  /// The number of commits behind a broken frame that rules out a power failure. An acknowledged write is synced with everything
  /// that was written before it, and few transactions are not synced at once.
  private static let unsyncedMax = 16
  /// The maximum number of uses since a frame was written. If its salts show more, they are damaged.
  private static let usesMax: UInt32 = 1 << 26
  /// The maximum number of copies. When it is reached, the last copy is replaced.
  private static let copiesMax = 9
  private static let headerBytes = 32
  /// The size of a page in all files of `live`.
  private static let pageBytes = 4096
  private static let frameHeaderBytes = 24

  /// Throws `damaged` if records were written ahead for a file that is not there.
  static func requireNone(of path: String) throws(LogFault) {
    guard (LogDisk.size(path + "-wal") ?? 0) > 0 else { return }
    let isThere = LogDisk.size(path) != nil
    throw LogFault(
      .damaged,
      "\(isThere ? "\(path) is empty" : "there is no \(path)"), but \(path)-wal holds the newest records of"
        + " \(isThere ? "what it was. Put a copy of it in its place" : "a file that was moved or deleted. Move that file back"), or"
        + " delete \(path)-wal to do without them")
  }

  /// Finds single bits that have flipped, and throws `damaged` if more is wrong in front of later commits. No process may have
  /// the file open. Reads it once.
  /// - Parameters:
  ///   - path: The path of the database.
  ///   - isOwner: Whether the bits can be turned back. If not, a flipped bit is a fault.
  /// - Returns: The places of these bits, in bits, and the place in bytes from which SQLite leaves out the rest, or nil if it
  ///   leaves out nothing. Both count from the beginning of the file written ahead.
  static func search(_ path: String, isOwner: Bool) throws(LogFault) -> (flipped: [Int], leftOut: Int?) {
    let file = open(path + "-wal", O_RDONLY | O_CLOEXEC)
    if file == -1 { return ([], nil) }
    defer { close(file) }
    var search = Search(path: path, name: path + "-wal", file: file, isOwner: isOwner)
    let leftOut = try search.run()
    return (search.flipped, leftOut)
  }

  /// Flips damaged bits back. Unless ``confirm()`` is called, restores them at the end: a refused file stays as it is.
  final class Repair {
    private let name: String
    private var bits: [Int]
    /// The places of the bits, in bytes from the beginning of the file.
    let places: [Int]
    let leftOut: Int?

    /// - Parameter path: The path of the database.
    init(_ path: String) throws(LogFault) {
      name = path + "-wal"
      (bits, leftOut) = try search(path, isOwner: true)
      places = bits.map { $0 / 8 }
      guard flipBits() else {
        throw LogFault(
          .readOnly, "\(name) is damaged at byte \(bits[0] / 8), and cannot be written to repair it. Check its permissions")
      }
    }

    deinit { _ = flipBits() }

    func confirm() { bits = [] }

    private func flipBits() -> Bool {
      if bits.isEmpty { return true }
      let file = open(name, O_RDWR | O_CLOEXEC)
      defer { close(file) }
      return bits.allSatisfy { bit in
        guard var byte = read(file, 1, at: bit / 8) else { return false }
        flip(bit % 8, in: &byte)
        return pwrite(file, byte, 1, off_t(bit / 8)) == 1
      } && fsync(file) == 0
    }
  }

  /// Copies a file whose end is left out, as the next of ``copies(of:)``, because the end will soon be overwritten.
  static func storeCopy(of path: String) throws(LogFault) {
    let (name, copy) = (path + "-wal", copy(of: path, copies(of: path).count + 1))
    let file = open(name, O_RDONLY | O_CLOEXEC)
    defer { if file != -1 { close(file) } }
    let kept = open(copy, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    defer { if kept != -1 { close(kept) } }
    guard file != -1, kept != -1, copyAll(file, to: kept), fsync(kept) == 0 else {
      throw LogFault(
        .readOnly,
        "the end of \(name) is damaged, and cannot be kept as \(copy) (\(String(cString: strerror(errno)))). Check the folder's"
          + " permissions and its free space")
    }
  }

  /// Returns the paths of the copies of files written ahead whose end was left out.
  static func copies(of path: String) -> [String] {
    Array((1...copiesMax).lazy.map { copy(of: path, $0) }.prefix { LogDisk.size($0) != nil })
  }

  private static func copy(of path: String, _ number: Int) -> String {
    path + "-wal-damaged" + (number == 1 ? "" : "-\(min(number, copiesMax))")
  }

  private struct Search {
    let path: String
    let name: String
    let file: Int32
    let isOwner: Bool
    private(set) var flipped: [Int] = []

    /// - Returns: The place from which SQLite leaves out the rest, or nil if it leaves out nothing.
    mutating func run() throws(LogFault) -> Int? {
      guard var header = read(file, headerBytes, at: 0) else { return lseek(file, 0, SEEK_END) > 0 ? 0 : nil }
      if !isHeader(header) {
        // The first frame shows what the header's checksum cannot.
        let bits = (0..<headerBytes * 8).filter { bit in
          flip(bit, in: &header)
          defer { flip(bit, in: &header) }
          guard isHeader(header), let first = frame(header, at: headerBytes) else { return false }
          return isNext(first, header[16..<24], after: Sum(header[24...]), isLittleEndian(header))
        }
        guard let bit = try only(bits, 0, headerBytes) else {
          try requireFew(behind: 0..<headerBytes, frameHeaderBytes + pageBytes, nil)
          return 0
        }
        try flipBack(bit, &header, at: 0)
      }
      let (isLittle, salts) = (isLittleEndian(header), header[16..<24])
      let pages = (LogDisk.size(path) ?? 0) / Int64(pageBytes)
      var sum = Sum(header[24...])
      var at = headerBytes
      while var current = frame(header, at: at) {
        let next = frame(header, at: at + current.count)
        if !isNext(current, salts, after: sum, isLittle) {
          var bits = flippedBits(current, salts, after: sum, isLittle)
          if bits.count > 1, let next {
            // The next checksum continues from this one: it shows whether the bit is in it.
            let following = bits.filter { bit in
              flip(bit, in: &current)
              defer { flip(bit, in: &current) }
              return isNext(next, salts, after: Sum(current[16..<24]), isLittle)
            }
            if !following.isEmpty { bits = following }
          }
          guard let bit = try only(bits, at, current.count) else {
            let count = try requireFew(behind: at..<at + current.count, current.count, salts)
            // What continues from the frame before was not written in an earlier use, whatever its salts are.
            let continues = isNext(current, current[8..<16], after: sum, isLittle)
            return count == 0 && !continues && isOfEarlierUse(current, next, salts, isLittle, pages: pages) ? nil : at
          }
          try flipBack(bit, &current, at: at)
        }
        sum = Sum(current[16..<24])
        at += current.count
      }
      let rest = try readAll(from: at)
      let isEnd = rest.isEmpty || rest.count >= frameHeaderBytes && isOfEarlierUse(rest, nil, salts, isLittle, pages: pages)
      return isEnd ? nil : at
    }

    private func frame(_ header: [UInt8], at start: Int) -> [UInt8]? {
      read(file, frameHeaderBytes + Int(big(header, at: 8)), at: start)
    }

    private mutating func flipBack(_ bit: Int, _ bytes: inout [UInt8], at start: Int) throws(LogFault) {
      flip(bit, in: &bytes)
      let place = start + bit / 8
      if !isOwner {
        throw LogFault(
          .damaged,
          "a bit has flipped in byte \(place) of \(name). live repairs it when it starts with this file, which is not read until then"
        )
      }
      flipped.append(start * 8 + bit)
    }

    /// Returns the only bit that may have flipped, or nil if none.
    private func only(_ bits: [Int], _ start: Int, _ count: Int) throws(LogFault) -> Int? {
      if bits.count < 2 { return bits.first }
      throw damaged(
        "a bit has flipped between byte \(start) and byte \(start + count) of \(name), and it cannot be known which one", start)
    }

    /// Throws if many commits follow a broken place, because SQLite would leave them out without an error.
    /// - Parameter salts: The marks of the frames that count, or nil for all. Others are left over from an earlier use.
    /// - Returns: The number of commits.
    @discardableResult
    private func requireFew(behind broken: Range<Int>, _ frameBytes: Int, _ salts: ArraySlice<UInt8>?) throws(LogFault) -> Int {
      let count = commits(in: try readAll(from: broken.lowerBound), frameBytes, salts)
      if count < unsyncedMax { return count }
      throw damaged(
        "\(name) is damaged between byte \(broken.lowerBound) and byte \(broken.upperBound), and records that were written later"
          + " follow it", broken.lowerBound)
    }

    private func readAll(from start: Int) throws(LogFault) -> [UInt8] {
      let count = max(0, Int(lseek(file, 0, SEEK_END)) - start)
      var bytes = [UInt8](repeating: 0, count: count)
      guard bytes.withUnsafeMutableBytes({ fill($0, from: file, at: start) }) else {
        throw LogFault(.failed, "\(name) cannot be read: \(String(cString: strerror(errno)))")
      }
      return bytes
    }

    private func damaged(_ what: String, _ start: Int) -> LogFault {
      LogFault(
        .damaged,
        "\(what). Nothing was changed. Put a copy of \(path) and \(name) in their places, or do without what was written from there on:"
          + " truncate -s \(start) \(name)")
    }
  }

  /// Whether a frame that does not continue the previous one is left over from an earlier use of the file. SQLite reuses the file
  /// from the beginning. Each use increments the first salt, and chooses the second at random.
  private static func isOfEarlierUse(
    _ frame: [UInt8], _ next: [UInt8]?, _ salts: ArraySlice<UInt8>, _ isLittle: Bool, pages: Int64
  ) -> Bool {
    func age(_ frame: [UInt8], before salts: ArraySlice<UInt8>) -> UInt32? {
      let uses = big(salts, at: 0) &- big(frame, at: 8)
      return (1..<usesMax).contains(uses) && big(salts, at: 4) != big(frame, at: 12) ? uses : nil
    }
    // The number of the page, and that of all pages if the frame ends a commit. All are in the database, since a use begins only
    // when everything of the one before has been moved there.
    guard (1...max(1, pages)).contains(Int64(big(frame, at: 0))), big(frame, at: 4) <= pages, age(frame, before: salts) != nil
    else { return false }
    // The end of an earlier use precedes what is left of a still earlier one.
    guard let next else { return true }
    return isNext(next, frame[8..<16], after: Sum(frame[16..<24]), isLittle) || age(next, before: frame[8..<16]) != nil
  }

  /// Returns the number of commits in bytes that begin with a broken frame, at most ``unsyncedMax``. Bytes may be missing, so
  /// frames are found by their marks.
  private static func commits(in bytes: [UInt8], _ frameBytes: Int, _ salts: ArraySlice<UInt8>?) -> Int {
    let places = bytes.withUnsafeBytes { bytes in
      let marks = salts.map { $0.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) } }
      func mark(_ at: Int) -> UInt64 { bytes.loadUnaligned(fromByteOffset: at + 8, as: UInt64.self) }
      return (1..<max(1, bytes.count - 2 * frameBytes + 1)).filter { at in
        let found = mark(at)
        return found != 0 && found == marks ?? found && mark(at + frameBytes) == found
      }
    }
    var count = 0
    for at in places {
      // A frame continues from the checksum in the previous one. The last frame of a commit has the size of the database.
      let (before, next) = (bytes[at..<at + frameHeaderBytes], Array(bytes[(at + frameBytes)...].prefix(frameBytes)))
      let sum = Sum(before.dropFirst(16))
      if big(next, at: 4) > 0, [true, false].contains(where: { isNext(next, next[8..<16], after: sum, $0) }) { count += 1 }
      if count == unsyncedMax { break }
    }
    return count
  }

  /// Returns the bits that make a frame the next one if they are flipped back, or none if its fault is another one. The checksum
  /// distinguishes the lower bits of a word from all others, but not always the upper ones.
  private static func flippedBits(_ frame: [UInt8], _ salts: ArraySlice<UInt8>, after sum: Sum, _ isLittle: Bool) -> [Int] {
    var tried = frame
    // The part that the checksum does not cover.
    var bits = (8 * 8..<frameHeaderBytes * 8).filter { bit in
      flip(bit, in: &tried)
      defer { flip(bit, in: &tried) }
      return isNext(tried, salts, after: sum, isLittle)
    }
    if frame[8..<16] != salts { return bits }
    let (found, written) = (sum.of(frame, isLittle), Sum(frame[16..<24]))
    let missing = Sum(first: written.first &- found.first, second: written.second &- found.second)
    // The change of the whole checksum if the first or the second word of a pair is one greater, starting with the last pair.
    var (one, two) = (Sum(first: 1, second: 1), Sum(first: 0, second: 1))
    for pair in (Array(stride(from: frameHeaderBytes, to: frame.count, by: 8)).reversed() + [0]) {
      for (at, weight) in [(pair, one), (pair + 4, two)] {
        for bit in 0..<32 {
          let byte = isLittle ? at + bit / 8 : at + 3 - bit / 8
          let isSet = frame[byte] >> UInt8(bit % 8) & 1 == 1
          let change: UInt32 = isSet ? 0 &- (1 << UInt32(bit)) : 1 << UInt32(bit)
          if change &* weight.first == missing.first, change &* weight.second == missing.second {
            bits.append(byte * 8 + bit % 8)
          }
        }
      }
      one = one.stepped
      two = two.stepped
    }
    return bits
  }

  private static func isNext(_ frame: [UInt8], _ salts: ArraySlice<UInt8>, after sum: Sum, _ isLittle: Bool) -> Bool {
    frame[8..<16] == salts && sum.of(frame, isLittle) == Sum(frame[16..<24])
  }

  private static func isHeader(_ header: [UInt8]) -> Bool {
    big(header, at: 0) & ~1 == 0x377f_0682 && big(header, at: 4) == 3_007_000 && big(header, at: 8).isMultiple(of: 512)
      && big(header, at: 8) <= 65_536
      && Sum().adding(header, 0..<24, isLittleEndian(header)) == Sum(header[24..<32])
  }

  /// Whether the words of the checksums are little-endian.
  private static func isLittleEndian(_ header: [UInt8]) -> Bool { header[3] & 1 == 0 }

  private static func flip(_ bit: Int, in bytes: inout [UInt8]) { bytes[bit / 8] ^= 1 << UInt8(bit % 8) }

  private static func read(_ file: Int32, _ count: Int, at start: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    return pread(file, &bytes, count, off_t(start)) == count ? bytes : nil
  }

  /// Reads in pieces, as Linux reads at most 2 GiB at once.
  private static func fill(_ bytes: UnsafeMutableRawBufferPointer, from file: Int32, at start: Int) -> Bool {
    var done = 0
    while done < bytes.count {
      let got = pread(file, bytes.baseAddress! + done, bytes.count - done, off_t(start + done))
      if got <= 0 { return false }
      done += got
    }
    return true
  }

  private static func copyAll(_ file: Int32, to copy: Int32) -> Bool {
    var (bytes, at) = ([UInt8](repeating: 0, count: 1 << 20), 0)
    while true {
      let got = pread(file, &bytes, bytes.count, off_t(at))
      if got <= 0 { return got == 0 }
      if pwrite(copy, bytes, got, off_t(at)) != got { return false }
      at += got
    }
  }

  private static func big(_ bytes: some Collection<UInt8>, at start: Int) -> UInt32 {
    bytes.dropFirst(start).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// SQLite's checksum. That of a frame continues from that of the frame before it.
  private struct Sum: Equatable {
    var first: UInt32
    var second: UInt32

    init(first: UInt32 = 0, second: UInt32 = 0) { (self.first, self.second) = (first, second) }

    /// - Parameter written: The 8 bytes of a checksum.
    init(_ written: ArraySlice<UInt8>) { (first, second) = (big(written, at: 0), big(written, at: 4)) }

    /// Returns the checksum of the next frame: of its page's number and size, and of the page.
    func of(_ frame: [UInt8], _ isLittle: Bool) -> Sum {
      adding(frame, 0..<8, isLittle).adding(frame, frameHeaderBytes..<frame.count, isLittle)
    }

    /// The checksum after another pair of words that are 0.
    var stepped: Sum { Sum(first: first &+ second, second: first &+ second &+ second) }

    /// - Parameter range: A multiple of 8 bytes.
    func adding(_ bytes: [UInt8], _ range: Range<Int>, _ isLittle: Bool) -> Sum {
      var sum = self
      bytes.withUnsafeBytes { bytes in
        for at in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
          let (one, two) = (
            bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self), bytes.loadUnaligned(fromByteOffset: at + 4, as: UInt32.self)
          )
          sum.first &+= (isLittle ? UInt32(littleEndian: one) : UInt32(bigEndian: one)) &+ sum.second
          sum.second &+= (isLittle ? UInt32(littleEndian: two) : UInt32(bigEndian: two)) &+ sum.first
        }
      }
      return sum
    }
  }
}
