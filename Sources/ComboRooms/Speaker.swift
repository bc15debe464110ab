package import ComboCore
internal import ComboWire
internal import Synchronization

/// Where what rooms say goes.
package protocol SaidTarget: AnyObject, Sendable {
  /// Called on the room's queue; the bytes are borrowed.
  func said(_ record: Bytes, _ instruction: Instruction, by room: Room)
  /// What a waiting banner of the room had gathered belongs to another one now: see ``InstructionSink/merged(_:into:)``.
  func merged(_ banner: Int, into other: Int, by room: Room)
  /// A waiting banner of the room is skipped as part of a sum: see ``InstructionSink/summed(_:at:_:)``.
  func summed(_ banner: Int, at: Int64, _ reason: SkipReason, by room: Room)
}

extension SaidTarget {
  /// Does nothing.
  package func merged(_ banner: Int, into other: Int, by room: Room) {}
  /// Does nothing.
  package func summed(_ banner: Int, at: Int64, _ reason: SkipReason, by room: Room) {}
}

/// What a thread needs to let rooms speak: a buffer, and where it goes.
package final class Speaker {
  private let buffer = ByteBuffer()
  private let target: (any SaidTarget)?
  // The same, without a reference count for each instruction: all threads would raise and lower that of the target at once.
  fileprivate let heldBuffer: Unmanaged<ByteBuffer>
  /// nil: nowhere; it is only hashed, as while restoring.
  fileprivate unowned(unsafe) let heldTarget: (any SaidTarget)?
  /// What was said on it.
  package var said = InstructionCounts()
  /// The bytes of that.
  var bytes = 0
  /// The places that engines say they will look at.
  package let places = PrefetchList()

  package init(_ target: (any SaidTarget)?) {
    self.target = target
    heldTarget = target
    heldBuffer = .passUnretained(buffer)
  }

  deinit { places.free() }
}

/// Encodes what a room says, hashes it and hands it on.
struct RoomSink: InstructionSink {
  // The running thread holds them: no reference is counted for an instruction.
  private let room: Unmanaged<Room>
  private let speaker: Unmanaged<Speaker>

  init(room: Room, speaker: Speaker) {
    self.room = .passUnretained(room)
    self.speaker = .passUnretained(speaker)
  }

  mutating func merged(_ banner: Int, into other: Int) {
    room._withUnsafeGuaranteedRef { room in
      speaker._withUnsafeGuaranteedRef { $0.heldTarget?.merged(banner, into: other, by: room) }
    }
  }

  mutating func summed(_ banner: Int, at: Int64, _ reason: SkipReason) {
    room._withUnsafeGuaranteedRef { room in
      speaker._withUnsafeGuaranteedRef { $0.heldTarget?.summed(banner, at: at, reason, by: room) }
    }
  }

  mutating func say(_ instruction: Instruction) {
    room._withUnsafeGuaranteedRef { room in
      speaker._withUnsafeGuaranteedRef { speaker in
        speaker.heldBuffer._withUnsafeGuaranteedRef { buffer in
          buffer.removeAll()
          InstructionEncoder.encode(instruction, room: room.name, into: buffer)
          room.hash.add(buffer.bytes)
          room.said += 1
          speaker.said.count(instruction)
          room.skipped &+= instruction.operation.skipped?.gifts ?? 0
          speaker.bytes &+= buffer.count
          speaker.heldTarget?.said(buffer.bytes, instruction, by: room)
        }
      }
    }
  }
}

/// Speakers for the threads that run rooms: each takes one, and puts it back.
package final class Speakers: Sendable {
  private let idle = Mutex<[Speaker]>([])
  private let target: (any SaidTarget)?

  package init(_ target: (any SaidTarget)?) { self.target = target }

  package func withSpeaker(_ body: (Speaker) -> Void) {
    let speaker = idle.withLock { idle in UnsafeTransfer(idle.popLast()) }.value ?? Speaker(target)
    body(speaker)
    let back = UnsafeTransfer(speaker)
    idle.withLock { $0.append(back.value) }
  }

  /// The instructions emitted on them since the last call. No room may work.
  package func takeCounts() -> InstructionCounts {
    idle.withLock { idle in
      var counts = InstructionCounts()
      for speaker in idle {
        counts.add(speaker.said)
        speaker.said = InstructionCounts()
        speaker.bytes = 0
      }
      return counts
    }
  }

  /// The bytes emitted on them since the counts were last taken; of a speaker in use, as soon as it is put back.
  package var bytes: Int { idle.withLock { $0.reduce(0) { $0 + $1.bytes } } }
}

/// Carries a speaker over the lock: it is in one hand at a time.
private struct UnsafeTransfer<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
