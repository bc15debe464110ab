internal import CMicroHTTPD
internal import ComboSystem
internal import Glibc

/// libmicrohttpd's callbacks. `MHD_run` calls all of them on the server's thread.
enum HTTPCallbacks {
  static var options: cmhd_options {
    var options = cmhd_options()
    options.connected = { context, connection, _, event in
      guard let server = HTTPCallbacks.server(context), let connection else { return }
      if event == .CONNECTION_NOTIFY_STARTED { server.opened(connection) } else { server.closed(connection) }
    }
    options.request_line = { context, uri, connection in
      guard let uri, let connection else { return nil }
      let target = [UInt8](UnsafeRawBufferPointer(start: uri, count: strlen(uri)))
      // Released when the request is over.
      return Unmanaged.passRetained(HTTPExchange(connection, target: target)).toOpaque()
    }
    // ``HTTPTarget`` parses the target.
    options.unescape = { _, _, text in text.map { strlen($0) } ?? 0 }
    options.access = { context, connection, _, method, _, upload, uploadCount, exchange in
      guard let server = HTTPCallbacks.server(context), let connection, let method, let raw = exchange?.pointee else {
        return .NO
      }
      let exchange = Unmanaged<HTTPExchange>.fromOpaque(raw).takeUnretainedValue()
      if let count = uploadCount?.pointee, count > 0 {
        uploadCount?.pointee = 0
        // The rest of an unwanted body is dropped with the connection.
        if exchange.isPost { server.collect(exchange, UnsafeRawBufferPointer(start: upload, count: count)) }
        if exchange.isPost, case .admitted = exchange.stage { return .YES }
      }
      return server.access(exchange, connection, method: String(cString: method))
    }
    options.completed = { context, _, exchange, _ in
      guard let server = HTTPCallbacks.server(context), let raw = exchange?.pointee else { return }
      exchange?.pointee = nil
      server.ended(Unmanaged<HTTPExchange>.fromOpaque(raw).takeRetainedValue())
    }
    return options
  }

  private static func server(_ context: UnsafeMutableRawPointer?) -> HTTPServer? {
    context?.assumingMemoryBound(to: Unmanaged<HTTPServer>?.self).pointee?.takeUnretainedValue()
  }
}

extension HTTPServer {
  /// Handles a request whose headers have been read, and continues it when its response may be sent.
  fileprivate func access(_ exchange: HTTPExchange, _ connection: OpaquePointer, method: String) -> MHD_Result {
    switch exchange.stage {
    case .new:
      connections[connection]?.awaitedSince = nil
      exchange.isHead = method == "HEAD"
      exchange.acceptsGzip = GzipPieces.isAccepted(Self.headers(connection, "Accept-Encoding"))
      exchange.allowedOrigin = Self.headers(connection, "Origin").first.flatMap { origins.answer(to: $0) }
      // A browser sends a preflight request before a page's own headers go to another origin. It has no token.
      if method == "OPTIONS", exchange.allowedOrigin != nil { return queue(.preflight, exchange, connection) }
      if let refusal = refusal(exchange, connection, method) { return queue(refusal, exchange, connection) }
      // A response before the request's end would close the connection.
      exchange.stage = .admitted
      return .YES
    case .admitted:
      if let response = route(exchange) { return queue(response, exchange, connection) }
      return .YES
    case .waiting:
      return .YES
    case .streaming(let reader):
      return stream(reader, exchange, connection)
    case .responded(let response):
      return queue(response, exchange, connection)
    case .over:
      return .NO
    }
  }

  private func refusal(_ exchange: HTTPExchange, _ connection: OpaquePointer, _ method: String) -> HTTPResponse? {
    let health = "/health/"
    exchange.requestsHealth = exchange.target.starts(with: health.utf8)
    let isRoom = ["/rooms/", "/assets/", "/overlay"].contains { exchange.target.starts(with: $0.utf8) }
    let lengths = Self.headers(connection, "Content-Length")
    let acceptsEvents = gate != nil && exchange.path.elementsEqual("/events".utf8)
    exchange.isPost = method == "POST" && acceptsEvents
    if exchange.isPost {
      let hosts = Self.headers(connection, "Host")
      return accessGuard.refusal(
        method: "GET", hosts: hosts, authorizations: Self.headers(connection, "Authorization"), hasBody: false, isHealth: false)
        ?? refusal(ofBody: lengths, origins: Self.headers(connection, "Origin"), hosts: hosts)
    }
    return accessGuard.refusal(
      method: method, hosts: Self.headers(connection, "Host"), authorizations: Self.headers(connection, "Authorization"),
      hasBody: lengths.contains { $0 != "0" } || !Self.headers(connection, "Transfer-Encoding").isEmpty,
      isHealth: exchange.requestsHealth, isRoom: isRoom, acceptsEvents: acceptsEvents)
  }

