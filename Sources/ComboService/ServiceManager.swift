package import ComboSystem
internal import Dispatch
internal import Glibc

/// Notifies systemd (or another supervisor with its protocol) that the service is ready, alive, or stopping: a datagram of
/// `NAME=value` lines to the socket that `NOTIFY_SOCKET` names.
///
/// libsystemd does the same with one call, but brings four compression and encryption libraries into the process for these few
/// lines, and is on no machine but Linux with systemd; the protocol is stable by systemd's own promise.
///
/// Lives until the process ends. Does nothing without a listener.
package final class ServiceManager: @unchecked Sendable {
  // The proof: after `init`, only the timer's queue uses what changes.
  private let queue = DispatchQueue(label: "service-manager")
  private let timer: any DispatchSourceTimer
  private let socket: NotifySocket
  private let observatory: Observatory
  private var words: ServiceManagerWords

  /// - Parameters:
  ///   - environment: looks up a variable.
  ///   - observatory: the service's reports about itself.
  /// - Returns: nil if there is no listener.
  package init?(environment: (String) -> String?, observatory: Observatory, log: ServiceLog) {
    guard let name = environment("NOTIFY_SOCKET"), !name.isEmpty else { return nil }
    guard let socket = NotifySocket(name) else {
      log.warning(
        "NOTIFY_SOCKET is \(.text, Sentence.quoted(name)), which is not a socket of this machine: systemd is not notified that the service is ready"
      )
      return nil
    }
    self.socket = socket
    self.observatory = observatory
    words = ServiceManagerWords(watchdogMs: Self.watchdogMs(environment))
    timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler { [self] in look() }
    timer.schedule(deadline: .now(), repeating: .milliseconds(words.tickMs), leeway: .milliseconds(words.tickMs / 10))
    timer.resume()
  }

  /// Whether a supervisor wants reports: then an observatory is needed.
  package static func isWanted(_ environment: (String) -> String?) -> Bool { environment("NOTIFY_SOCKET")?.isEmpty == false }

  /// How often it wants to hear that the service lives; nil: never. Meant for this process, if it is meant for one.
  private static func watchdogMs(_ environment: (String) -> String?) -> Int64? {
    if let pid = environment("WATCHDOG_PID"), pid != String(getpid()) { return nil }
    guard let text = environment("WATCHDOG_USEC"), let microseconds = Int64(text), microseconds > 0 else { return nil }
    return max(1, microseconds / 1000)
  }

  /// Sends what is due: a service that stops may be gone before it would be asked again.
  package func finish() { queue.sync { look() } }

  private func look() {
    var next = words
    let lines = next.next(
      observatory.report, lastBeat: observatory.lastBeat, at: MonotonicClock.nowMs, isStopping: observatory.stop.isSet)
    // A message that is not taken is sent again, if it is still true. A service whose READY=1 is lost would be
    // ended when its time to start is over.
    if lines.isEmpty || socket.send(lines.joined(separator: "\n")) { words = next }
  }
}

/// The messages and their times.
package struct ServiceManagerWords {
  /// It is asked so often.
  package let tickMs: Int
  private let watchdogMs: Int64?
  private var isReady = false
  private var isStopping = false
  private var said = ""
  private var extendedAt: Int64?

  /// A start (and a stop) may take as long as it shows progress: brokers may be away, and much may have to be restored.
  private static let extensionMs: Int64 = 60_000

  package init(watchdogMs: Int64?) {
    self.watchdogMs = watchdogMs
    // Thrice in its time, so that one that comes late is no harm.
    tickMs = Int(min(1000, max(1, (watchdogMs ?? 3000) / 3)))
  }

  /// The lines of the next datagram; none if there is no news.
  package mutating func next(_ report: ServiceReport?, lastBeat: Int64, at now: Int64, isStopping stops: Bool) -> [String] {
    var lines: [String] = []
    let reasonToRestart = Health.reasonToRestart(lastBeat: lastBeat, at: now, isStopping: stops)
    let reasonNotReady = Health.reasonNotReady(report, at: now, isStopping: stops)
    if stops, !isStopping {
      isStopping = true
      lines.append("STOPPING=1")
    }
    if reasonNotReady == nil, !isReady {
      isReady = true
      lines.append("READY=1")
    }
    // The same health as /health/live: without this message systemd restarts the process.
    if watchdogMs != nil, reasonToRestart == nil { lines.append("WATCHDOG=1") }
    if !isReady, !stops, reasonToRestart == nil, extendedAt.map({ now - $0 >= Self.extensionMs / 4 }) ?? true {
      extendedAt = now
      lines.append("EXTEND_TIMEOUT_USEC=\(Self.extensionMs * 1000)")
    }
    let status = reasonToRestart ?? reasonNotReady ?? "ready: \(Counted.text(report?.partitions.count ?? 0, "partitions"))"
    // Not each second that it waits.
    let kind = String(status.filter { !$0.isNumber })
    if kind != said {
      said = kind
      lines.append("STATUS=\(status)")
    }
    return lines
  }
}

/// Where datagrams go; the socket file of a path, or an abstract name after `@`.
struct NotifySocket: Sendable {
  private let descriptor: Int32
  private let name: [UInt8]

  /// nil: it is no such name.
  init?(_ name: String) {
    var bytes = Array(name.utf8)
    guard bytes.first == UInt8(ascii: "/") || bytes.first == UInt8(ascii: "@"), bytes.count > 1,
      bytes.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path), !bytes.contains(0)
    else { return nil }
    if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
    self.name = bytes
    // Never waits, and is not handed on.
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | 0o2000000 | 0o4000, 0)
    if descriptor < 0 { return nil }
  }

  /// Never waits, though the other end may have to read first.
  /// - Returns: whether it was taken.
  func send(_ text: String) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let length = socklen_t(MemoryLayout.offset(of: \sockaddr_un.sun_path)! + name.count)
    let bytes = Array(text.utf8)
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, length) >= 0
      }
    }
  }
}
