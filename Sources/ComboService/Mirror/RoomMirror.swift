package import ComboCore
package import ComboRooms
internal import ComboWire

/// The screens of all rooms, derived from their instructions alone, for `serve`. To an ``Observatory`` it behaves like a service.
///
/// It knows the position (`epoch`, `seq`) and the banners of each room. If neither the room's beginning nor a `screen` was
/// received, its screen is unknown until the next `screen`, as for a client of the topic. One thread. A room at rest takes about
/// 200 bytes, and is forgotten after ``forgetMs``.
package final class RoomMirror {
  private struct Banner {
    var number: Int64
    var slot: Int64
    var count: Int64
    var base: Int64
    /// Sender, receiver and gift, as they follow the numbers in a `screen`.
    var people: [UInt8]
  }

  private struct Room {
    var key: [UInt8]
    var epoch: Int64 = -1
    var seq: Int64 = 0
    var at: Int64 = 0
    /// When its last instruction was received, by the monotonic clock.
    var heardAt: Int64 = 0
    var rate = RoomRate()
    var banners: [Banner] = []
    /// Whether ``banners`` has everything that is on screen.
    var isKnown = false
    /// The time of the first instruction since which none is missing, while the screen is unknown.
    var heardFrom: Int64 = 0
    /// The time of its screen in the topic of screens, in milliseconds since the Unix epoch; nil once it has emitted anything
    /// else.
    var keptFrom: Int64?
    var isWatched = false
  }

  /// The engine's maximum number of slots.
  private static let slotsMax = 100
  /// A room that was silent for this long, with an empty screen, is not awake.
  private static let awakeMs: Int64 = 60_000
  /// The time after which a room is forgotten: a late reader then gets it again.
  static let forgetMs: Int64 = 3_600_000

  private var rooms: [Room] = []
  private var places: [[UInt8]: Int32] = [:]
  private var free: [Int32] = []
  private var watched: Set<[UInt8]> = []
  private var swept = 0
  private var news: [News] = []

  /// Whether it has read all records that existed at its start. Before that, it does not answer.
  package var isReady = false
  /// The service's settings in each screen, after its banners: `,"slots":2,"enter_ms":250`.
  package var told = ""
  /// Whether a room is served here; nil if all are.
  package var serves: (([UInt8]) -> Bool)?
  /// Whether a room of which nothing was read may have banners; nil if none may.
  package var isUnknown: (([UInt8]) -> Bool)?
  /// The time after which a room whose instructions are complete is known even without a `screen`: a banner that is not in them
  /// would have been on screen for all that time, so that a `screen` would have been due. At least the service's `screen_ms`.
  package var screenWithinMs = Int64.max
  /// Instructions processed, without repetitions; the known ones by operation; and records that were no instructions.
  package private(set) var instructions = 0
  package private(set) var said = InstructionCounts()
  package private(set) var malformed = 0
  /// Gifts that the instructions showed. Waiting and skipped ones are not known here.
  package private(set) var gifts = 0

  package init() {}

  package var roomCount: Int { places.count }
  /// Rooms whose screen is unknown until their next `screen`.
  package var unknownCount: Int { rooms.count { $0.epoch >= 0 && !$0.isKnown } }

  /// Forgets all rooms, because the output is read again.
  package func forgetAll() {
    rooms = []
    places = [:]
    free = []
    isReady = false
    isUnknown = nil
    // Watchers get a new screen once it is ready again: the forwarder of news requests them.
    watched = []
    news = [.restarted]
  }

  /// Processes a record of the output topic, at the monotonic time `now`.
  /// - Parameter wasEmpty: Whether a room that appears for the first time had nothing on its screen, as it would have emitted a
  ///   `screen` before.
  package func take(key: Bytes, value: Bytes, wasEmpty: Bool = false, at now: Int64) {
    guard let said = unsafe InstructionFields(value) else {
      malformed += 1
      return
    }
    let place = unsafe place(of: [UInt8](key))
    guard (said.epoch, said.seq) > (rooms[place].epoch, rooms[place].seq) else { return }
    if said.epoch > rooms[place].epoch {
      rooms[place].isKnown = said.seq == 1 || wasEmpty && rooms[place].epoch < 0 && !said.operation.needsBanner
      rooms[place].banners = []
      rooms[place].heardFrom = said.at
    } else if said.seq > rooms[place].seq + 1 {
      rooms[place].isKnown = false
      rooms[place].banners = []
      rooms[place].heardFrom = said.at
    }
    stand(place, said, at: now)
    rooms[place].keptFrom = nil
    instructions += 1
    apply(said, to: place, at: now)
    if !rooms[place].isKnown, said.at - rooms[place].heardFrom > screenWithinMs { rooms[place].isKnown = true }
    if rooms[place].isWatched { unsafe news.append(.said(room: rooms[place].key, record: [UInt8](value))) }
  }

  /// Processes a record of the topic of screens. The output is read after it.
  /// - Parameter time: The record's timestamp, in milliseconds since the Unix epoch.
  package func keep(key: Bytes, value: Bytes, from time: Int64, at now: Int64) {
    guard let said = unsafe InstructionFields(value), let banners = said.screen(most: Self.slotsMax) else { return }
    let place = unsafe place(of: [UInt8](key))
    guard (said.epoch, said.seq) > (rooms[place].epoch, rooms[place].seq) else { return }
    stand(place, said, at: now)
    rooms[place].keptFrom = time
    rooms[place].isKnown = true
    rooms[place].banners = banners.map(Self.banner)
  }

  /// Forgets rooms that have emitted nothing since their screen in the topic of screens, if `isOver` returns true for them and
  /// its time. A room with banners would have emitted another screen, but a crash can keep the end of a screen out of that topic.
  package func forgetKept(_ isOver: (_ room: [UInt8], _ time: Int64) -> Bool) {
    for place in rooms.indices {
      if let time = rooms[place].keptFrom, isOver(rooms[place].key, time) { forget(place) }
    }
  }

  private func stand(_ place: Int, _ said: InstructionFields, at now: Int64) {
    rooms[place].epoch = said.epoch
    rooms[place].seq = said.seq
    rooms[place].at = said.at
    rooms[place].heardAt = now
  }

  /// Returns the news since the last call.
  package func takeNews() -> [News] {
    defer { news = [] }
    return news
  }

  /// Answers a query, unless its caller is gone.
  package func answer(_ query: Query, at now: Int64) {
    switch query {
    case .screen(let room, let id, let watches, let until):
      if until <= now { return }
      guard isReady else {
        news.append(.notYet(id: id, room: room))
        return
      }
      if let serves, !serves(room) {
        news.append(.elsewhere(id: id, room: room))
        return
      }
      if watches { watched.insert(room) }
      guard let place = places[room].map(Int.init), rooms[place].epoch >= 0 else {
        news.append(isUnknown?(room) == true ? .unknown(id: id, room: room) : .asleep(id: id, room: room))
        return
      }
      if watches { rooms[place].isWatched = true }
      guard rooms[place].isKnown else {
        news.append(.unknown(id: id, room: room))
        return
      }
      news.append(.screen(id: id, room: room, record: screen(place)))
    case .unwatch(let room):
      watched.remove(room)
      if let place = places[room] { rooms[Int(place)].isWatched = false }
    // Only an engine knows what waits.
    case .survey(let prefix, let limit, _, let id, let until):
      if until <= now { return }
      news.append(.survey(id: id, busiest(prefix, limit, at: now)))
    }
  }

  /// Forgets some of the rooms that have rested for long. Repeated calls cover all rooms.
  package func sweep(at now: Int64, most: Int = 20_000) {
    for _ in 0..<min(most, rooms.count) {
      swept = swept + 1 < rooms.count ? swept + 1 : 0
      let room = rooms[swept]
      guard room.epoch >= 0, room.banners.isEmpty, !room.isWatched, now - room.heardAt > Self.forgetMs else { continue }
      forget(swept)
    }
  }

  private func forget(_ place: Int) {
    places[rooms[place].key] = nil
    rooms[place] = Room(key: [])
    free.append(Int32(place))
  }

  // MARK: - A room

  private func place(of key: [UInt8]) -> Int {
    if let place = places[key] { return Int(place) }
    var room = Room(key: key)
    room.isWatched = !watched.isEmpty && watched.contains(key)
    let place: Int
    if let one = free.popLast() {
      place = Int(one)
      rooms[place] = room
    } else {
      place = rooms.count
      rooms.append(room)
    }
    places[key] = Int32(place)
    return place
  }

  private func apply(_ said: InstructionFields, to place: Int, at now: Int64) {
    let banner = said.banner
    switch said.operation {
    case .show:
      self.said.show &+= 1
      guard banner.isWhole else { return }
      count(banner.count - banner.base, of: place, at: now)
      if let index = index(of: banner, in: place) { rooms[place].banners.remove(at: index) }
      if rooms[place].banners.count < Self.slotsMax { rooms[place].banners.append(Self.banner(banner)) }
    case .update:
      self.said.update &+= 1
      count(said.added, of: place, at: now)
      guard let index = index(of: banner, in: place), banner.count >= 0 else { return }
      rooms[place].banners[index].count = banner.count
      if banner.slot >= 0 { rooms[place].banners[index].slot = banner.slot }
    case .moveUp:
      self.said.moveUp &+= 1
      guard let index = index(of: banner, in: place), banner.slot >= 0 else { return }
      rooms[place].banners[index].slot = banner.slot
    case .dismiss:
      unsafe self.said.countDismissal(String(decoding: said.reason, as: UTF8.self))
      if let index = index(of: banner, in: place) {
        // A banner that is dismissed early may show gifts that no update reported.
        count(banner.count - rooms[place].banners[index].count, of: place, at: now)
        // An empty array that is kept would keep its memory.
        if rooms[place].banners.count == 1 { rooms[place].banners = [] } else { rooms[place].banners.remove(at: index) }
      }
    case .screen:
      self.said.screen &+= 1
      guard let banners = said.screen(most: Self.slotsMax) else { return }
      rooms[place].banners = banners.map(Self.banner)
      rooms[place].isKnown = true
    case .skip: self.said.skip &+= 1
    case .final: self.said.final &+= 1
    case .other: break
    }
  }

  private func count(_ gifts: Int64, of place: Int, at now: Int64) {
    guard gifts > 0 else { return }
    let gifts = Int(min(gifts, 1 << 30))
    self.gifts &+= gifts
    rooms[place].rate.gifts &+= gifts
    // Those that were read before are older.
    if isReady { rooms[place].rate.count(Int32(gifts), in: RoomRate.period(at: now)) }
  }

  private func index(of banner: BannerFields, in place: Int) -> Int? {
    rooms[place].banners.firstIndex { $0.number == banner.number }
  }

  private static func banner(_ fields: BannerFields) -> Banner {
    let people = unsafe ByteBuffer(capacity: 32 + fields.sender.count + fields.receiver.count + fields.gift.count)
    func add(_ name: StaticString, _ value: Bytes) {
      if unsafe value.isEmpty { return }
      people.append(name)
      unsafe people.append(value)
    }
    unsafe add(#","sender":"#, fields.sender)
    unsafe add(#","receiver":"#, fields.receiver)
    unsafe add(#","gift":"#, fields.gift)
    return Banner(number: fields.number, slot: fields.slot, count: fields.count, base: fields.base, people: people.array)
  }

  private func screen(_ place: Int) -> [UInt8] {
    let room = rooms[place]
    let buffer = ByteBuffer(capacity: 256)
    unsafe room.key.withUnsafeBytes { unsafe buffer.append(#"{"v":1,"room":"#, jsonString: $0) }
    buffer.append(#","epoch":"#, room.epoch)
    buffer.append(#","seq":"#, room.seq)
    buffer.append(#","at":"#, room.at)
    let banners = room.banners.sorted { ($0.slot, $0.number) < ($1.slot, $1.number) }
    buffer.append(#","op":"screen","banners":"#, banners) { banner in
      buffer.append(#"{"banner":"#, banner.number)
      buffer.append(#","slot":"#, banner.slot)
      buffer.append(#","count":"#, banner.count)
      buffer.append(#","base":"#, banner.base)
      unsafe banner.people.withUnsafeBytes { unsafe buffer.append($0) }
      buffer.append("}")
    }
    buffer.append(told)
    buffer.append("}")
    return buffer.array
  }

  private func busiest(_ prefix: [UInt8], _ limit: Int, at now: Int64) -> [RoomLine] {
    var found: [(rate: Double, place: Int)] = []
    for (place, room) in rooms.enumerated() where room.epoch >= 0 && room.key.starts(with: prefix) {
      guard !room.banners.isEmpty || now - room.heardAt < Self.awakeMs else { continue }
      found.append((room.rate.perSecond(at: now), place))
    }
    // As in ``RoomOrder/first(_:of:)``.
    found.sort { one, other in
      if one.rate != other.rate { return one.rate > other.rate }
      let (one, other) = (rooms[one.place], rooms[other.place])
      if one.rate.gifts != other.rate.gifts { return one.rate.gifts > other.rate.gifts }
      return one.key.lexicographicallyPrecedes(other.key)
    }
    return found.prefix(limit).map { rate, place in
      let room = rooms[place]
      return RoomLine(
        room: room.key, epoch: room.epoch, seq: Int(room.seq), banners: room.isKnown ? room.banners.count : nil,
        queued: nil, gifts: room.rate.gifts, rate: rate)
    }
  }
}
