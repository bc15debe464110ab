import Foundation
import Testing

@testable import ComboLog

extension LogDamageTests {
  /// Returns a file whose owner was killed, with its write-ahead log.
  func killed(_ commits: Int = 8) throws -> (file: Data, ahead: Data) {
    let folder = try LogFolder()
    let log = try folder.open()
    try log.makeTopic("gifts", partitions: 1, .held)
    for number in 0..<commits {
      try log.commit(.of(0, [("k\(number)", String(repeating: "v", count: number * 700))]), group: "g")
    }
    return (try Data(contentsOf: folder.url()), try Data(contentsOf: folder.url("-wal")))
  }

  @Test("a bit that flips in the records written ahead loses nothing: its owner turns it back, others refuse", arguments: 0..<10)
  func flippedAhead(seed: UInt64) throws {
    let (file, ahead) = try killed()
    var random = SplitMix(seed: seed)
    for round in 0..<4 {
      let folder = try LogFolder()
      var damaged = ahead
      // The header and the last frame are damaged, too.
      let (first, count) = round == 0 ? (0, 24) : round == 1 ? (ahead.count - 4096, 4000) : (0, ahead.count)
      // The checksum does not distinguish the upper bits of a word of 32 bits.
      let (byte, bit) = (first + Int(random.next() % UInt64(count)) & ~3, UInt8(random.next() % 8))
      damaged[byte] ^= 1 << bit
      try file.write(to: folder.url())
      try damaged.write(to: folder.url("-wal"))
      let sentence = fault(.damaged) { _ = try LogFile(.file(folder.path), use: .read) }
      #expect(sentence.contains("byte \(byte) of \(folder.path)-wal"), "seed \(seed), byte \(byte), bit \(bit)")
      #expect(try Data(contentsOf: folder.url("-wal")) == damaged)
      let log = try folder.open()
      #expect(log.repaired == [byte] && log.leftOut == nil, "seed \(seed), bit \(bit)")
      #expect(try log.all(0).count == 8, "seed \(seed), byte \(byte), bit \(bit)")
    }
    var damaged = ahead
    // In the second frame. A bit of the first one could be turned back.
    let word = 32 + 4120 + 24 + Int(random.next() % 1000) * 4
    damaged[word + 3] ^= 0x80
    damaged[32 + 24 + 8] ^= 1
    let folder = try LogFolder()
    try file.write(to: folder.url())
    try damaged.write(to: folder.url("-wal"))
    #expect(fault(.damaged) { _ = try folder.open() }.contains("cannot be known which one"), "seed \(seed), word \(word)")
    fault(.damaged) { _ = try LogFile(.file(folder.path), use: .read) }
    #expect(try Data(contentsOf: folder.url("-wal")) == damaged)
  }

  @Test("the rest of the last transaction after a power cut is no flipped bit", arguments: [1, 24, 600, 4119, 4120, 5000])
  func tornAhead(missing: Int) throws {
    var (file, ahead) = try killed()
    ahead.replaceSubrange((ahead.count - missing)..., with: Data(repeating: 0, count: missing))
    let folder = try LogFolder()
    try file.write(to: folder.url())
    try ahead.write(to: folder.url("-wal"))
    do {
      let seen = try LogFile(.file(folder.path), use: .read)
      #expect(seen.leftOut == ahead.count - (missing + 4119) / 4120 * 4120 && seen.leftOutCopies.isEmpty)
    }
    do {
      let log = try folder.open()
      #expect(log.repaired == [])
      #expect(try log.all(0).count == 7)
      #expect(log.leftOut == ahead.count - (missing + 4119) / 4120 * 4120)
      #expect(try Data(contentsOf: URL(fileURLWithPath: try #require(log.leftOutCopies.first))) == ahead)
      log.close()
    }
    let log = try folder.open()
    #expect(log.leftOut == nil && log.leftOutCopies == [folder.path + "-wal-damaged"])
    // The next one does not replace it.
    try Data("x".utf8).write(to: folder.url("-wal-damaged-2"))
    #expect(log.leftOutCopies.count == 2)
  }

  @Test("damage up to the end of the records written ahead is noticed", arguments: 0..<10)
  func damagedEnd(seed: UInt64) throws {
    let (file, ahead) = try killed(40)
    var random = SplitMix(seed: seed)
    let frames = (ahead.count - 32) / 4120
    for kind in 0..<6 {
      let frame = frames - 1 - Int(random.next() % 4)
      let start = 32 + frame * 4120
      var damaged = ahead
      switch kind {
      case 0: damaged.replaceSubrange(start..., with: Data(count: ahead.count - start))
      case 1: damaged.replaceSubrange(start..., with: (start..<ahead.count).map { _ in UInt8(truncatingIfNeeded: random.next()) })
      case 2: for each in frame..<frames { damaged[32 + each * 4120 + 8 + Int(random.next() % 8)] ^= 0xff }
      case 5:
        // As if all were of an earlier use.
        for each in frame..<frames {
          damaged[32 + each * 4120 + 11] &-= 1
          damaged[32 + each * 4120 + 13] ^= 16
        }
      case 3: damaged.removeLast(ahead.count - start - 1 - Int(random.next() % 4119))
      default: damaged = Data(count: ahead.count)
      }
      let folder = try LogFolder()
      try file.write(to: folder.url())
      try damaged.write(to: folder.url("-wal"))
      #expect(try folder.open().leftOut == (kind == 4 ? 0 : start), "seed \(seed), kind \(kind), frame \(frame) of \(frames)")
      #expect(try Data(contentsOf: folder.url("-wal-damaged")) == damaged)
    }
  }

