internal import ComboService
internal import ComboSystem
internal import ComboWire

/// The parameters of a list of rooms.
struct SurveyKey: Hashable {
  var prefix: [UInt8]
  var limit: Int
  var order: RoomOrder
}

/// A list of rooms, complete or in progress, shared by all requests with the same parameters.
struct Survey {
  /// The time of its request or its arrival.
  var at: Int64
  var lines: [RoomLine]?
  var exchanges: [HTTPExchange] = []
}

extension HTTPServer {
  /// Returns the immediate response, or nil if the exchange now waits or has a reader.
  func route(_ exchange: HTTPExchange) -> HTTPResponse? {
    guard let target = HTTPTarget(exchange.target) else {
      return .error(400, "the address is malformed: it must begin with a slash, and two hexadecimal digits must follow each %")
    }
    // A room's name is any UTF-8; all other pieces are fixed words.
    if target.path.count >= 2, target.path[0].elementsEqual("rooms".utf8) { return routeRoom(target, exchange) }
    guard let words = target.words else { return notFound }
    let now = MonotonicClock.nowMs
    switch words {
    case ["events"]: return exchange.isPost ? post(target, exchange) : routeAll(exchange)
    case []: return page("index.html", exchange)
    case ["service"]: return page("service.html", exchange)
    case ["overlay"]:
      var response = page("overlay.html", exchange)
      response.allowsInlineStyles = true
      return response
    case ["health", "live"]:
      return health { Health.reasonToRestart(lastBeat: $0.lastBeat, at: now, isStopping: $0.stop.isSet) }
    case ["health", "ready"]:
      return health { Health.reasonNotReady($0.report, hindrance: $0.hindrance, at: now, isStopping: $0.stop.isSet) }
    case ["metrics"]:
      let text = MetricsPage.text(
        services(), http: counts, connections: connections.count, readers: readers.count, at: now)
      return HTTPResponse(
        200, "text/plain; version=0.0.4; charset=utf-8", text.array, [("Cache-Control", "no-store")])
    case ["rooms"]: return routeRooms(target, exchange, now)
    case ["service", "data"]:
      return .json(ServiceData.service(observatory, identity, wall: WallClock.nowMs, monotonic: now))
    default:
      if words.first == "assets" { return page(words.dropFirst().joined(separator: "/"), exchange) }
      return notFound
    }
  }

  var notFound: HTTPResponse {
    HTTPResponse.error(
      404,
      "there is no such path: see /, /service, /overlay, /rooms, \(gate == nil ? "" : "/events, ")/service/data, /metrics, /health/live and"
        + " /health/ready")
  }

  private func health(_ reason: (Observatory) -> String?) -> HTTPResponse {
    let fault = ServedService.reasons(of: services(), reason)
    return .text(fault == nil ? 200 : 503, fault ?? "ok")
  }

  private func page(_ name: String, _ exchange: HTTPExchange) -> HTTPResponse {
    guard let page = EmbeddedPage.all[name] else { return notFound }
    // The two forms of a page have different bytes, and therefore different tags.
    let tags = [page.tag, page.gzipTag]
    let isCompressed = exchange.acceptsGzip && page.bytes.count >= 1024
    let headers = [("Cache-Control", "no-cache"), ("ETag", isCompressed ? page.gzipTag : page.tag)]
    if Self.headers(exchange.connection, "If-None-Match").contains(where: tags.contains) {
      return HTTPResponse(304, page.contentType, [], headers + [("Vary", "Accept-Encoding")])
    }
    var response = HTTPResponse(200, page.contentType, [UInt8](page.bytes), headers)
    if isCompressed {
      let compressed = compressedPages[name] ?? gzip.whole(response.body)
      compressedPages[name] = compressed
      response.gzipped = compressed
    }
    return response
  }

  // MARK: - Rooms

  private static let roomsMax = 1000
  private static let busy = HTTPResponse.error(503, "too many requests at once: try again", [("Retry-After", "2")])

