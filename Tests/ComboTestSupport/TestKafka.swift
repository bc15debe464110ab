import Foundation
import Glibc

/// A real Kafka for tests.
///
/// Either `COMBO_TEST_KAFKA` names a folder with `start`, `stop` and `tool`. Then one broker is started for the whole test
/// process at its first use, on a free port, and killed when the process is gone, however it ends. Or `COMBO_TEST_BROKERS` is the
/// address of running brokers. With neither, such tests are skipped with a message.
enum TestKafka {
  /// Whether tests on a real Kafka can run, for `.enabled(if:)`. If not, prints once how to enable them.
  static let isAvailable: Bool = {
    if folder != nil || environment("COMBO_TEST_BROKERS") != nil { return true }
    print("SKIPPED: tests on a real Kafka. \(howTo)")
    return false
  }()

  /// Whether tests can start, stop and kill nodes, for `.enabled(if:)`.
  static let canStartClusters: Bool = {
    if folder != nil { return true }
    print("SKIPPED: tests that start and kill Kafka nodes. \(howTo)")
    return false
  }()

  static let howTo = "Set COMBO_TEST_KAFKA to a folder with start, stop and tool, or COMBO_TEST_BROKERS to HOST:PORT."

  /// The address of the shared broker.
  static func brokers() throws -> String {
    if let folder, environment("COMBO_TEST_BROKERS") == nil { return try shared(folder).get().brokers }
    guard let brokers = environment("COMBO_TEST_BROKERS") else { throw Failure("no Kafka: \(howTo)") }
    return brokers
  }

  /// Starts a test's own cluster, which ends with the returned object.
  /// - Parameters:
  ///   - properties: Further server properties, one a line.
  ///   - javaOptions: Options for the nodes' Java.
  static func cluster(nodes: Int = 1, properties: String = "", javaOptions: String = "") throws -> Cluster {
    guard let folder else { throw Failure("no Kafka folder: \(howTo)") }
    return try Cluster(folder, nodes: nodes, properties: properties, javaOptions: javaOptions)
  }

  /// Runs one of Kafka's own tools against a broker and returns what it prints.
  @discardableResult
  static func tool(_ arguments: [String]) throws -> String {
    guard let folder else { throw Failure("no Kafka folder: \(howTo)") }
    return try run("\(folder)/tool", arguments)
  }

  /// Runs a shell script, which must succeed, and returns what it prints.
  @discardableResult
  static func shell(_ script: String, _ arguments: [String] = []) throws -> String {
    try run("/bin/sh", ["-ec", script, "test"] + arguments)
  }

  /// A Java option for nodes that live for seconds: they are ready soon, rather than fast later. A start takes 4 s of processor
  /// time instead of 6.
  private static let shortLived = "-XX:TieredStopAtLevel=1"