  @Test("several wrong bits in the records written ahead are a fault as long as later commits follow", arguments: 0..<10)
  func damagedAhead(seed: UInt64) throws {
    let (file, ahead) = try killed(40)
    var random = SplitMix(seed: seed)
    let frames = (ahead.count - 32) / 4120
    let size = { (frame: Int) in ahead[(32 + frame * 4120 + 4)...].prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
    for _ in 0..<4 {
      let folder = try LogFolder()
      let frame = Int(random.next() % UInt64(frames))
      var damaged = ahead
      let byte = 32 + frame * 4120 + 24 + Int(random.next() % 4000)
      damaged[byte] ^= 0x15
      try file.write(to: folder.url())
      try damaged.write(to: folder.url("-wal"))
      if (frame + 1..<frames).count(where: { size($0) > 0 }) >= 16 {
        for open in [{ _ = try LogFile(.file(folder.path), use: .read) }, { _ = try folder.open() }] as [() throws -> Void] {
          let sentence = fault(.damaged) { try open() }
          #expect(
            sentence.contains("truncate -s \(32 + frame * 4120) \(folder.path)-wal"), "seed \(seed), byte \(byte): \(sentence)")
        }
        #expect(try Data(contentsOf: folder.url("-wal")) == damaged)
        #expect(truncate(folder.path + "-wal", 32 + frame * 4120) == 0)
      }
      // What the last transactions lack may be what a power cut has left of them.
      let isCut = (frame + 1..<frames).count(where: { size($0) > 0 }) >= 16
      let log = try folder.open()
      #expect(log.repaired == [] && log.leftOut == (isCut ? nil : 32 + frame * 4120), "seed \(seed), byte \(byte)")
      if log.stream("gifts", 0) != nil { #expect(try log.all(0).count < 40, "seed \(seed), byte \(byte)") }
    }
  }

  @Test(
    "no damage of what was written ahead hides what follows it",
    arguments: [0..<512, 17..<18, 32 + 16 + 4120 * 9..<32 + 20 + 4120 * 9, 8 * 4096..<9 * 4096, 4120 * 3..<4120 * 9])
  func lostAhead(damage: Range<Int>) throws {
    var (file, ahead) = try killed(40)
    for byte in damage { ahead[byte] ^= 0x5a }
    let folder = try LogFolder()
    try file.write(to: folder.url())
    try ahead.write(to: folder.url("-wal"))
    for open in [{ _ = try LogFile(.file(folder.path), use: .read) }, { _ = try folder.open() }] as [() throws -> Void] {
      #expect(fault(.damaged) { try open() }.contains("or do without what was written from there on: truncate -s"))
    }
    #expect(try Data(contentsOf: folder.url("-wal")) == ahead)
  }

  @Test(
    "bytes that are missing of what was written ahead do not hide what follows them",
    arguments: [0, 8, 4096, 6144, 4120 * 9])
  func shiftedAhead(from: Int) throws {
    for count in [1, 512, 4120] {
      var (file, ahead) = try killed(40)
      ahead.removeSubrange(from..<from + count)
      let folder = try LogFolder()
      try file.write(to: folder.url())
      try ahead.write(to: folder.url("-wal"))
      #expect(
        fault(.damaged) { _ = try folder.open() }.contains("or do without what was written from there on: truncate -s"),
        "\(count) bytes")
    }
  }

  @Test("bytes of an earlier use after the end of the records written ahead are no damage", arguments: [0, 1, 600, 4119])
  func earlierUse(missing: Int) throws {
    let folder = try LogFolder()
    let log = try folder.open()
    try log.makeTopic("gifts", partitions: 1, .held)
    for number in 0..<43 {
      try log.commit(.of(0, [("k\(number)", "v")]), group: "g")
      if number == 39 {
        try log.writer.run("PRAGMA wal_checkpoint(RESTART)")
        log.stamp = log.lock?.stamp
      }
    }
    var ahead = try Data(contentsOf: folder.url("-wal"))
    #expect(ahead.count > 40 * 4120)
    // The frames of the last three commits, of which a power cut leaves two and a half.
    let salts = ahead[16..<24]
    let frames = (0..<(ahead.count - 32) / 4120).prefix {
      ahead[(32 + $0 * 4120 + 8)..<(32 + $0 * 4120 + 16)].elementsEqual(salts)
    }
    let end = 32 + frames.count * 4120
    ahead.replaceSubrange(end - missing..<end, with: Data(repeating: 0, count: missing))
    let copy = try LogFolder()
    try Data(contentsOf: folder.url()).write(to: copy.url())
    try ahead.write(to: copy.url("-wal"))
    let opened = try copy.open()
    #expect(try opened.all(0).count == (missing == 0 ? 43 : 42))
    #expect((opened.leftOut == nil) == (missing == 0))
  }

  @Test("records written ahead are kept for a file that is not there")
  func aheadAlone() throws {
    let ahead = try killed().ahead
    let folder = try LogFolder()
    for isEmpty in [false, true] {
      if isEmpty { try Data().write(to: folder.url()) }
      try ahead.write(to: folder.url("-wal"))
      let advice = isEmpty ? "test.db is empty" : "Move that file back"
      #expect(fault(.damaged) { _ = try folder.open() }.contains(advice))
      #expect(fault(.damaged) { _ = try LogFile(.file(folder.path), use: .read) }.contains(advice))
      #expect(try Data(contentsOf: folder.url("-wal")) == ahead)
    }
  }

  struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
      state &+= 0x9e37_79b9_7f4a_7c15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
      return mixed ^ (mixed >> 31)
    }
  }
}