  static func headers(_ connection: OpaquePointer, _ name: String) -> [String] {
    final class Found {
      let name: String
      var values: [String] = []
      init(_ name: String) { self.name = name }
    }
    let found = Found(name)
    MHD_get_connection_values_n(
      connection, .HEADER_KIND,
      { context, _, key, keyCount, value, valueCount in
        let found = Unmanaged<Found>.fromOpaque(context!).takeUnretainedValue()
        guard let key, keyCount == found.name.utf8.count, strncasecmp(key, found.name, keyCount) == 0 else { return .YES }
        let bytes = UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueCount)
        found.values.append(String(decoding: bytes, as: UTF8.self))
        return .YES
      }, Unmanaged.passUnretained(found).toOpaque())
    return found.values
  }

  private func queue(_ response: HTTPResponse, _ exchange: HTTPExchange, _ connection: OpaquePointer) -> MHD_Result {
    exchange.stage = .over
    // A 503 is the result of a health check, not an error of the server.
    if !exchange.requestsHealth { counts.count(response.status) }
    let compresses = exchange.acceptsGzip && response.isWorthCompressing
    var body = compresses ? response.gzipped ?? gzip.whole(response.body) : response.body
    guard
      let made = body.withUnsafeMutableBytes({
        MHD_create_response_from_buffer($0.count, $0.baseAddress, .RESPMEM_MUST_COPY)
      })
    else { return .NO }
    defer { MHD_destroy_response(made) }
    MHD_add_response_header(made, "Content-Type", response.contentType)
    let fixed =
      response.allowsInlineStyles ? HTTPResponse.fixedHeaders(allowsInlineStyles: true) : HTTPResponse.standardHeaders
    for (name, value) in fixed + response.headers { MHD_add_response_header(made, name, value) }
    if response.isWorthCompressing { MHD_add_response_header(made, "Vary", "Accept-Encoding") }
    if compresses { MHD_add_response_header(made, "Content-Encoding", "gzip") }
    allow(exchange, made)
    if connections.count > keptOpen { MHD_add_response_header(made, "Connection", "close") }
    return MHD_queue_response(connection, response.status, made)
  }

  private func stream(_ reader: EventReader, _ exchange: HTTPExchange, _ connection: OpaquePointer) -> MHD_Result {
    exchange.stage = .over
    counts.count(200)
    // Events for slow readers should wait in their feed, once for all, rather than in the kernel for each.
    var bytes: Int32 = 64 << 10
    setsockopt(cmhd_socket(connection), SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
    let retained = Unmanaged.passRetained(exchange)
    let made = MHD_create_response_from_callback(
      .max, 4096,
      { context, _, buffer, size in
        let exchange = Unmanaged<HTTPExchange>.fromOpaque(context!).takeUnretainedValue()
        guard let buffer, let reader = exchange.reader else { return -2 }
        let room = UnsafeMutableRawBufferPointer(start: buffer, count: size)
        switch reader.write(to: room, at: MonotonicClock.nowMs) {
        case .wrote(let count): return count
        case .ended: return -1
        case .gone: return -2
        case .wait:
          reader.isSuspended = true
          MHD_suspend_connection(exchange.connection)
          return 0
        }
      }, retained.toOpaque(), { Unmanaged<HTTPExchange>.fromOpaque($0!).release() })
    guard let made else {
      retained.release()
      return .NO
    }
    defer { MHD_destroy_response(made) }
    MHD_add_response_header(made, "Content-Type", "text/event-stream; charset=utf-8")
    MHD_add_response_header(made, "Cache-Control", "no-store")
    MHD_add_response_header(made, "Vary", "Accept-Encoding")
    if reader.isCompressed { MHD_add_response_header(made, "Content-Encoding", "gzip") }
    // Proxies that buffer a response would delay events.
    MHD_add_response_header(made, "X-Accel-Buffering", "no")
    for (name, value) in HTTPResponse.standardHeaders { MHD_add_response_header(made, name, value) }
    allow(exchange, made)
    return MHD_queue_response(connection, 200, made)
  }

  private func allow(_ exchange: HTTPExchange, _ response: OpaquePointer) {
    if origins == .none { return }
    MHD_add_response_header(response, "Vary", "Origin")
    guard let origin = exchange.allowedOrigin else { return }
    MHD_add_response_header(response, "Access-Control-Allow-Origin", origin)
  }
}