  /// A name that no other test or run uses.
  static func fresh(_ what: String) -> String {
    "\(what)-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }

  /// Nodes on loopback with their own folder.
  final class Cluster: Sendable {
    let brokers: String
    private let folder: String
    private let data: String
    private let nodes: Int
    private let port: Int
    private let environment: [String: String]

    fileprivate init(_ folder: String, nodes: Int, properties: String, javaOptions: String) throws {
      self.folder = folder
      self.nodes = nodes
      environment = ["KAFKA_EXTRA": properties, "JDK_JAVA_OPTIONS": "\(shortLived) \(javaOptions)"]
      data = NSTemporaryDirectory() + "/" + TestKafka.fresh("combo-kafka")
      var last: (any Error)?
      for _ in 0..<3 {
        let port = try freePorts(2 * nodes)
        try watch(folder, data)
        do {
          brokers = try Self.start(folder, data, nodes, port, environment)
          self.port = port
          return
        } catch {
          // Another program took a port between the check and the start.
          last = error
          _ = try? run("\(folder)/stop", [data, "all", "KILL"])
          try? FileManager.default.removeItem(atPath: data)
        }
      }
      throw last ?? Failure("Kafka did not start")
    }

    deinit {
      _ = try? run("\(folder)/stop", [data, "all", "KILL"])
      try? FileManager.default.removeItem(atPath: data)
    }

    /// Stops a node gracefully, or all nodes if nil.
    func stop(node: Int? = nil) throws { try run("\(folder)/stop", [data, node.map(String.init) ?? "all"]) }

    /// Kills a node, or all nodes if nil, as a crash would.
    func kill(node: Int? = nil) throws { try run("\(folder)/stop", [data, node.map(String.init) ?? "all", "KILL"]) }

    /// Replaces this cluster with an empty one: one node on the same ports.
    func replace() throws {
      try kill()
      try TestKafka.shell("rm -rf \"$1\"/data-* && grep -v '^ *$' \"$1/0.properties\" > \"$1/other.properties\"", [data])
      try run(
        "\(folder)/tool",
        [
          "kafka.tools.StorageTool", "format", "-t", "AnotherClusterAtAllAAA", "-c", "\(data)/other.properties",
        ])
      try start()
    }

    /// Starts all nodes that are not running, with their data and on the same ports.
    func start() throws { _ = try Self.start(folder, data, nodes, port, environment) }

    private static func start(
      _ folder: String, _ data: String, _ nodes: Int, _ port: Int, _ environment: [String: String]
    ) throws -> String {
      var output: String?
      var tries = 0
      while output == nil {
        do {
          output = try run("\(folder)/start", [data, String(nodes), String(port)], environment)
        } catch let failure as Failure where failure.description.contains("is not ready") && tries < 9 {
          // Waits again for nodes that are only slow, as `start` leaves running nodes alone.
          tries += 1
        }
      }
      // The address is the last line; there may be warnings before it.
      guard let brokers = output?.split(separator: "\n").last else { throw Failure("Kafka gave no address") }
      return String(brokers)
    }
  }

  private static let folder = environment("COMBO_TEST_KAFKA")

  private static let sharedCluster: Result<Cluster, any Error> = Result {
    try Cluster(environment("COMBO_TEST_KAFKA") ?? "", nodes: 1, properties: "", javaOptions: "")
  }

  private static func shared(_ folder: String) -> Result<Cluster, any Error> { sharedCluster }
}

private func environment(_ name: String) -> String? {
  ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
}

/// Runs a program to its end and returns what it prints.
///
/// The output goes through a file, because a node that outlives the program would hold a pipe open. For the same reason this is
/// not Foundation's `Process`, which recognizes by such a pipe whether a child still runs.
@discardableResult
private func run(_ program: String, _ arguments: [String], _ environment: [String: String] = [:]) throws -> String {
  let path = NSTemporaryDirectory() + "/" + TestKafka.fresh("combo-test-output")
  defer { try? FileManager.default.removeItem(atPath: path) }
  let child = try spawn(program, arguments, environment, output: path)
  var status: Int32 = 0
  while waitpid(child, &status, 0) < 0 && errno == EINTR {}
  let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  guard status == 0 else {
    throw TestKafka.Failure("\(program) \(arguments.joined(separator: " ")) ended with \(status): \(text)")
  }
  return text
}

/// Starts a process that kills the nodes of `data` once this one is gone, however it ends.
private func watch(_ folder: String, _ data: String) throws {
  let script = #"while kill -0 "$1" 2>/dev/null; do sleep 0.5; done; "$2/stop" "$3" all KILL; rm -rf "$3""#
  _ = try spawn(
    "/bin/sh", ["-c", script, "combo-kafka-watch", String(getpid()), folder, data], [:], output: "/dev/null")
}

private func spawn(
  _ program: String, _ arguments: [String], _ environment: [String: String], output: String
) throws -> pid_t {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
  posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
  posix_spawn_file_actions_adddup2(&actions, 1, 2)
  closeOthers(&actions)
  let all = ProcessInfo.processInfo.environment.merging(environment) { $1 }
  var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
  var variables: [UnsafeMutablePointer<CChar>?] = all.map { strdup("\($0.key)=\($0.value)") } + [nil]
  defer { for text in words + variables { free(text) } }
  var child: pid_t = 0
  let error = posix_spawn(&child, program, &actions, nil, &words, &variables)
  guard error == 0 else { throw TestKafka.Failure("cannot run \(program): \(String(cString: strerror(error)))") }
  return child
}

/// Closes all descriptors of a spawned child but its standard streams.
///
/// Otherwise it would hold open, as long as it lives, what another test has just opened: the end of a pipe that is read until it
/// is closed, or a connection whose end is awaited.
func closeOthers(_ actions: inout posix_spawn_file_actions_t) {
  // In glibc since 2.34. Swift's module of glibc lacks what needs _GNU_SOURCE.
  typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
  guard let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else { return }
  _ = unsafeBitCast(symbol, to: CloseFrom.self)(&actions, 3)
}

/// Returns the first of `count` consecutive free ports on loopback.
private func freePorts(_ count: Int) throws -> Int {
  for _ in 0..<200 {
    // Below the system's range of ports for clients.
    let base = Int.random(in: 12_000...32_000)
    if (base..<base + count).allSatisfy(isFree) { return base }
  }
  throw TestKafka.Failure("no \(count) free ports on loopback")
}

private func isFree(_ port: Int) -> Bool {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  guard descriptor >= 0 else { return false }
  defer { close(descriptor) }
  var reuse: Int32 = 1
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = in_port_t(port).bigEndian
  address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
  return withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
  }
}
