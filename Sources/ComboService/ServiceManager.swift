package import ComboSystem
internal import Glibc
internal import Synchronization

/// Notifies systemd (or another supervisor with its protocol) that the service is ready, alive or stopping, by datagrams of
/// `NAME=value` lines to the socket that `NOTIFY_SOCKET` names.
///
/// libsystemd does the same with one call, but loads four compression and encryption libraries for these few lines, and exists
/// only on Linux with systemd. systemd promises that the protocol is stable.
///
/// Lives until the process ends.
package final class ServiceManager: Sendable {
  private let socket: NotifySocket
  private let observatory: Observatory
  private let words: Mutex<ServiceManagerWords>

  /// - Parameters:
  ///   - environment: Looks up a variable.
  ///   - observatory: The service's reports about itself.
  /// - Returns: nil if `NOTIFY_SOCKET` is not set, or names no socket, which is logged.
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
    let words = ServiceManagerWords(watchdogMs: Self.watchdogMs(environment))
    self.words = Mutex(words)
    _ = WorkThread { [self] in
      while true {
        look()
        MonotonicClock.sleep(ms: Int64(words.tickMs))
      }
    }
  }

  /// Whether a supervisor wants reports, which need an observatory.
  package static func isWanted(_ environment: (String) -> String?) -> Bool { environment("NOTIFY_SOCKET")?.isEmpty == false }

  /// Returns the interval in which the supervisor expects a sign of life, in milliseconds; nil if it expects none from this
  /// process.
  private static func watchdogMs(_ environment: (String) -> String?) -> Int64? {
    if let pid = environment("WATCHDOG_PID"), pid != String(getpid()) { return nil }
    guard let text = environment("WATCHDOG_USEC"), let microseconds = Int64(text), microseconds > 0 else { return nil }
    return max(1, microseconds / 1000)
  }

  /// Sends what is due: a service that stops may be gone before the next tick.
  package func finish() { look() }

  private func look() {
    words.withLock { words in
      var next = words
      let lines = next.next(
        observatory.report, hindrance: observatory.hindrance, lastBeat: observatory.lastBeat, at: MonotonicClock.nowMs,
        isStopping: observatory.stop.isSet)
      // A message that was not accepted is sent again, if it is still true. A service whose READY=1 is lost would be killed when
      // its start times out.
      if lines.isEmpty || socket.send(lines.joined(separator: "\n")) { words = next }
    }
  }
}

/// The messages, and when they are due.
package struct ServiceManagerWords {
  /// The interval of calls of ``next(_:hindrance:lastBeat:at:isStopping:)``, in milliseconds.
  package let tickMs: Int
  private let watchdogMs: Int64?
  private var isReady = false
  private var isStopping = false
  private var said = ""
  private var extendedAt: Int64?

  /// The extension of the time-out. A start (and a stop) may take as long as it shows progress: brokers may be away, and
  /// much may have to be restored.
  private static let extensionMs: Int64 = 60_000

  package init(watchdogMs: Int64?) {
    self.watchdogMs = watchdogMs
    // Three times per interval, so that a late message does no harm.
    tickMs = Int(min(1000, max(1, (watchdogMs ?? 3000) / 3)))
  }

  /// Returns the lines of the next datagram; none if there is no news.
  package mutating func next(
    _ report: ServiceReport?, hindrance: String? = nil, lastBeat: Int64, at now: Int64, isStopping stops: Bool
  ) -> [String] {
    var lines: [String] = []
    let reasonToRestart = Health.reasonToRestart(lastBeat: lastBeat, at: now, isStopping: stops)
    let reasonNotReady = Health.reasonNotReady(report, hindrance: hindrance, at: now, isStopping: stops)
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
    // A status that differs only in its numbers, such as the seconds of waiting, is not sent again.
    let kind = String(status.filter { !$0.isNumber })
    if kind != said {
      said = kind
      lines.append("STATUS=\(status)")
    }
    return lines
  }
}

/// A socket for datagrams: the socket file at a path, or an abstract name after `@`.
struct NotifySocket: Sendable {
  private let descriptor: Int32
  private let name: [UInt8]

  /// Returns nil if the name has neither form.
  init?(_ name: String) {
    var bytes = Array(name.utf8)
    guard bytes.first == UInt8(ascii: "/") || bytes.first == UInt8(ascii: "@"), bytes.count > 1,
      bytes.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path), !bytes.contains(0)
    else { return nil }
    if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
    self.name = bytes
    // Non-blocking, and closed on exec.
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | 0o2000000 | 0o4000, 0)
    if descriptor < 0 { return nil }
  }

  /// Sends a datagram without waiting, though the other end may have to read first.
  /// - Returns: Whether it was accepted.
  func send(_ text: String) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
    let length = socklen_t(MemoryLayout.offset(of: \sockaddr_un.sun_path)! + name.count)
    let bytes = Array(text.utf8)
    return unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, length) >= 0
      }
    }
  }
}
