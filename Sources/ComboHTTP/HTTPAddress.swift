internal import Glibc

/// The address on which the HTTP server listens: an address of this machine, and a port.
package struct HTTPAddress: Equatable, Sendable {
  /// The host as in a URL, without brackets; `*` for all addresses of this machine.
  package let host: String
  /// The port; 0 for any free one.
  package let port: UInt16
  let isIPv6: Bool

  package static let standard = HTTPAddress(host: "127.0.0.1", port: 8080, isIPv6: false)

  /// Returns this address with another port.
  package func with(port: UInt16) -> HTTPAddress { HTTPAddress(host: host, port: port, isIPv6: isIPv6) }

  /// Whether only this machine can reach it.
  package var isLoopback: Bool { Self.isLoopback(host) }

  /// Whether a numeric address is a loopback address.
  package static func isLoopback(_ host: String) -> Bool {
    var four = in_addr()
    if inet_pton(AF_INET, host, &four) == 1 { return UInt32(bigEndian: four.s_addr) >> 24 == 127 }
    var six = in6_addr()
    guard inet_pton(AF_INET6, host, &six) == 1 else { return false }
    return withUnsafeBytes(of: six) { bytes in bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1 }
  }

  /// The address in the form of a URL.
  package var text: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
  package var url: String { "http://\(text)/" }
}

/// The reason why the server cannot listen, in a sentence.
package struct HTTPFault: Error, Equatable, Sendable, CustomStringConvertible {
  package let description: String
  /// Whether another program uses the port.
  var isPortTaken = false
}

extension HTTPAddress {
  /// Parses `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080` or `*:8080`, or returns nil for any other form.
  package init?(_ text: String) {
    guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
    let digits = text[text.utf8.index(after: colon)...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else { return nil }
    var host = String(text[..<colon])
    if host == "localhost" { host = "127.0.0.1" }
    let (isAny, isIPv6) = (host == "*", host.hasPrefix("[") && host.hasSuffix("]"))
    if isIPv6 { host = String(host.dropFirst().dropLast()) }
    // It has room for an address of either family.
    var address = in6_addr()
    guard isAny || inet_pton(isIPv6 ? AF_INET6 : AF_INET, host, &address) == 1 else { return nil }
    self.init(host: host, port: port, isIPv6: isIPv6)
  }

  /// Opens a non-blocking socket that listens on this address.
  /// - Returns: The socket and its numeric address with the actual port.
  func listen() throws(HTTPFault) -> (socket: Int32, address: HTTPAddress) {
    if host != "*" { return try listenHere() }
    // The IPv6 socket also accepts IPv4 connections.
    return try Self.listen(atFirstOf: [
      HTTPAddress(host: "::", port: port, isIPv6: true), HTTPAddress(host: "0.0.0.0", port: port, isIPv6: false),
    ])
  }

  /// Listens on the first address that this machine has. If another program uses its port, throws at once to report the conflict.
  /// - Parameter addresses: At least one numeric address.
  static func listen(atFirstOf addresses: [HTTPAddress]) throws(HTTPFault) -> (socket: Int32, address: HTTPAddress) {
    for address in addresses.dropLast() {
      do throws(HTTPFault) {
        return try address.listenHere()
      } catch {
        if error.isPortTaken { throw error }
      }
    }
    return try addresses.last!.listenHere()
  }

  private func listenHere() throws(HTTPFault) -> (socket: Int32, address: HTTPAddress) {
    let family = isIPv6 ? AF_INET6 : AF_INET
    let descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | 0o2000000 | 0o4000, 0)
    guard descriptor >= 0 else { throw fault("open a socket", errno) }
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    // Does not depend on net.ipv6.bindv6only.
    var no: Int32 = 0
    if host == "::" { setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &no, socklen_t(MemoryLayout<Int32>.size)) }
    let bound = withSocketAddress { Glibc.bind(descriptor, $0, $1) }
    guard bound == 0, Glibc.listen(descriptor, 512) == 0 else {
      let error = errno
      close(descriptor)
      throw fault("listen on \(text)", error)
    }
    return (descriptor, with(port: Self.port(of: descriptor) ?? port))
  }

  private func withSocketAddress<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
    if isIPv6 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      inet_pton(AF_INET6, host, &address.sin6_addr)
      return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in6>.size)) }
      }
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    inet_pton(AF_INET, host, &address.sin_addr)
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }

  private static func port(of descriptor: Int32) -> UInt16? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { storage in
      let got = storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
      guard got == 0 else { return nil }
      // The port is at the same position in both families.
      return storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { UInt16(bigEndian: $0.pointee.sin_port) }
    }
  }

  private func fault(_ what: String, _ error: Int32) -> HTTPFault {
    let fix =
      switch error {
      case EADDRINUSE:
        "another program (or another instance) uses that port. Give another one with --http \(isIPv6 ? "[\(host)]" : host):PORT,"
          + " or turn HTTP off with --http none (not in serve, which only serves HTTP)"
      case EACCES:
        "ports below 1024 need a special permission (CAP_NET_BIND_SERVICE). Give another one with --http, such as \(with(port: 8080).text)"
      case EADDRNOTAVAIL:
        "this machine does not have that address. Give one of its addresses with --http, or *:\(port) for all of them"
      default: String(cString: strerror(error))
      }
    return HTTPFault(description: "cannot \(what): \(fix)", isPortTaken: error == EADDRINUSE)
  }
}
