internal import ComboService
internal import ComboSystem
internal import ComboWire

/// Passes queries about rooms to the services of several inputs, and their answers back. Observers know a room as `INPUT:ROOM`,
/// whether or not the service has the input in its room ids. One thread.
struct RoomRelay {
  /// A list of rooms that not all inputs have answered yet.
  private struct Survey {
    var lines: [RoomLine] = []
    var limit: Int
    var order: RoomOrder
    /// The inputs that have not answered.
    var missing: Set<String>
    let until: Int64
  }

  private let front: Observatory
  /// Whether the services' rooms have the input in their ids.
  private let arePrefixed: Bool
  private var surveys: [UInt64: Survey] = [:]

  /// - Parameter front: The observatory that observers query.
  init(_ front: Observatory, arePrefixed: Bool) {
    self.front = front
    self.arePrefixed = arePrefixed
  }

  /// Forwards the news and queries since the last call.
  /// - Parameter services: The observatories, by input.
  mutating func turn(_ services: [String: Observatory]) {
    if front.hasQueries { for query in front.takeQueries() { ask(query, services) } }
    var news: [News] = []
    for (input, observatory) in services { for one in observatory.takeNews() { process(one, of: input, &news) } }
    let now = MonotonicClock.nowMs
    for (id, survey) in surveys where survey.until < now || survey.missing.isDisjoint(with: services.keys) {
      end(id, survey, &news)
    }
    front.tell(news)
  }

  private mutating func ask(_ query: Query, _ services: [String: Observatory]) {
    switch query {
    case .screen(let room, let id, let watches, let until):
      guard let (service, own) = place(of: room, services) else { return front.tell([.elsewhere(id: id, room: room)]) }
      _ = service.ask(.screen(room: own, id: id, watches: watches, until: until))
    case .unwatch(let room):
      if let (service, own) = place(of: room, services) { _ = service.ask(.unwatch(room: own)) }
    case .survey(let prefix, let limit, let order, let id, let until):
      var asked: Set<String> = []
      for (input, service) in services {
        let begin = Array(Derivation.roomPrefix(of: input).utf8)
        let own = prefix.starts(with: begin) ? Array(prefix.dropFirst(begin.count)) : begin.starts(with: prefix) ? [] : nil
        guard let own, service.report != nil else { continue }
        let inside = arePrefixed ? begin + own : own
        if service.ask(.survey(prefix: inside, limit: limit, order: order, id: id, until: until)) { asked.insert(input) }
      }
      surveys[id] = Survey(limit: limit, order: order, missing: asked, until: until)
    }
  }

  /// Returns the service of a room, and the room's id there, or nil if the process has no such input.
  private func place(of room: [UInt8], _ services: [String: Observatory]) -> (service: Observatory, room: [UInt8])? {
    guard let colon = room.firstIndex(of: UInt8(ascii: ":")),
      let service = services[String(decoding: room[..<colon], as: UTF8.self)]
    else { return nil }
    return (service, arePrefixed ? room : Array(room[(colon + 1)...]))
  }

  private mutating func process(_ one: News, of input: String, _ news: inout [News]) {
    func named(_ room: [UInt8]) -> [UInt8] { arePrefixed ? room : Array(Derivation.roomPrefix(of: input).utf8) + room }
    switch one {
    case .said(let room, let record): news.append(.said(room: named(room), record: record))
    case .screen(let id, let room, let record): news.append(.screen(id: id, room: named(room), record: record))
    case .asleep(let id, let room): news.append(.asleep(id: id, room: named(room)))
    case .unknown(let id, let room): news.append(.unknown(id: id, room: named(room)))
    case .elsewhere(let id, let room): news.append(.elsewhere(id: id, room: named(room)))
    case .notYet(let id, let room): news.append(.notYet(id: id, room: named(room)))
    case .survey(let id, let lines):
      guard var survey = surveys[id] else { return }
      survey.missing.remove(input)
      survey.lines += lines.map { line in
        var line = line
        line.room = named(line.room)
        return line
      }
      surveys[id] = survey
      if survey.missing.isEmpty { end(id, survey, &news) }
    case .restarted, .overrun: news.append(one)
    }
  }

  private mutating func end(_ id: UInt64, _ survey: Survey, _ news: inout [News]) {
    surveys[id] = nil
    news.append(.survey(id: id, survey.order.first(survey.limit, of: survey.lines)))
  }
}
