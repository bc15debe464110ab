import ComboEdge
import ComboService
import ComboWire
import Foundation

@testable import ComboTestSupport

/// Clients that watch rooms at any instance, and the faults in what they receive.
final class SimOnlookers {
  /// A client that reads a room's events.
  private final class Stream {
    let room: [UInt8]
    /// The place of the last instruction or screen received, or nil if there was none.
    var place: (epoch: Int64, seq: Int64)?
    var isOver = false
    init(_ room: [UInt8]) { self.room = room }
  }

  private let world: SimWorld
  private var random: SplitMix64
  private let rooms: [[UInt8]]
  private var streams: [ObjectIdentifier: [UInt64: Stream]] = [:]
  private var next: UInt64 = 1
  private(set) var faults: [String] = []
  /// The numbers of instructions and screens received.
  private(set) var told = 0
  private(set) var screens = 0
  /// The instructions received, which must be in the output.
  private var records: Set<[UInt8]> = []

  init(_ world: SimWorld, _ random: SplitMix64) {
    self.world = world
    self.random = random
    rooms = (SimGifts.plainRooms + (0..<3).map { "room-\($0)" }).map { Array($0.utf8) }
    world.onTurn = { [unowned self] in observe($0) }
  }

  private func observe(_ instance: SimInstance) {
    guard let observatory = instance.observatory, !instance.isDead else { return }
    let key = ObjectIdentifier(instance)
    if random.below(12) == 0 {
      let room = rooms[random.below(rooms.count)]
      streams[key, default: [:]][next] = Stream(room)
      _ = observatory.ask(.screen(room: room, id: next, watches: true))
      next += 1
    }
    if random.below(60) == 0 {
      let room = rooms[random.below(rooms.count)]
      for stream in streams[key, default: [:]].values where stream.room == room { stream.isOver = true }
      _ = observatory.ask(.unwatch(room: room))
    }
    if random.below(40) == 0 {
      _ = observatory.ask(.survey(prefix: Array("room".utf8), limit: 2, order: RoomOrder.allCases[Int(next % 3)], id: next))
      next += 1
    }
    for news in observatory.takeNews() { process(news, streams[key, default: [:]]) }
  }

  private func process(_ news: News, _ streams: [UInt64: Stream]) {
    switch news {
    case .said(let room, let record):
      let place = Self.place(record)
      records.insert(record)
      for (id, stream) in streams where stream.room == room && !stream.isOver {
        guard let last = stream.place else { continue }
        told += 1
        let follows =
          place.epoch == last.epoch ? place.seq == last.seq + 1 : place.epoch > last.epoch && place.seq == 1
        if !follows { faults.append("\(name(room)), stream \(id): \(place) was told after \(last)") }
        stream.place = place
      }
    case .screen(let id, let room, let record):
      let place = Self.place(record)
      screens += 1
      if !String(decoding: record, as: UTF8.self).contains(#""op":"screen","banners":["#) {
        faults.append("no screen: \(record)")
      }
      show(id, room, place, streams)
    case .asleep(let id, let room): show(id, room, nil, streams)
    case .elsewhere(0, let room): for stream in streams.values where stream.room == room { stream.isOver = true }
    case .elsewhere(let id, _), .notYet(let id, _): streams[id]?.isOver = true
    case .survey(_, let lines):
      if lines.count > 2 || lines.contains(where: { !$0.room.starts(with: "room".utf8) }) {
        faults.append("another list: \(lines)")
      }
    case .restarted, .overrun, .unknown: faults.append("\(news)")
    }
  }

  private func show(_ id: UInt64, _ room: [UInt8], _ place: (epoch: Int64, seq: Int64)?, _ streams: [UInt64: Stream]) {
    for (number, stream) in streams where !stream.isOver && stream.room == room && (id == 0 ? stream.place != nil : number == id)
    {
      if let place, let last = stream.place, place < last {
        faults.append("\(name(room)), stream \(number): the screen at \(place) was told after \(last)")
      }
      // An empty screen: what follows is of a later epoch.
      stream.place = place ?? (max(stream.place?.epoch ?? 0, 0), .max - 1)
    }
  }

  private func name(_ room: [UInt8]) -> String { String(decoding: room, as: UTF8.self) }

  private static func place(_ record: [UInt8]) -> (epoch: Int64, seq: Int64) {
    let json = (try? JSONSerialization.jsonObject(with: Data(record))) as? [String: Any] ?? [:]
    return ((json["epoch"] as? NSNumber)?.int64Value ?? -1, (json["seq"] as? NSNumber)?.int64Value ?? -1)
  }

  /// Checks, once all is at rest, that every received instruction was published, and that clients received all they should.
  func conclude() -> [String] {
    var said: Set<[UInt8]> = []
    var last: [[UInt8]: (epoch: Int64, seq: Int64)] = [:]
    for number in world.broker.partitions(.output) {
      for record in world.broker.log(.output, number).records where record.isCommitted {
        guard let key = record.key, let value = record.value else { continue }
        said.insert(value)
        let place = Self.place(value)
        if place > last[key] ?? (-1, -1) { last[key] = place }
      }
    }
    let unsaid = records.subtracting(said)
    if !unsaid.isEmpty {
      faults.append("\(unsaid.count) instructions were told but never said: \(String(decoding: unsaid.first!, as: UTF8.self))")
    }
    for instance in world.instances where !instance.isDead {
      observe(instance)
      for (id, stream) in streams[ObjectIdentifier(instance), default: [:]] where !stream.isOver {
        guard let place = stream.place, place.seq < .max - 1 else { continue }
        let partition = SimBroker.partition(of: stream.room, world.broker.partitions(.input).count)
        guard instance.service.partitions.isActive(partition), let end = last[stream.room] else { continue }
        // A room that only settings woke has emitted nothing in its epoch.
        let hasBegun = place.seq == 0 && place.epoch > end.epoch
        if place != end && !hasBegun {
          faults.append("\(name(stream.room)), stream \(id): told up to \(place), but \(end) was said")
        }
      }
    }
    return faults
  }
}
