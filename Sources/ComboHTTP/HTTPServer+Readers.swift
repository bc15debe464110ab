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
      show(StreamText.event("screen", record), record, to: id, room, at: now)
    case .asleep(let id, let room):
      if let exchange = removeWaiting(id) {
        if exchange.streams {
          begin(exchange, room, StreamText.event("screen", emptyScreen(room)), id: nil, at: now)
        } else {
          finish(exchange, .error(404, "the room is not awake here: it has had no gifts recently"))
        }
      } else {
        let record = emptyScreen(room)
        show(StreamText.event("screen", record), record, to: id, room, at: now)
      }
    case .unknown(let id, let room):
      guard let exchange = removeWaiting(id) else { return show(StreamText.alive, nil, to: id, room, at: now) }
      if exchange.streams {
        begin(exchange, room, StreamText.alive, id: nil, at: now)
      } else {
        finish(exchange, .error(503, "the room's screen is not known before its next `screen`", [("Retry-After", "2")]))
      }
    case .elsewhere(let id, let room):
      if let exchange = removeWaiting(id) {
        finish(exchange, .error(404, elsewhere))
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

  private func emptyScreen(_ room: [UInt8]) -> [UInt8] {
    ServiceData.emptyScreen(room, settingsJSON: observatory.report?.told ?? "", wall: WallClock.nowMs)
  }

  private var elsewhere: String {
    "the room's partition belongs to another instance: ask that instance, or `combo-consumer serve`, which has all rooms"
  }

  private func removeWaiting(_ id: UInt64) -> HTTPExchange? { waiting.removeValue(forKey: id) }

  /// The maximum size of one feed, in bytes; it is reduced while all feeds together are large.
  private var feedBytesMax: Int {
    feeds.count * EventFeed.bytesMax <= Limits.feedBytes ? EventFeed.bytesMax : max(16 << 10, Limits.feedBytes / feeds.count)
  }

  /// - Parameter record: The screen, or nil if it is unknown and the event is a comment.
  private func show(_ event: [UInt8], _ record: [UInt8]?, to id: UInt64, _ room: [UInt8], at now: Int64) {
    if let record, let exchange = removeWaiting(id) {
      if exchange.streams {
        begin(exchange, room, event, id: StreamText.id(of: record), at: now)
      } else {
        finish(exchange, HTTPResponse(200, HTTPResponse.json, record, [("Cache-Control", "no-store")]))
      }
      return
    }
    guard id == 0 || id == Self.rewatch, let feed = feeds[room] else { return unwatchIfUnread(room) }
    feed.setPosition(record.flatMap(StreamText.id(of:)))
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
    add(EventReader(feed, from: place, gzip: exchange.acceptsGzip ? gzip : nil, at: MonotonicClock.nowMs), exchange)
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
    guard let key = surveyKeys.removeValue(forKey: id), var survey = surveys[key] else { return }
    let exchanges = survey.exchanges
    survey.exchanges = []
    survey.lines = lines
    survey.at = now
    surveys[key] = survey
    if exchanges.isEmpty { return }
    let response = HTTPResponse.json(ServiceData.rooms(lines, wall: WallClock.nowMs))
    for exchange in exchanges where removeWaiting(exchange.query) != nil { finish(exchange, response) }
  }

  // MARK: - Readers

  func wake(_ reader: EventReader, _ connection: OpaquePointer) {
    guard reader.isSuspended else { return }
    reader.isSuspended = false
    MHD_resume_connection(connection)
  }

  private func end(_ feed: EventFeed, with event: [UInt8]) {
    // Later events of this feed do not follow those that its readers have, so no reader may resume in it.
    feed.setPosition(nil)
    for (id, reader) in feed.readers {
      reader.end(with: event)
      if let connection = readers[id]?.connection { wake(reader, connection) }
    }
  }

  /// Wakes the readers that have something to receive, less often where there are many.
  func serveFeeds(_ now: Int64) {
    for feed in feeds.values where feed.isDue && now >= feed.nextRound {
      feed.isDue = false
      feed.nextRound = now + roundMs(feed.readers.count)
      for (id, reader) in feed.readers where reader.isSuspended && reader.hasMore {
        if let connection = readers[id]?.connection { wake(reader, connection) }
      }
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
    var suspended: [(reader: EventReader, connection: OpaquePointer)] = []
    var descriptors: [pollfd] = []
    for (reader, connection) in readers.values where reader.isSuspended {
      suspended.append((reader, connection))
      // POLLRDHUP: the client has closed its side, which a live reader never does.
      descriptors.append(pollfd(fd: cmhd_socket(connection), events: 0x2000, revents: 0))
    }
    _ = poll(&descriptors, nfds_t(descriptors.count), 0)
    for (index, (reader, connection)) in suspended.enumerated() {
      if descriptors[index].revents != 0 {
        reader.isDisconnected = true
        wake(reader, connection)
      } else if now - reader.sentAt >= Limits.aliveMs {
        reader.comment()
        wake(reader, connection)
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
