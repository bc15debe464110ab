public import ComboCore

/// Writes an engine's whole state as a JSON object; docs/formats.md describes it.
///
/// All times except the engine's own are written as differences from it. This keeps them short, and a shift changes few bytes.
public struct SnapshotEncoder: SnapshotWriter {
  private enum Section { case head, ids, streaks, history, screen, queue }

  private let buffer: ByteBuffer
  private var section = Section.head
  private var time: Int64 = 0
  /// Whether the text is of version 3, with a gift's own lingers and a sum of skips.
  private var isThird = false

  private init(_ buffer: ByteBuffer) { self.buffer = buffer }

  /// Appends the state of an engine.
  public static func write(_ engine: Engine, to buffer: ByteBuffer) {
    var encoder = SnapshotEncoder(buffer)
    engine.write(to: &encoder)
    encoder.finish()
  }

  /// Writes the head. Called first, once.
  public mutating func head(_ head: EngineHead, own: OwnSettings) {
    time = head.time
    isThird = head.rules >= Rules(version: 3)
    buffer.append(isThird ? #"{"v":3"# : #"{"v":2"#)
    buffer.append(#","epoch":"#, head.epoch)
    buffer.append(#","seq":"#, head.seq)
    buffer.append(#","banners":"#, head.banners)
    buffer.append(#","time":"#, time)
    buffer.append(#","idle":"#)
    append(time: head.idleSince)
    if let awakeUntil = head.awakeUntil {
      buffer.append(#","awake":"#)
      append(time: awakeUntil)
    }
    if let deadline = head.screenDeadline {
      buffer.append(#","screen":"#)
      append(time: deadline)
    }
    if let sum = head.skipSum {
      buffer.append(#","skipped":["#, sum.banners)
      comma()
      buffer.append(sum.count)
      comma()
      buffer.append(sum.value)
      comma()
      append(time: sum.deadline)
      buffer.append(UInt8(ascii: "]"))
    }
    if !own.isEmpty {
      buffer.append(#","own":"#)
      buffer.append(own.settings)
    }
  }

  /// Writes a remembered gift id.
  public mutating func id(_ id: Bytes, expiry: Int64) {
    begin(.ids, #","ids":["#)
    buffer.append(jsonString: id)
    comma()
    append(time: expiry)
    buffer.append(UInt8(ascii: "]"))
  }

  /// Writes a remembered running total.
  public mutating func streak(_ key: ComboKey, name: Bytes, total: Int, expiry: Int64) {
    begin(.streaks, #","streaks":["#)
    append(key)
    buffer.append(jsonString: name)
    comma()
    buffer.append(total)
    comma()
    append(time: expiry)
    buffer.append(UInt8(ascii: "]"))
  }

  /// Writes a combo that has left and may continue.
  public mutating func history(_ key: ComboKey, _ state: HistoryState) {
    begin(.history, #","history":["#)
    append(key)
    buffer.append(state.total)
    comma()
    append(time: state.expiry)
    if let final = state.final {
      comma()
      buffer.append(final.banner)
      comma()
      append(final.display)
    }
    buffer.append(UInt8(ascii: "]"))
  }

  /// Writes a banner on screen or in the queue.
  public mutating func banner(_ key: ComboKey, _ state: BannerState, _ display: Display) {
    let isQueued = state.phase == .queued
    if isQueued {
      begin(.queue, #","queue":["#)
    } else {
      begin(.screen, #","shown":["#)
    }
    append(key)
    buffer.append(state.number)
    comma()
    buffer.append(state.base)
    comma()
    buffer.append(state.total)
    comma()
    buffer.append(state.value)
    comma()
    append(time: state.since)
    comma()
    if isThird {
      buffer.append(state.ownLingerMs)
      comma()
    }
    if !isQueued {
      buffer.append(Int(state.phase.rawValue))
      comma()
      buffer.append(state.slot)
      comma()
      buffer.append(state.shown)
      comma()
      append(time: state.deadline)
      comma()
      buffer.append((state.shortLinger ? 1 : 0) + (state.takenOver ? 2 : 0) + (state.isSealed ? 4 : 0))
      comma()
    }
    append(display)
    buffer.append(UInt8(ascii: "]"))
  }

  private func append(_ display: Display) {
    buffer.append(display.sender)
    comma()
    if display.receiver.count > 0 {
      buffer.append(display.receiver)
    } else {
      buffer.append("null")
    }
    comma()
    buffer.append(display.gift)
  }

  private mutating func finish() {
    if section != .head { buffer.append(UInt8(ascii: "]")) }
    buffer.append(UInt8(ascii: "}"))
  }

  /// Begins an entry, and its section if it is the first one there.
  @inline(__always)
  private mutating func begin(_ next: Section, _ name: StaticString) {
    if next == section {
      buffer.append(",[")
      return
    }
    if section != .head { buffer.append(UInt8(ascii: "]")) }
    section = next
    buffer.append(name)
    buffer.append(UInt8(ascii: "["))
  }

  private func append(_ key: ComboKey) {
    buffer.append(jsonString: key.senderID)
    comma()
    buffer.append(jsonString: key.receiverID)
    comma()
    buffer.append(jsonString: key.giftID)
    comma()
    buffer.append(jsonString: key.combo)
    comma()
  }

  @inline(__always)
  private func append(time: Int64) { buffer.append(time - self.time) }

  @inline(__always)
  private func comma() { buffer.append(UInt8(ascii: ",")) }
}
