internal import ComboCore
internal import ComboWire

/// A share of the rooms with one combination of settings, used by one thread at a time.
final class TuneLane {
  /// A room that rests or has ended.
  struct Entry {
    var place: UInt64
    var measure: RoomMeasure
  }

  private let group: Int
  private let settings: EngineSettings
  private let roomsMax: Int
  private let restedMax: Int
  private let rooms = ReplayRooms()
  /// The tracks, by the room's index.
  private var tracks: [RoomTrack?] = []
  /// The rested rooms by name. Once they are too many, only the busiest are kept separately.
  private(set) var rested: [[UInt8]: Entry] = [:]
  /// The sum of the others, and below it their number.
  private(set) var others = RoomMeasure(bits: LaneTotals.bits)
  private(set) var otherCount = 0
  let totals = LaneTotals()

  /// - Parameters:
  ///   - roomsMax: The number of rooms above which the engines of rested ones are discarded.
  ///   - restedMax: The number of rested rooms that are kept by name.
  init(group: Int, settings: EngineSettings, roomsMax: Int, restedMax: Int) {
    self.group = group
    self.settings = settings
    self.roomsMax = roomsMax
    self.restedMax = restedMax
  }

  /// Applies this lane's events of `chunk`.
  func apply(_ chunk: ReplayChunk) {
    let members = chunk.members[group]
    for place in 0..<members.count { take(Int(members.base[place]), of: chunk) }
    if let time = chunk.sweepBefore, rooms.count > roomsMax { sweep(before: time) }
  }

  /// Advances all rooms until they have no deadline.
  func finish() {
    for index in rooms.indices {
      guard let track = tracks[index] else { preconditionFailure("a room must have a track") }
      var sink = track.sink
      while let deadline = rooms[index].pointee.engine.nextDeadline {
        rooms[index].pointee.engine.advance(to: deadline, to: &sink)
      }
      retire(index, track)
    }
  }

  private func take(_ number: Int, of chunk: ReplayChunk) {
    let event = chunk.events + number
    let (now, hash) = (event.pointee.ts, chunk.hashes[number])
    var index = rooms.find(event.pointee.room, hash: hash)
    if index < 0 {
      // There is nothing to close or to retract.
      if event.pointee.kind == .roomClosed || event.pointee.kind == .retract { return }
      index = add(event.pointee.room, hash, chunk.number, number, at: max(0, now))
    }
    guard let track = tracks[index] else { preconditionFailure("a room must have a track") }
    let room = rooms[index]
    if now > room.pointee.time { room.pointee.time = now }
    var sink = track.sink
    switch event.pointee.kind {
    case .gift: track.take(event.pointee.gift, at: now, by: &room.pointee.engine)
    case .roomClosed: room.pointee.engine.close(at: now, to: &sink)
    case .retract: room.pointee.engine.retract(event.pointee.retraction, at: now, to: &sink)
    case .roomSettings:
      guard let own = chunk.owns[number] else { preconditionFailure("an event that sets settings must have them") }
      room.pointee.engine.set(own, at: now, to: &sink)
      track.set(slots: settings.values.with(own).slots, at: now)
    }
  }

  private func add(_ name: Bytes, _ hash: UInt64, _ chunk: Int, _ number: Int, at now: Int64) -> Int {
    let earlier = rested.isEmpty ? nil : rested.removeValue(forKey: Array(name))
    let place = earlier?.place ?? ReplayChunk.place(chunk, number)
    let index = rooms.add(name, hash: hash, first: place, engine: Engine(at: now, settings: settings), at: now)
    if index >= tracks.count { tracks.append(contentsOf: repeatElement(nil, count: index + 1 - tracks.count)) }
    tracks[index] = RoomTrack(place: place, slots: settings.values.slots, totals: totals, earlier: earlier?.measure)
    return index
  }

  /// Discards the engines of rooms that have rested by `time`, as a replay does (``RoomGroup``).
  private func sweep(before time: Int64) {
    let rest = Int64(settings.values.rest)
    for index in rooms.indices {
      let room = rooms[index]
      if room.pointee.time + rest >= time { continue }
      guard let track = tracks[index] else { preconditionFailure("a room must have a track") }
      var sink = track.sink
      room.pointee.engine.advance(to: time, to: &sink)
      if let restsAfter = room.pointee.engine.restsAfter, restsAfter < time { retire(index, track) }
    }
    if rested.count > restedMax { foldQuietest() }
  }

  private func retire(_ index: Int, _ track: RoomTrack) {
    rested[Array(rooms[index].pointee.name)] = Entry(place: track.place, measure: track.measure)
    tracks[index] = nil
    rooms.remove(index)
  }

  /// Moves the rested rooms with the fewest gifts to one sum, until half of the limit remain.
  private func foldQuietest() {
    let quietest = rested.sorted { ($0.value.measure.events, $1.value.place) < ($1.value.measure.events, $0.value.place) }
    for (name, entry) in quietest.prefix(rested.count - restedMax / 2) {
      others.addAllButSpreads(entry.measure)
      otherCount += 1
      rested[name] = nil
    }
  }
}
