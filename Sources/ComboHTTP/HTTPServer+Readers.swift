internal import CMicroHTTPD
internal import ComboService
internal import ComboSystem
internal import Glibc

/// Processes news of the loop for its readers.
extension HTTPServer {
  /// The query number for watching a room again, without a waiting caller.
  private static let rewatch = UInt64.max

  func process(_ news: News, at now: Int64) {
    switch news {
    case .said(let room, let record):
      guard let feed = feeds[room] else { return }
      feed.add(StreamText.event("instruction", record), id: StreamText.id(of: record), at: now, bytesMax: feedBytesMax)
      feed.isDue = true
    case .screen(let id, let room, let record):
      let response = HTTPResponse(200, HTTPResponse.json, record, [("Cache-Control", "no-store")])
      show(StreamText.event("screen", record), StreamText.id(of: record), or: response, to: id, room, at: now)
    case .asleep(let id, let room):
      let screen = ServiceData.emptyScreen(room, settingsJSON: observatory.report?.told ?? "", wall: WallClock.nowMs)
      let response = HTTPResponse.error(404, "the room is not awake here: it has had no gifts recently")
      show(StreamText.event("screen", screen), nil, or: response, to: id, room, at: now)
    case .unknown(let id, let room):
      let sentence = "the room's screen is not known before its next `screen`"
      show(StreamText.alive, nil, or: .error(503, sentence, [("Retry-After", "2")]), to: id, room, at: now)
    case .elsewhere(let id, let room):
      if let exchange = removeWaiting(id) {
        let advice = "ask that instance, or `combo-consumer serve`, which has all rooms"
        finish(exchange, .error(404, "the room's partition belongs to another instance: \(advice)"))
      } else if let feed = feeds[room] {
        end(feed, with: StreamText.moved)
      }
    case .notYet(let id, let room):
      if let exchange = removeWaiting(id) {
        finish(exchange, .error(503, "the service has not joined its group yet", [("Retry-After", "2")]))
      } else {
        feeds[room]?.needsWatch = true
      }
    case .survey(let id, let lines): finishSurvey(id, lines, at: now)
    case .restarted:
      for feed in feeds.values { feed.needsWatch = true }
    case .overrun:
      for feed in feeds.values where !feed.room.isEmpty { end(feed, with: StreamText.overrun) }
    }
  }

  private func removeWaiting(_ id: UInt64) -> HTTPExchange? { waiting.removeValue(forKey: id) }

  /// The maximum size of one feed, in bytes; it is reduced while all feeds together are large.
  private var feedBytesMax: Int {
    feeds.count * EventFeed.bytesMax <= Limits.feedBytes ? EventFeed.bytesMax : max(16 << 10, Limits.feedBytes / feeds.count)
  }

  /// - Parameters:
  ///   - event: The screen, or a comment if it is unknown.
  ///   - position: Its position, or nil if it has none.
  ///   - response: The response to a request that does not stream.
  private func show(
    _ event: [UInt8], _ position: EventID?, or response: HTTPResponse, to id: UInt64, _ room: [UInt8], at now: Int64
  ) {
    if let exchange = removeWaiting(id) {
      if !exchange.streams { return finish(exchange, response) }
      return begin(exchange, room, event, id: position, at: now)
    }
    guard id == 0 || id == Self.rewatch, let feed = feeds[room] else { return unwatchIfUnread(room) }
    feed.setPosition(position)
    for reader in feed.readers.values { reader.begin(event) }
    feed.isDue = true
  }

  func begin(_ exchange: HTTPExchange, _ room: [UInt8], _ screen: [UInt8], id: EventID?, at now: Int64) {
    if exchange.isHead {
      return finish(exchange, HTTPResponse(200, "text/event-stream; charset=utf-8", [], [("Cache-Control", "no-store")]))
    }
    let feed = feeds[room] ?? EventFeed(room)
    feeds[room] = feed
    if feed.readers.isEmpty { feed.setPosition(id) }
    add(EventReader(feed, screen: screen, gzip: exchange.acceptsGzip ? gzip : nil, at: now), exchange)
    MHD_resume_connection(exchange.connection)
  }

  /// Resumes a reader that was connected a moment ago. Returns false if the missed events are gone.
  func resume(_ exchange: HTTPExchange, _ room: [UInt8], after id: EventID) -> Bool {
    guard let feed = feeds[room], !feed.needsWatch, let place = feed.place(after: id) else { return false }
    counts.readersResumed += 1
    // A comment confirms the connection at once.
    let (gzip, now) = (exchange.acceptsGzip ? gzip : nil, MonotonicClock.nowMs)
    add(EventReader(feed, screen: StreamText.alive, from: place, gzip: gzip, at: now), exchange)
    return true
  }

