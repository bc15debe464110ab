import Foundation
import Testing

@testable import ComboLog

/// The faults of a file, each with its sentence.
@Suite struct LogFileFaultTests {
  @Test("a second owner is refused, with the id of the first")
  func isInUse() throws {
    let folder = try LogFolder()
    let log = try folder.open()
    let sentence = fault(.inUse) { _ = try folder.open() }
    #expect(sentence.contains("pid \(getpid())"))
    try log.makeTopic("gifts", partitions: 1)
    try log.append(.of(0, [("a", "1")]))
    // Reading is allowed meanwhile.
    let reader = try LogFile(.file(folder.path), use: .read)
    #expect(try reader.all(0) == ["0 a=1"])
  }

  @Test("a file of something else is refused and left alone")
  func isForeign() throws {
    let folder = try LogFolder()
    let text = Data("these are somebody's notes, more than a header's worth of them".utf8)
    try text.write(to: URL(fileURLWithPath: folder.path))
    #expect(fault(.foreign) { _ = try folder.open() }.contains("is no SQLite file"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path)) == text)
    try FileManager.default.removeItem(atPath: folder.path)
    do {
      let other = try Database(folder.path, name: "x")
      try other.run("CREATE TABLE t (a)")
    }
    #expect(fault(.foreign) { _ = try folder.open() }.contains("another program"))
  }

  @Test("a file of a newer version is refused; a version that cannot be is damage of the header")
  func isNewer() throws {
    let folder = try LogFolder()
    do { _ = try folder.open() }
    for (version, code, words) in [
      (99, LogFault.Code.foreign, "newer version"), (2 | 1 << 27, .damaged, "no valid version"),
      (0, .damaged, "no valid version"),
    ] {
      do {
        let other = try Database(folder.path, name: "x")
        try other.run("PRAGMA user_version = \(version)")
      }
      #expect(fault(code) { _ = try folder.open() }.contains(words))
    }
  }

  @Test("a torn file is reported as damaged")
  func isTorn() throws {
    let folder = try LogFolder()
    do {
      let log = try folder.open()
      try log.makeTopic("gifts", partitions: 1)
      var batch = LogBatch()
      for number in 0..<2000 { batch.append(0, "k", "\(number)") }
      try log.append(batch)
    }
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.path))
    try handle.truncate(atOffset: 20_000)
    try handle.close()
    #expect(fault(.damaged) { _ = try folder.open().all(0) }.contains("live --export"))
  }

  @Test("the records of a killed process are there, and the file was checked")
  func survivesKill() throws {
    let folder = try LogFolder()
    let log = try folder.open()
    try log.makeTopic("gifts", partitions: 1)
    try log.append(.of(0, [("a", "1")]))
    // A killed process leaves the file like this, with its write-ahead log.
    let copy = try LogFolder()
    for ending in ["", "-wal"] { try FileManager.default.copyItem(atPath: folder.path + ending, toPath: copy.path + ending) }
    let again = try copy.open()
    #expect(again.wasChecked)
    #expect(try again.all(0) == ["0 a=1"])
    again.close()
    #expect(!log.wasChecked)
  }

  @Test("a folder that cannot be written, a folder in place of the file, and a missing file to read are refused")
  func cannotBeWritten() throws {
    let folder = try LogFolder()
    fault(.foreign) { _ = try LogFile(.file(folder.folder)) }
    fault(.unknown) { _ = try LogFile(.file(folder.path), use: .read) }
    #expect(fault(.readOnly) { _ = try LogFile(.file("/proc/no/such/log.db")) }.contains("--data"))
    if getuid() == 0 {
      print("SKIPPED: a read-only file. The superuser may write any.")
      return
    }
    do { _ = try folder.open() }
    chmod(folder.path, 0o400)
    #expect(fault(.readOnly) { _ = try folder.open() }.contains("read-only"))
  }

  @Test(
    "network file systems are known by their numbers", arguments: [(0x6969, "NFS"), (0xff53_4d42, "SMB"), (0xfe53_4d42, "SMB")])
  func network(type: Int, name: String) {
    #expect(LogDisk.network(type: UInt32(type)) == name)
    // ext4, tmpfs
    #expect(LogDisk.network(type: 0xef53) == nil && LogDisk.network(type: 0x0102_1994) == nil)
  }

  @Test("a disk that is nearly full is noticed before it is")
  func fillsUp() throws {
    let folder = try LogFolder()
    var limits = LogFile.Limits()
    limits.reserve = .max / 4
    let log = try folder.open(limits)
    try log.makeTopic("gifts", partitions: 1)
    #expect(fault(.full) { try log.append(.of(0, [("a", "1")])) }.contains("Free space on the disk"))
    // The results of accepted records are still written.
    try log.commit(.of(0, [("a", "1")]), group: "g")
    #expect(try log.all(0) == ["0 a=1"])
  }
}
