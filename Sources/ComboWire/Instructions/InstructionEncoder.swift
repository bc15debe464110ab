public import ComboCore

/// Encodes instructions as the compact JSON objects of wire.md, with fields in the order of engine.md's table.
public enum InstructionEncoder {
  /// Writes a room's id as a JSON string with quotes, as all its instructions contain it. Call it once per room.
  public static func writeRoom(_ room: Bytes, into buffer: ByteBuffer) {
    buffer.append(jsonString: room)
  }

  /// Appends an instruction.
  ///
  /// - Parameters:
  ///   - instruction: The instruction; not kept.
  ///   - room: The bytes that ``writeRoom(_:into:)`` wrote.
  ///   - buffer: The output; it allocates only when it must grow.
  public static func encode(_ instruction: Instruction, room: Bytes, into buffer: ByteBuffer) {
    // All fixed texts and numbers together are shorter than this; only other bytes are counted one by one.
    var out = writeBeginning(of: instruction, room, at: buffer.reserve(fixedBytes + room.count))
    switch instruction.operation {
    case .show(let banner, let count, let base, let milestone, let display):
      out = write(#","op":"show","banner":"#, at: out)
      out = write(Int64(banner), at: out)
      out = write(#","slot":0,"count":"#, at: out)
      out = write(Int64(count), at: out)
      out = write(#","base":"#, at: out)
      out = write(Int64(base), at: out)
      out = writeMilestone(milestone, at: out)
      buffer.commit(upTo: out)
      append(display, to: buffer)
    case .update(let banner, let slot, let count, let added, let milestone):
      out = write(#","op":"update","banner":"#, at: out)
      out = write(Int64(banner), at: out)
      out = write(#","slot":"#, at: out)
      out = write(Int64(slot), at: out)
      out = write(#","count":"#, at: out)
      out = write(Int64(count), at: out)
      out = write(#","added":"#, at: out)
      out = write(Int64(added), at: out)
      out = writeMilestone(milestone, at: out)
      out.pointee = 0x7D
      buffer.commit(upTo: out + 1)
    case .moveUp(let banner, let slot):
      out = write(#","op":"move_up","banner":"#, at: out)
      out = write(Int64(banner), at: out)
      out = write(#","slot":"#, at: out)
      out = write(Int64(slot), at: out)
      out.pointee = 0x7D
      buffer.commit(upTo: out + 1)
    case .dismiss(let banner, let slot, let count, let reason):
      out = write(#","op":"dismiss","banner":"#, at: out)
      out = write(Int64(banner), at: out)
      out = write(#","slot":"#, at: out)
      out = write(Int64(slot), at: out)
      out = write(#","count":"#, at: out)
      out = write(Int64(count), at: out)
      out = write(#","reason":""#, at: out)
      out = write(word(reason), at: out)
      out = write(#""}"#, at: out)
      buffer.commit(upTo: out)
    case .skip(let banner, let count, let reason, let display):
      out = write(#","op":"skip","banner":"#, at: out)
      append(banner, count, reason: word(reason), display, to: buffer, at: out)
    case .skipSum(let banners, let count, let value, let reason):
      out = write(#","op":"skip","banners":"#, at: out)
      out = write(Int64(banners), at: out)
      out = write(#","count":"#, at: out)
      out = write(Int64(count), at: out)
      out = write(#","value":"#, at: out)
      buffer.commit(upTo: out)
      buffer.append(value)
      buffer.append(#","reason":""#)
      buffer.append(word(reason))
      buffer.append(#""}"#)
    case .final(let banner, let count, let reason, let display):
      out = write(#","op":"final","banner":"#, at: out)
      append(banner, count, reason: word(reason), display, to: buffer, at: out)
    case .screen(let banners):
      out = write(#","op":"screen","banners":["#, at: out)
      buffer.commit(upTo: out)
      append(banners, to: buffer)
    }
  }

  /// Writes the fields that all operations have in common, and returns the position after them.
  @inline(__always)
  private static func writeBeginning(
    of instruction: Instruction, _ room: Bytes, at start: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    var out = write(#"{"v":1,"room":"#, at: start)
    out = write(room, at: out)
    out = write(#","epoch":"#, at: out)
    out = write(instruction.epoch, at: out)
    out = write(#","seq":"#, at: out)
    out = write(Int64(instruction.seq), at: out)
    out = write(#","at":"#, at: out)
    return write(instruction.at, at: out)
  }

  /// Writes the fields after `"banner":` that a `skip` and a `final` have in common.
  private static func append(
    _ banner: Int, _ count: Int, reason: StaticString, _ display: Display, to buffer: ByteBuffer,
    at start: UnsafeMutablePointer<UInt8>
  ) {
    var out = write(Int64(banner), at: start)
    out = write(#","count":"#, at: out)
    out = write(Int64(count), at: out)
    out = write(#","reason":""#, at: out)
    out = write(reason, at: out)
    out.pointee = 0x22
    buffer.commit(upTo: out + 1)
    append(display, to: buffer)
  }

  private static func append(_ banners: [Instruction.ScreenBanner], to buffer: ByteBuffer) {
    var isFirst = true
    for banner in banners {
      var out = buffer.reserve(fixedBytes)
      out = write(isFirst ? #"{"banner":"# : #",{"banner":"#, at: out)
      isFirst = false
      out = write(Int64(banner.banner), at: out)
      out = write(#","slot":"#, at: out)
      out = write(Int64(banner.slot), at: out)
      out = write(#","count":"#, at: out)
      out = write(Int64(banner.count), at: out)
      out = write(#","base":"#, at: out)
      out = write(Int64(banner.base), at: out)
      buffer.commit(upTo: out)
      append(banner.display, to: buffer)
    }
    buffer.append("]}")
  }

  /// Appends the display data and the object's end.
  @inline(__always)
  private static func append(_ display: Display, to buffer: ByteBuffer) {
    var out = buffer.reserve(display.sender.count + display.receiver.count + display.gift.count + 40)
    out = write(#","sender":"#, at: out)
    out = write(display.sender, at: out)
    if display.receiver.count > 0 {
      out = write(#","receiver":"#, at: out)
      out = write(display.receiver, at: out)
    }
    out = write(#","gift":"#, at: out)
    out = write(display.gift, at: out)
    out.pointee = 0x7D
    buffer.commit(upTo: out + 1)
  }

  @inline(__always)
  private static func writeMilestone(
    _ milestone: Int?, at out: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    guard let milestone else { return out }
    return write(Int64(milestone), at: write(#","milestone":"#, at: out))
  }

  private static func word(_ reason: DismissReason) -> StaticString {
    switch reason {
    case .idle: "idle"
    case .busy: "busy"
    case .turn: "turn"
    case .closed: "closed"
    case .retracted: "retracted"
    }
  }

  private static func word(_ reason: SkipReason) -> StaticString {
    switch reason {
    case .overflow: "overflow"
    case .closed: "closed"
    case .retracted: "retracted"
    }
  }

  private static func word(_ reason: FinalReason) -> StaticString {
    switch reason {
    case .over: "over"
    case .overflow: "overflow"
    case .closed: "closed"
    case .retracted: "retracted"
    }
  }

  /// The bytes for eight numbers of 20 digits and all names around them.
  private static let fixedBytes = 384
}
