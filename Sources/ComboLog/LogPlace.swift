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

  /// The path of the file that a name leads to, without links in it. It need not exist; where its folder does not, links in that are kept.
  static func resolved(_ name: String) -> String {
    var path = name
    // As many links as the system follows.
    for _ in 0..<40 {
      guard let target = target(of: path) else { break }
      path = target.hasPrefix("/") ? target : folder(of: path) + "/" + target
    }
    guard let folder = realpath(folder(of: path), nil) else { return path }
    defer { Glibc.free(folder) }
    let file = path.split(separator: "/").last ?? ""
    return String(cString: folder) + (folder[1] == 0 ? "" : "/") + file
  }

  /// What a symbolic link contains; nil: it is none.
  private static func target(of path: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = bytes.withUnsafeMutableBytes { readlink(path, $0.baseAddress!, $0.count) }
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
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
