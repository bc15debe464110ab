internal import ComboCore
package import ComboMaps
internal import ComboWire
internal import Glibc

/// Decodes lines into events. Used by one thread.
package final class ChunkDecoder {
  private let decoder: RecordDecoder
  /// The key of the current record, or nil if it has none. Lines have none, except with a map: then it is ``roomName``.
  private var room: Bytes?
  private let hasher = GiftHasher()

  /// - Parameter fromTopic: Whether records have their own time, and may have a key.
  package init(map: RecordMap?, fromTopic: Bool = false) {
    var limits = WireLimits.replay
    // Not every platform's records have a time and a room, and a line has no key.
    if map != nil || fromTopic { limits.requireTs = false }
    decoder = RecordDecoder(limits: limits, map: map)
    room = map == nil || fromTopic ? nil : Self.roomName.withUTF8Buffer { Bytes($0) }
  }

  /// The number of records that the map has dropped so far, by reason.
  var drops: [String: Int] {
    Dictionary(decoder.rows.filter { $0.outcome == "dropped" }.map { ($0.reason, $0.count) }, uniquingKeysWith: +)
  }

  /// The room of gifts that name none.
  package static let roomName: StaticString = "replay"

  /// Decodes whole lines of the chunk's own memory, and adds each event to the group of its room. `isFirst` marks the input's
  /// first lines.
  func decode(_ text: UnsafeRawBufferPointer, into chunk: ReplayChunk, groups: Int, isFirst: Bool) {
    guard var line = text.baseAddress else { return }
    let end = line + text.count
    if isFirst, text.count >= 3, memcmp(line, [0xef, 0xbb, 0xbf] as [UInt8], 3) == 0 { line += 3 }  // a byte order mark
    var number = 0
    while line < end {
      let lineEnd = memchr(line, 0x0a, end - line).map { UnsafeRawPointer($0) } ?? end
      let record = UnsafeRawBufferPointer(start: line, count: lineEnd - line)
      if !Self.isBlank(record) { decode(record, number, into: chunk, groups: groups) }
      number += 1
      line = lineEnd + 1
    }
    chunk.lineCount = number
  }

  /// Decodes the records that were read into the chunk.
  func decodeRecords(of chunk: ReplayChunk, groups: Int) {
    chunk.lineCount = chunk.records.count
    for (number, record) in chunk.records.enumerated() {
      if record.start < 0 {
        chunk.addTooLong(number, bytes: record.valueCount)
        continue
      }
      let keyEnd = record.start + max(0, record.keyCount)
      room = record.keyCount < 0 ? nil : Bytes(rebasing: chunk.text[record.start..<keyEnd])
      let before = chunk.eventCount
      decode(Bytes(rebasing: chunk.text[keyEnd..<keyEnd + record.valueCount]), number, into: chunk, groups: groups)
      if record.time < 0 { continue }
      for event in before..<chunk.eventCount where chunk.events[event].ts < 0 {
        chunk.events[event].ts = record.time
        chunk.earliest = min(chunk.earliest, record.time)
      }
    }
  }

  @inline(__always)
  private func decode(_ record: UnsafeRawBufferPointer, _ number: Int, into chunk: ReplayChunk, groups: Int) {
    let fate = decoder.forEachEvent(
      of: record, isLasting: true, key: room, header: { _, _ in }, into: chunk.arena, slot: { chunk.nextEvent() }
    ) { event, own in
      if event.pointee.kind == .gift { event.pointee.gift.hash(with: hasher) }
      if let own { chunk.owns[chunk.eventCount] = own }
      if event.pointee.ts >= 0, event.pointee.ts < chunk.earliest { chunk.earliest = event.pointee.ts }
      let room = event.pointee.room
      chunk.add(group: ReplayRooms.group(room, of: groups), hash: ReplayRooms.hash(room))
    }
    if case .bad(let bad) = fate { chunk.badLines.append((number, bad.description)) }
  }

  @inline(__always)
  private static func isBlank(_ line: UnsafeRawBufferPointer) -> Bool {
    guard let first = line.first else { return true }
    return first <= 0x20 && isAllSpace(line)
  }

  private static func isAllSpace(_ line: UnsafeRawBufferPointer) -> Bool {
    line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }
  }
}
