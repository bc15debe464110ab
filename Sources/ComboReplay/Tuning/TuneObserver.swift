internal import ComboCore
internal import ComboWire

/// Measures a share of the rooms with one combination of settings.
struct TuneObserver: RoomObserver {
  /// A room that rests or has ended.
  struct Entry {
    /// Its first place in the input.
    let place: UInt64
    var measure: RoomMeasure
    /// The times of its first gift, and up to which its screen is accounted for, or nil before that gift.
    var began: Int64?
    var accounted: Int64?
  }

  static var outputTime: OutputTime { .never }

  /// The maximum number of rested rooms that a sweep keeps by name.
  let restedMax: Int
  /// The tracks, by the room's index.
  private var tracks: [RoomTrack?] = []
  /// The rested rooms by name. Once they are too many, only the busiest are kept separately.
  private(set) var rested: [[UInt8]: Entry] = [:]
  /// The sum of the others, and their number.
  private(set) var others = RoomMeasure(bits: LaneTotals.bits)
  private(set) var otherCount = 0
  let totals = LaneTotals()

  init(restedMax: Int) { self.restedMax = restedMax }

  mutating func add(_ index: Int, _ room: Room, slots: Int) {
    let earlier = rested.isEmpty ? nil : rested.removeValue(forKey: Array(room.pointee.name))
    if index >= tracks.count { tracks.append(contentsOf: repeatElement(nil, count: index + 1 - tracks.count)) }
    tracks[index] = RoomTrack(place: room.pointee.first, slots: slots, totals: totals, earlier: earlier)
  }

  func sink(_ index: Int, _ room: Room, _ buffer: ByteBuffer) -> TrackSink { tracks[index]!.sink }

  func process(_ gift: UnsafePointer<Gift>, at now: Int64, _ index: Int, _ room: Room, _ sink: inout TrackSink) {
    tracks[index]!.process(gift.pointee, at: now, by: &room.pointee.engine)
  }

  func set(slots: Int, _ index: Int, at now: Int64) { tracks[index]!.set(slots: slots, at: now) }

  mutating func remove(_ index: Int, _ room: Room) {
    rested[Array(room.pointee.name)] = tracks[index]!.entry
    tracks[index] = nil
  }

  /// Moves the rested rooms with the fewest gifts to one sum, until half of ``restedMax`` remain.
  mutating func endSweep() {
    if rested.count <= restedMax { return }
    let quietest = rested.sorted { ($0.value.measure.events, $1.value.place) < ($1.value.measure.events, $0.value.place) }
    for (name, entry) in quietest.prefix(rested.count - restedMax / 2) {
      others.addAllButSpreads(entry.measure)
      otherCount += 1
      rested[name] = nil
    }
  }
}
