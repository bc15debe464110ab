import ComboService
import ComboSystem
import Foundation
import Glibc
import Testing

@testable import ComboTestSupport

/// The socket of a service manager.
private final class ManagerSocket {
  let path: String
  private let descriptor: Int32
  private var lines: [String] = []

  init(_ folder: SecretFolder) throws {
    path = "\(folder.path)/notify"
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    let bound = withAddress { Glibc.bind(descriptor, $0, $1) }
    guard bound == 0 else { throw TestKafka.Failure("cannot bind \(path): \(String(cString: strerror(errno)))") }
  }

  deinit { close(descriptor) }

  private func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }

  /// Fills the socket until it accepts nothing more.
  func fill() throws {
    // The amount in flight is bounded for each sender too.
    var sent = 1
    while sent > 0 {
      let sender = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
      defer { close(sender) }
      guard withAddress({ connect(sender, $0, $1) }) == 0 else { throw TestKafka.Failure("cannot connect to \(path)") }
      sent = 0
      while send(sender, "fill", 4, Int32(MSG_DONTWAIT)) > 0 { sent += 1 }
    }
  }

  /// Returns all lines received so far.
  func received() -> [String] {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count <= 0 { return lines }
      lines += String(decoding: buffer[..<count], as: UTF8.self).components(separatedBy: "\n")
    }
  }

  func expect(_ line: String) throws { try wait(for: "\(line): \(received())") { received().contains(line) } }
}

@Suite("The word to the service manager")
struct ServiceManagerTests {
  /// The report of a ready service, which a slow test does not make stale.
  private var ready: ServiceReport {
    var report = ServiceReport()
    report.at = MonotonicClock.nowMs + 3_600_000
    report.hasJoined = true
    report.partitions = [.init(number: 0, isRunning: true)]
    return report
  }

  @Test("is ready once, when /health/ready is; alive as long as /health/live is; stopping once")
  func words() {
    var words = ServiceManagerWords(watchdogMs: 30_000)
    #expect(words.tickMs == 1000)
    #expect(
      words.next(nil, lastBeat: 0, at: 0, isStopping: false) == [
        "WATCHDOG=1", "EXTEND_TIMEOUT_USEC=60000000",
        "STATUS=the service has not started: it is waiting for the brokers and its topics",
      ])
    #expect(words.next(nil, lastBeat: 1000, at: 1000, isStopping: false) == ["WATCHDOG=1"])
    #expect(words.next(nil, lastBeat: 15_000, at: 15_000, isStopping: false) == ["WATCHDOG=1", "EXTEND_TIMEOUT_USEC=60000000"])
    var report = ready
    report.at = 20_000
    #expect(
      words.next(report, lastBeat: 20_000, at: 20_000, isStopping: false) == [
        "READY=1", "WATCHDOG=1", "STATUS=ready: 1 partition",
      ])
    #expect(words.next(report, lastBeat: 20_000, at: 21_000, isStopping: false) == ["WATCHDOG=1"])
    // Unreachable brokers are no reason to be ended; a stuck loop is.
    #expect(
      words.next(report, lastBeat: 20_000, at: 30_000, isStopping: false) == [
        "WATCHDOG=1", "STATUS=the service has been waiting for the brokers for 10 s",
      ])
    #expect(words.next(report, lastBeat: 20_000, at: 31_000, isStopping: false) == ["WATCHDOG=1"])
    #expect(
      words.next(report, lastBeat: 20_000, at: 110_000, isStopping: false) == [
        "STATUS=the service loop is stuck: it has not made a turn for 90 s"
      ])
    #expect(words.next(report, lastBeat: 20_000, at: 111_000, isStopping: false) == [])
    #expect(
      words.next(report, lastBeat: 20_000, at: 112_000, isStopping: true) == [
        "STOPPING=1", "WATCHDOG=1", "STATUS=the service is stopping",
      ])
    #expect(words.next(report, lastBeat: 20_000, at: 113_000, isStopping: true) == ["WATCHDOG=1"])
    var silent = ServiceManagerWords(watchdogMs: nil)
    #expect(silent.next(report, lastBeat: 20_000, at: 20_000, isStopping: false) == ["READY=1", "STATUS=ready: 1 partition"])
    #expect(ServiceManagerWords(watchdogMs: 2).tickMs == 1)
  }

  @Test("is sent again until it is accepted")
  func fullSocket() throws {
    let folder = try SecretFolder()
    let socket = try ManagerSocket(folder)
    let observatory = Observatory(stop: StopFlag())
    let manager = try #require(
      ServiceManager(
        environment: { ["NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": "600000"][$0] }, observatory: observatory,
        log: ServiceLog(.error)))
    for (line, change) in [("READY=1", { observatory.publish(ready) }), ("STOPPING=1", { observatory.stop.set() })] {
      try socket.fill()
      change()
      manager.finish()
      try socket.expect(line)
      #expect(socket.received().count { $0 == line } == 1)
    }
    withExtendedLifetime(manager) {}
  }

  @Test("goes to the socket that the environment names, and to nobody if it names none")
  func socket() throws {
    let folder = try SecretFolder()
    let socket = try ManagerSocket(folder)
    let observatory = Observatory(stop: StopFlag())
    func manager(_ environment: [String: String]) -> ServiceManager? {
      ServiceManager(environment: { environment[$0] }, observatory: observatory, log: ServiceLog(.error))
    }
    for none in [
      [:], ["NOTIFY_SOCKET": ""], ["NOTIFY_SOCKET": "relative"], ["NOTIFY_SOCKET": "/" + String(repeating: "x", count: 108)],
      ["NOTIFY_SOCKET": "vsock:2:1234"], ["NOTIFY_SOCKET": "@"],
    ] { #expect(manager(none) == nil) }
    let all = try #require(manager(["NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": "600000", "WATCHDOG_PID": String(getpid())]))
    try socket.expect("WATCHDOG=1")
    #expect(!socket.received().contains("READY=1"))
    observatory.publish(ready)
    try socket.expect("READY=1")
    observatory.stop.set()
    try socket.expect("STOPPING=1")
    withExtendedLifetime(all) {}
  }
}

extension ServiceTests {
  @Suite("The word to the service manager, of the service")
  struct ServiceManagerTests {
    @Test("is sent when the service is ready and when it stops, without HTTP too")
    func whole() throws {
      let folder = try SecretFolder()
      let manager = try ManagerSocket(folder)
      let group = try TestGroup(partitions: 2)
      let service = try ServiceProcess(
        ["run"] + group.arguments(TestGroup.fast), environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "3000000"])
      try manager.expect("READY=1")
      #expect(service.log.count { $0.contains("new: ") } == 2, "\(service.text)")
      try manager.expect("WATCHDOG=1")
      try service.stop()
      #expect(manager.received().contains("STOPPING=1"))
    }
  }
}