  private func routeRooms(_ target: HTTPTarget, _ exchange: HTTPExchange, _ now: Int64) -> HTTPResponse? {
    var limit = 50
    if let text = target.value("limit") {
      guard let number = Int(String(decoding: text, as: UTF8.self)), (1...Self.roomsMax).contains(number) else {
        return .error(400, "limit must be a whole number from 1 to \(Self.roomsMax)")
      }
      limit = number
    }
    var order = RoomOrder.rate
    if let text = target.value("sort") {
      guard let named = RoomOrder(rawValue: String(decoding: text, as: UTF8.self)) else {
        return .error(400, "sort must be \(RoomOrder.allCases.map(\.rawValue).joined(separator: " or "))")
      }
      order = named
    }
    let prefix = target.value("prefix") ?? []
    guard prefix.count <= 256 else { return .error(400, "prefix is longer than the 256 bytes that a room's id can have") }
    if observatory.report == nil {
      return .error(503, "the service has not started: it is waiting for the brokers and its topics", [("Retry-After", "2")])
    }
    if order != .rate, observatory.report?.knowsWaits == false {
      return .error(
        400, "this instance only reads instructions and does not know which banners wait: sort by rate, or ask the service")
    }
    let key = SurveyKey(prefix: prefix, limit: limit, order: order)
    if let lines = surveys[key]?.lines, now - surveys[key]!.at <= surveyMs {
      return .json(ServiceData.rooms(lines, wall: WallClock.nowMs))
    }
    // A late list is requested again, also for those that still wait, because the service drops late requests.
    let isOnItsWay = surveys[key].map { $0.lines == nil && now - $0.at < responseMs } ?? false
    if !isOnItsWay {
      let (id, until) = (nextQuery, MonotonicClock.nowMs + responseMs)
      guard surveys.values.count(where: { $0.lines == nil }) < Limits.surveys,
        observatory.ask(.survey(prefix: prefix, limit: limit, order: order, id: id, until: until))
      else { return Self.busy }
      nextQuery += 1
      surveys[key] = Survey(at: now, exchanges: surveys[key]?.exchanges ?? [])
      surveyKeys[id] = key
    }
    surveys[key]!.exchanges.append(exchange)
    wait(exchange)
    return nil
  }

  private func routeRoom(_ target: HTTPTarget, _ exchange: HTTPExchange) -> HTTPResponse? {
    let room = target.path[1]
    let isStream = target.path.count == 3 && target.path[2].elementsEqual("events".utf8)
    guard target.path.count == 2 || isStream else { return notFound }
    // With several inputs, a room's id begins with the name of its input.
    let inputs = services().map(\.identity.input)
    let longest = inputs.count > 1 ? 512 : 256
    guard (1...longest).contains(room.count), String(validating: room, as: UTF8.self) != nil else {
      return .error(400, "a room's id must be 1 to \(longest) bytes of UTF-8, percent-encoded")
    }
    if inputs.count > 1, !inputs.contains(where: { room.starts(with: Derivation.roomPrefix(of: $0).utf8) }) {
      return .error(404, "this process has several inputs, so a room is INPUT:ROOM; it has no input of that name")
    }
    if observatory.report == nil {
      return .error(503, "the service has not started: it is waiting for the brokers and its topics", [("Retry-After", "2")])
    }
    if isStream, !exchange.isHead {
      if isClosing { return .error(503, "the service is stopping") }
      // Requests that wait for their first screen will become readers, too.
      let readersSoonMax = readers.count + waiting.count
      guard readersSoonMax < readersMax || readers.count + waiting.values.count(where: \.streams) < readersMax else {
        return .error(
          503, "\(readersMax) clients already read events, which is the maximum: try again later", [("Retry-After", "10")])
      }
    }
    let watches = isStream && !exchange.isHead
    // `EventSource` sends it in a header. A page of another origin that uses `fetch` may use the query, which avoids a preflight.
    let last =
      Self.headers(exchange.connection, "Last-Event-ID").first
      ?? target.value("last_event_id").map { String(decoding: $0, as: UTF8.self) }
    if watches, let last, let id = EventID(last), resume(exchange, room, after: id) { return nil }
    let isAccepted = wait(exchange) { .screen(room: room, id: $0, watches: watches, until: $1) }
    if !isAccepted { return Self.busy }
    exchange.streams = isStream
    exchange.watchedRoom = watches ? room : nil
    return nil
  }
}
