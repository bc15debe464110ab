internal import ComboSystem
internal import Glibc
internal import Synchronization

/// The identity of a file, whatever its names.
struct LogFileID: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64

  /// - Parameter path: The path; not followed if it is a symbolic link.
  /// - Returns: nil if there is no file of that name, or that is unknown.
  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  init(_ status: stat) { (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino)) }
}

/// The lock that excludes a second owner from a file, whatever name it uses, and shows it the first one.
///
/// The lock is `flock` on the file itself. SQLite locks with `fcntl`, which is independent of it; and `fcntl` drops the locks of
/// a process as soon as that closes any descriptor of the file. So this descriptor is opened before SQLite's and closed after
/// them, and a file that this process already owns is not opened once more.
final class LogLock: Sendable {
  let id: LogFileID
  private let descriptor: Int32
  /// The lock of 0.1.0, a file beside the database.
  private let beside: Int32
  /// Whether the last owner did not close the file.
  let wasLeft: Bool

  private static let owned = Mutex<Set<LogFileID>>([])
  /// A byte far from those that SQLite locks. A lock by `fcntl` names its holder.
  private static let holderByte = off_t(1) << 62

  /// Acquires the lock until this object is released. If there is no file, creates one for this user only, because it will
  /// contain what viewers sent.
  /// - Parameter path: The path, without links in it.
  init(_ path: String) throws(LogFault) {
    if let id = LogFileID(path), Self.owned.withLock({ $0.contains(id) }) { throw Self.inUse(path, by: getpid()) }
    descriptor = try Self.open(path, for: path)
    do throws(LogFault) {
      var status = stat()
      fstat(descriptor, &status)
      id = LogFileID(status)
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw Self.inUse(path, by: Self.holder(descriptor)) }
      (beside, wasLeft) = try Self.acquireFormer(path)
    } catch {
      close(descriptor)
      throw error
    }
    Self.owned.withLock { _ = $0.insert(id) }
  }

  deinit {
    Self.owned.withLock { _ = $0.remove(id) }
    close(beside)
    close(descriptor)
  }

  /// Shows other processes who has the lock. To be called once SQLite has opened the file: with its first locks it drops all
  /// others.
  func publishHolder() {
    var range = Self.holderRange
    _ = fcntl(descriptor, F_SETLK, &range)
  }

  /// The size of a file and the time of the last write to it. A write by any process changes at least the time.
  struct Stamp: Equatable {
    fileprivate let size: Int
    fileprivate let seconds: Int
    fileprivate let nanoseconds: Int

    fileprivate init(_ status: stat) {
      (size, seconds, nanoseconds) = (Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }

    /// - Returns: nil if the file cannot be seen.
    init?(of path: String) {
      var status = stat()
      guard fstatat(AT_FDCWD, path, &status, 0) == 0 else { return nil }
      self.init(status)
    }
  }

  /// The file's stamp now, or nil if it cannot be seen.
  var stamp: Stamp? { status.map(Stamp.init) }

  /// The number of names that the file has now.
  var names: Int { status.map { Int($0.st_nlink) } ?? 1 }

  private var status: stat? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status : nil
  }

  private static func open(_ name: String, for path: String) throws(LogFault) -> Int32 {
    let opened = Glibc.open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    if opened != -1 { return opened }
    throw LogFault(
      errno == ENOSPC || errno == EDQUOT ? .full : .readOnly,
      "\(path) cannot be used: \(name) cannot be written (\(String(cString: strerror(errno)))). Check the permissions of the folder and the"
        + " space on the disk, or give --data another file")
  }

  /// Records that the owner has closed the file.
  func recordClosed() { ftruncate(beside, 0) }

  /// Acquires the lock of 0.1.0 too, so that the two versions exclude each other. The lock file contains the holder's process id
  /// until the file is closed.
  /// - Returns: The lock file, and whether it contained one.
  private static func acquireFormer(_ path: String) throws(LogFault) -> (Int32, Bool) {
    let file = try open(path + ".lock", for: path)
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      var bytes = [UInt8](repeating: 0, count: 20)
      let got = max(0, pread(file, &bytes, bytes.count, 0))
      close(file)
      throw inUse(path, by: pid_t(String(decoding: bytes[..<got].prefix { $0 >= 0x30 && $0 <= 0x39 }, as: UTF8.self)))
    }
    let wasLeft = (LogDisk.size(path + ".lock") ?? 0) > 0
    ftruncate(file, 0)
    let text = Array("\(getpid())\n".utf8)
    _ = pwrite(file, text, text.count, 0)
    return (file, wasLeft)
  }

  private static var holderRange: Glibc.flock {
    Glibc.flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: holderByte, l_len: 1, l_pid: 0)
  }

  /// Returns whether a process has the file open as its owner. To be called before this process opens the file to read: it closes
  /// a descriptor, which drops the process's locks.
  /// - Parameter path: The path, without links in it.
  static func isHeld(_ path: String) -> Bool {
    if let id = LogFileID(path), owned.withLock({ $0.contains(id) }) { return true }
    let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    var range = holderRange
    return fcntl(file, F_GETLK, &range) == 0 && range.l_type != Int16(F_UNLCK)
  }

  /// The time within which the holder has opened the file, at 10 ms per MiB that it checks.
  private static let openedWithinMs: Int64 = 3000

  /// Returns the process that holds the lock, once it has shown itself, or nil if it is outside of this container.
  private static func holder(_ descriptor: Int32) -> pid_t? {
    let deadline = Deadline(afterMs: openedWithinMs)
    while true {
      var range = holderRange
      guard fcntl(descriptor, F_GETLK, &range) == 0 else { return nil }
      if range.l_type != Int16(F_UNLCK) { return range.l_pid > 0 ? range.l_pid : nil }
      if deadline.isOver { return nil }
      MonotonicClock.sleep(ms: 10)
    }
  }

  private static func inUse(_ path: String, by holder: pid_t?) -> LogFault {
    LogFault(
      .inUse,
      "\(path) is in use by another process\(holder.map { " (pid \($0))" } ?? ""). Stop that process, or give --data another file"
    )
  }
}
