internal import CSQLite
internal import Glibc

/// The place of a log.
package enum LogPlace: Equatable, Sendable {
  case memory
  case file(String)

  /// Its name in sentences.
  package var name: String {
    switch self {
    case .memory: "memory"
    case .file(let path): path
    }
  }
}

/// The checks of a file before SQLite opens it, and the lock that keeps a second process out.
///
/// The lock is a file of its own: SQLite's own locks go as soon as any descriptor of the database is closed in this process, and
/// they do not name their holder.
final class LogLock {
  private let descriptor: Int32

  /// Takes the lock for as long as this object lives.
  init(_ path: String) throws(LogFault) {
    let name = path + ".lock"
    let opened = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard opened >= 0 else {
      let reason = String(cString: strerror(errno))
      throw LogFault(
        errno == ENOSPC || errno == EDQUOT ? .full : .readOnly,
        "\(path) cannot be used: \(name) cannot be written (\(reason)). Check the permissions of the folder and the space on the"
          + " disk, or give --data another file")
    }
    descriptor = opened
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let holder = Self.holder(descriptor)
      close(descriptor)
      throw LogFault(
        .inUse,
        "\(path) is in use by another process\(holder.map { " (pid \($0))" } ?? ""). Stop that process, or give --data another file"
      )
    }
    ftruncate(descriptor, 0)
    let text = Array("\(getpid())\n".utf8)
    _ = pwrite(descriptor, text, text.count, 0)
  }

  deinit { close(descriptor) }

  private static func holder(_ descriptor: Int32) -> String? {
    var bytes = [UInt8](repeating: 0, count: 20)
    let got = pread(descriptor, &bytes, bytes.count, 0)
    if got <= 0 { return nil }
    let digits = bytes[..<got].prefix { $0 >= 0x30 && $0 <= 0x39 }
    return digits.isEmpty ? nil : String(decoding: digits, as: UTF8.self)
  }
}

/// The file system below a path.
enum LogDisk {
  /// Makes the folder of a file, with those above it, for this user alone.
  /// - Returns: the folder, if it was not there.
  static func makeFolder(of path: String) throws(LogFault) -> String? {
    let folder = folder(of: path)
    let isThere = access(folder, F_OK) == 0
    var made = ""
    for piece in folder.split(separator: "/", omittingEmptySubsequences: false) {
      made += piece.isEmpty && made.isEmpty ? "/" : (made.isEmpty || made.hasSuffix("/") ? "" : "/") + piece
      if mkdir(made, 0o700) != 0, errno != EEXIST, errno != EISDIR, access(made, F_OK) != 0 {
        throw LogFault(
          .readOnly, "cannot create the folder \(folder) (\(String(cString: strerror(errno)))). Give --data a file elsewhere")
      }
    }
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw LogFault(.foreign, "\(path) is not a regular file. Give --data the name of a file")
    }
    return isThere ? nil : folder
  }

  /// Makes the empty file, for this user alone: it holds what viewers sent.
  static func makeFile(_ path: String) {
    // If it fails, SQLite tells why.
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    if file >= 0 { close(file) }
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The name of the network file system of a path; nil: it is on none that is known.
  static func network(_ path: String) -> String? {
    network(type: csqlite_file_system(folder(of: path)))
  }

  /// By the magic numbers of statfs(2).
  static func network(type: UInt32) -> String? {
    switch type {
    case 0x6969: "NFS"
    case 0x517b, 0xff53_4d42, 0xfe53_4d42: "SMB"
    case 0x5346_414f, 0x6b41_4653: "AFS"
    case 0x00c3_6400: "Ceph"
    case 0x0102_1997: "9P"
    case 0x0bd0_0bd0: "Lustre"
    case 0x7375_7245: "Coda"
    default: nil
    }
  }

  /// Bytes that this user may still write; nil: unknown.
  static func free(_ path: String) -> Int64? {
    var status = statvfs()
    guard statvfs(folder(of: path), &status) == 0 else { return nil }
    return Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
  }

  /// The size of a file; nil: there is none. By its name: to open a database file and close it again would drop SQLite's locks on it.
  static func size(_ path: String) -> Int64? {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : nil
  }

  static func isWritable(_ path: String) -> Bool { access(path, F_OK) != 0 || access(path, W_OK) == 0 }
}