  private func add(_ reader: EventReader, _ exchange: HTTPExchange) {
    reader.feed.readers[ObjectIdentifier(reader)] = reader
    reader.feed.unreadSince = nil
    readers[ObjectIdentifier(reader)] = (reader, exchange.connection)
    counts.readersBegun += 1
    exchange.reader = reader
    exchange.stage = .streaming(reader)
    if isClosing { reader.end(with: StreamText.stopping) }
  }

  /// Stops watching a room after its last reader has left, or if a query's response arrives after its caller has left.
  ///
  /// Does nothing while an exchange waits for the room: the loop may have responded to it already, and would process this request
  /// later. If that exchange also leaves, its response arrives here.
  private func unwatchIfUnread(_ room: [UInt8]) {
    // All rooms together are not watched: their instructions are read from the log.
    if room.isEmpty { return }
    if feeds[room] != nil || waiting.values.contains(where: { $0.watchedRoom == room }) { return }
    _ = observatory.ask(.unwatch(room: room))
  }

  private func finishSurvey(_ id: UInt64, _ lines: [RoomLine], at now: Int64) {
    guard let key = surveyKeys.removeValue(forKey: id), let survey = surveys[key] else { return }
    surveys[key] = Survey(at: now, lines: lines)
    if survey.exchanges.isEmpty { return }
    let response = HTTPResponse.json(ServiceData.rooms(lines, wall: WallClock.nowMs))
    for exchange in survey.exchanges where removeWaiting(exchange.query) != nil { finish(exchange, response) }
  }

  // MARK: - Readers

  func wake(_ reader: EventReader) {
    guard reader.isSuspended, let connection = readers[ObjectIdentifier(reader)]?.connection else { return }
    reader.isSuspended = false
    MHD_resume_connection(connection)
  }

  private func end(_ feed: EventFeed, with event: [UInt8]) {
    // Later events of this feed do not follow those that its readers have, so no reader may resume in it.
    feed.setPosition(nil)
    for reader in feed.readers.values {
      reader.end(with: event)
      wake(reader)
    }
  }

  /// Wakes the readers that have something to receive, less often where there are many.
  func serveFeeds(_ now: Int64) {
    for feed in feeds.values where feed.isDue && now >= feed.nextRound {
      feed.isDue = false
      feed.nextRound = now + roundMs(feed.readers.count)
      for reader in feed.readers.values where reader.isSuspended && reader.hasMore { wake(reader) }
    }
  }

  /// The interval of a room's rounds for this many readers. The number of all readers also counts.
  private func roundMs(_ count: Int) -> Int64 {
    max(
      Int64(count) * Limits.roundMicrosecondsPerReader,
      min(Limits.roundMicrosecondsMax, Int64(readers.count) * Limits.roundMicrosecondsPerReaderOfAll)) / 1000
  }

  /// Removes old events and unread feeds, sends comments to idle readers, and detects disconnected ones. Called once per second.
  func tickReaders(_ now: Int64) {
    for feed in feeds.values {
      feed.removeRead(before: now - resumeMs)
      if let since = feed.unreadSince, now - since > resumeMs, feed.readers.isEmpty {
        feeds[feed.room] = nil
        // News of all rooms are no longer needed.
        if feed.room.isEmpty { gate?.onNews(nil) }
        unwatchIfUnread(feed.room)
        continue
      }
      if feed.needsWatch, !feed.room.isEmpty, observatory.ask(.screen(room: feed.room, id: Self.rewatch, watches: true)) {
        feed.needsWatch = false
      }
    }
    if readers.isEmpty { return }
    let suspended = readers.values.filter(\.reader.isSuspended)
    // POLLRDHUP: the client has closed its side, which a live reader never does.
    var descriptors = suspended.map { pollfd(fd: cmhd_socket($0.connection), events: 0x2000, revents: 0) }
    _ = poll(&descriptors, nfds_t(descriptors.count), 0)
    for (index, (reader, _)) in suspended.enumerated() {
      if descriptors[index].revents != 0 {
        reader.isDisconnected = true
        wake(reader)
      } else if now - reader.sentAt >= Limits.aliveMs {
        reader.comment()
        wake(reader)
      }
    }
  }

  /// Removes the reader of a stream that is over.
  func remove(_ reader: EventReader) {
    let id = ObjectIdentifier(reader)
    guard readers.removeValue(forKey: id) != nil else { return }
    if reader.wasTooSlow { counts.readersDropped += 1 }
    reader.feed.readers[id] = nil
    if reader.feed.readers.isEmpty, feeds[reader.feed.room] === reader.feed {
      // The reader may reconnect in a moment.
      reader.feed.unreadSince = MonotonicClock.nowMs
    }
  }
}
