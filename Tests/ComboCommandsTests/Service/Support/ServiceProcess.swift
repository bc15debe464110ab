import Foundation
import Glibc

@testable import ComboTestSupport

/// The built program as a child process. It is killed with the object, and when this process is gone.
final class ServiceProcess: RunningService {
  let pid: pid_t
  private let outputPath: String
  private let logPath: String
  private let ownsLog: Bool
  private var status: Int32?

  /// - Parameters:
  ///   - arguments: The program's arguments, the command first.
  ///   - environment: Variables in addition to those of this process.
  ///   - logPath: Its standard error, such as a pipe that the test reads itself, or does not, or nil for a file that ``log``
  ///     reads.
  init(_ arguments: [String], environment: [String: String] = [:], logPath: String? = nil) throws {
    let base = NSTemporaryDirectory() + "/" + TestKafka.fresh("combo-service")
    outputPath = base + ".out"
    ownsLog = logPath == nil
    self.logPath = logPath ?? base + ".log"
    pid = try Self.spawn(Self.program, arguments, environment, output: outputPath, log: self.logPath)
    Self.watch(pid)
  }

  deinit {
    if status == nil {
      kill(pid, SIGKILL)
      kill(pid, SIGCONT)
      var ignored: Int32 = 0
      while waitpid(pid, &ignored, 0) < 0 && errno == EINTR {}
    }
    unlink(outputPath)
    if ownsLog { unlink(logPath) }
  }

  var log: [String] { Self.lines(logPath) }
  var progress: [String] { Self.lines(outputPath) }

  /// Its exit code, or minus the number of the signal that ended it.
  var exitCode: Int32? {
    if let status { return status }
    var raw: Int32 = 0
    guard waitpid(pid, &raw, WNOHANG) == pid else { return nil }
    status = raw & 0x7f == 0 ? (raw >> 8) & 0xff : -(raw & 0x7f)
    return status
  }

  func requestStop() { signal(SIGTERM) }

  /// Sends it a signal, unless it has ended.
  func signal(_ number: Int32) {
    if exitCode == nil { kill(pid, number) }
  }

  /// Whether a signal is pending for it.
  func hasPending(_ number: Int32) -> Bool {
    let status = Self.lines("/proc/\(pid)/status").first { $0.hasPrefix("ShdPnd:") }
    let mask = status.flatMap { UInt64($0.dropFirst("ShdPnd:".count).trimmingCharacters(in: .whitespaces), radix: 16) } ?? 0
    return mask & 1 << UInt64(number - 1) != 0
  }

  /// Ends it as a crash would, and waits until it is gone.
  func crash() throws {
    signal(SIGKILL)
    _ = try waitForExit()
  }

  /// Runs the program to its end.
  static func run(_ arguments: [String], withinMs: Int64 = ServiceKafka.patienceMs) throws -> (
    code: Int32, output: String, log: String
  ) {
    let process = try ServiceProcess(arguments)
    let code = try process.waitForExit(withinMs: withinMs)
    return (code, process.progress.joined(separator: "\n"), process.log.joined(separator: "\n"))
  }

  // MARK: - Plumbing

  /// The path of the program, which is beside the test bundle.
  static let program: String = {
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    var folder = URL(fileURLWithPath: tests).deletingLastPathComponent()
    // Some tool chains load the tests into their own helper, and name the bundle among the arguments.
    if let bundle = CommandLine.arguments.first(where: { $0.contains(".xctest") }), !tests.hasSuffix(".xctest") {
      folder = URL(fileURLWithPath: bundle.components(separatedBy: ".xctest")[0]).deletingLastPathComponent()
    }
    return folder.appendingPathComponent("combo-consumer").path
  }()

  private static func lines(_ path: String) -> [String] {
    guard let data = FileManager.default.contents(atPath: path) else { return [] }
    // The text after the last newline is not a line yet.
    return String(decoding: data, as: UTF8.self).components(separatedBy: "\n").dropLast()
  }

  private static func spawn(
    _ program: String, _ arguments: [String], _ environment: [String: String] = [:], output: String, log: String
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    closeOthers(&actions)
    // Threads of a pool block signals, and children inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    let all = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    var variables: [UnsafeMutablePointer<CChar>?] = all.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for word in words + variables { free(word) } }
    var child: pid_t = 0
    let error = posix_spawn(&child, program, &actions, &attributes, &words, &variables)
    guard error == 0 else { throw TestKafka.Failure("cannot run \(program): \(String(cString: strerror(error)))") }
    return child
  }

  /// The path of a file with the children's process ids and start times. A shell kills them once this process is gone, however it
  /// ends. An id alone may have become that of another process's child.
  private static let watched: String = {
    let path = NSTemporaryDirectory() + "/" + TestKafka.fresh("combo-children")
    let script = #"""
      while kill -0 "$1" 2>/dev/null; do sleep 0.5; done
      while read -r p began; do [ "$(cut -d ' ' -f 22 "/proc/$p/stat")" = "$began" ] && kill -KILL "$p"; done < "$2"
      rm -f "$2"
      """#
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    _ = try? spawn("/bin/sh", ["-c", script, "combo-children", String(getpid()), path], output: "/dev/null", log: "/dev/null")
    return path
  }()

  private static func watch(_ pid: pid_t) {
    let file = open(watched, O_WRONLY | O_APPEND | O_CLOEXEC)
    guard file >= 0 else { return }
    defer { close(file) }
    // The program's name has no space.
    let fields = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8))?.split(separator: " ") ?? []
    guard fields.count > 21 else { return }
    let line = "\(pid) \(fields[21])\n"
    _ = line.withCString { write(file, $0, strlen($0)) }
  }
}
