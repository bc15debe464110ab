internal import CSQLite
internal import Glibc

package enum LogPlace: Equatable, Sendable {
  case memory
  case file(String)

  /// The place's name in sentences.
  package var name: String {
    switch self {
    case .memory: "memory"
    case .file(let path): path
    }
  }
}

/// The file system below a path.
enum LogDisk {
  /// Creates the folder of a file, with those above it, for this user alone.
  /// - Returns: The folder, if it did not exist; nil otherwise.
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

  /// Returns the path of the file that a name leads to, without links in it. The file need not exist; links in a folder that does
  /// not exist are kept.
  static func resolved(_ name: String) -> String {
    var path = name
    // The maximum number of links that the system follows.
    for _ in 0..<40 {
      guard let target = target(of: path) else { break }
      path = target.hasPrefix("/") ? target : folder(of: path) + "/" + target
    }
    guard let folder = realpath(folder(of: path), nil) else { return path }
    defer { Glibc.free(folder) }
    let file = path.split(separator: "/").last ?? ""
    return String(cString: folder) + (folder[1] == 0 ? "" : "/") + file
  }

  /// Returns the target of a symbolic link, or nil if the path is not one.
  private static func target(of path: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = bytes.withUnsafeMutableBytes { readlink(path, $0.baseAddress!, $0.count) }
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Throws if the path is on a network file system that is known.
  static func requireLocal(_ path: String) throws(LogFault) {
    guard let network = network(type: csqlite_file_system(folder(of: resolved(path)))) else { return }
    throw LogFault(
      .networkDisk,
      "\(path) is on a network file system (\(network)), which can lose or tear what is written. Give --data a file on a disk of"
        + " this machine")
  }

  /// Returns the name for a magic number of statfs(2).
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

  /// Returns the bytes that this user may still write, or nil if unknown.
  static func free(_ path: String) -> Int64? {
    var status = statvfs()
    guard statvfs(folder(of: path), &status) == 0 else { return nil }
    return Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
  }

  /// Returns the size of a file, or nil if none. Uses its name: opening a database file and closing it again would drop SQLite's
  /// locks on it.
  static func size(_ path: String) -> Int64? {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : nil
  }

  static func requireWritable(_ path: String) throws(LogFault) {
    if access(path, F_OK) != 0 || access(path, W_OK) == 0 { return }
    throw LogFault(.readOnly, "\(path) is read-only. Allow this user to write it (chmod u+w), or give --data another file")
  }
}
