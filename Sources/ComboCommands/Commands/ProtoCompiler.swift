internal import ComboMaps
internal import ComboSystem
internal import Glibc

/// The Protobuf compiler `protoc`, which reads `.proto` files. Only authors of maps need it.
enum ProtoCompiler {
  /// Returns the descriptor set of a `.proto` file with all its imports, or of a file that already is a descriptor set.
  static func descriptors(of file: String) throws -> [UInt8] {
    let limit = ProtoFile.bytesMax
    if !file.hasSuffix(".proto") { return try TextFile.bytes(of: file, limit: limit).get() }
    // Faults of the file itself get better messages here.
    _ = try TextFile.bytes(of: file, limit: limit).get()
    var template = Array("/tmp/combo-consumer-proto-XXXXXX".utf8CString)
    let made = mkstemp(&template)
    guard made >= 0 else {
      throw TextFile.Failure(
        description: "cannot make a file in /tmp: \(String(cString: strerror(errno)))")
    }
    close(made)
    let out = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { unlink(out) }
    // Imports are searched for beside the file and in the current folder.
    let folder = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
    let code = run([
      "protoc", "--proto_path=\(folder.isEmpty ? "/" : folder)", "--proto_path=.", "--include_imports",
      "--descriptor_set_out=\(out)", file,
    ])
    guard code == 0 else {
      throw TextFile.Failure(
        description: code == notFound
          ? "there is no protoc, which reads .proto files: install it (Debian: protobuf-compiler), or give a descriptor set that it made elsewhere"
            + " (protoc --include_imports --descriptor_set_out=FILE.desc …)"
          : "protoc could not read it; its messages are above")
    }
    return try TextFile.bytes(of: out, limit: limit).get()
  }

  /// The exit code of a shell, and of posix_spawn's child, if the program does not exist.
  private static let notFound: Int32 = 127

  /// Runs a program to its end, with this process's standard streams. Returns its exit code.
  private static func run(_ arguments: [String]) -> Int32 {
    var child = pid_t()
    let words = arguments.map { strdup($0) }
    defer { for word in words { free(word) } }
    if posix_spawnp(&child, arguments[0], nil, nil, words + [nil], environ) != 0 { return notFound }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return status & 0x7f == 0 ? status >> 8 & 0xff : 1
  }
}
