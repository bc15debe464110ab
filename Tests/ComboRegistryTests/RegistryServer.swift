import Glibc
import Synchronization

/// An HTTP server on a free port, which answers each request with the bytes that a test gives it.
final class RegistryServer: Sendable {
  /// A request's path, and its header lines.
  struct Request: Sendable {
    let path: String
    let headers: [String]
  }

  private let socket: Int32
  let port: UInt16
  private let answers: @Sendable (Request) -> String?
  private let seen = Mutex<[Request]>([])

  var requests: [Request] { seen.withLock { $0 } }
  var url: String { "http://127.0.0.1:\(port)" }

  /// - Parameter answers: Returns the answer to a request, or nil to send nothing and leave the connection open.
  init(_ answers: @escaping @Sendable (Request) -> String?) {
    self.answers = answers
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.socket = socket
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    port = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        precondition(bind(socket, address, length) == 0 && listen(socket, 16) == 0)
        getsockname(socket, address, &length)
      }
      return UInt16(bigEndian: address.pointee.sin_port)
    }
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { context in
        Unmanaged<RegistryServer>.fromOpaque(context!).takeRetainedValue().serve()
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    pthread_detach(thread)
  }

  func end() { shutdown(socket, Int32(SHUT_RDWR)) }

  static func answer(_ status: String, _ body: String, headers: [String] = []) -> String {
    let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)", "Connection: close"] + headers
    return lines.map { $0 + "\r\n" }.joined() + "\r\n" + body
  }

  private func serve() {
    var open: [Int32] = []
    defer { for one in open + [socket] { close(one) } }
    while true {
      let connection = accept(socket, nil, nil)
      if connection < 0 { return }
      open.append(connection)
      guard let request = read(connection) else { continue }
      seen.withLock { $0.append(request) }
      guard let answer = answers(request) else { continue }
      var rest = Array(answer.utf8)[...]
      while !rest.isEmpty {
        // The client may have gone.
        let sent = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if sent <= 0 { break }
        rest = rest.dropFirst(sent)
      }
      shutdown(connection, Int32(SHUT_WR))
    }
  }

  private func read(_ connection: Int32) -> Request? {
    var text = ""
    while !text.contains("\r\n\r\n") {
      var bytes = [UInt8](repeating: 0, count: 4096)
      let got = recv(connection, &bytes, bytes.count, 0)
      if got <= 0 { return nil }
      text += String(decoding: bytes[..<got], as: UTF8.self)
    }
    let lines = text.split(separator: "\r\n").map(String.init)
    return Request(path: String(lines[0].split(separator: " ")[1]), headers: Array(lines.dropFirst()))
  }
}
