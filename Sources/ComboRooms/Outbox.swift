package import ComboCore
internal import ComboSystem
internal import ComboWire
internal import Synchronization

/// A target of the rooms' instructions.
package protocol InstructionTarget: AnyObject {
  /// Receives an instruction, on the room's queue; the bytes are borrowed.
  func said(_ record: Bytes, _ instruction: Instruction, by room: Room)
  /// Called when a waiting banner of the room is merged into another one: see ``InstructionSink/merged(_:into:)``.
  func merged(_ banner: Int, into other: Int, by room: Room)
  /// Called when a waiting banner of the room is skipped as part of a sum: see ``InstructionSink/summed(_:at:_:)``.
  func summed(_ banner: Int, at: Int64, _ reason: SkipReason, by room: Room)
}

extension InstructionTarget {
  /// Does nothing.
  package func merged(_ banner: Int, into other: Int, by room: Room) {}
  /// Does nothing.
  package func summed(_ banner: Int, at: Int64, _ reason: SkipReason, by room: Room) {}
}

/// The context of a thread that runs rooms: a buffer, and the target of their instructions.
package final class Outbox {
  private let buffer = ByteBuffer()
  private let target: (any InstructionTarget)?
  // Copies without a reference count for each instruction: otherwise all threads would change that of the target at once.
  fileprivate let heldBuffer: Unmanaged<ByteBuffer>
  /// The target; nil if instructions are only hashed, as while restoring.
  fileprivate unowned(unsafe) let heldTarget: (any InstructionTarget)?
  package var said = InstructionCounts()
  /// The size of these instructions, in bytes.
  var bytes = 0
  /// Memory for the addresses that engines will read.
  package let places = PrefetchList()

  package init(_ target: (any InstructionTarget)?) {
    self.target = target
    heldTarget = target
    heldBuffer = .passUnretained(buffer)
  }

  deinit { places.free() }
}

/// Encodes what a room emits, hashes it and passes it on.
struct RoomSink: InstructionSink {
  // The running thread holds both: no reference is counted for an instruction.
  private let room: Unmanaged<Room>
  private let outbox: Unmanaged<Outbox>

  init(room: Room, outbox: Outbox) {
    self.room = .passUnretained(room)
    self.outbox = .passUnretained(outbox)
  }

  mutating func merged(_ banner: Int, into other: Int) {
    room._withUnsafeGuaranteedRef { room in
      outbox._withUnsafeGuaranteedRef { $0.heldTarget?.merged(banner, into: other, by: room) }
    }
  }

  mutating func summed(_ banner: Int, at: Int64, _ reason: SkipReason) {
    room._withUnsafeGuaranteedRef { room in
      outbox._withUnsafeGuaranteedRef { $0.heldTarget?.summed(banner, at: at, reason, by: room) }
    }
  }

  mutating func say(_ instruction: Instruction) {
    room._withUnsafeGuaranteedRef { room in
      outbox._withUnsafeGuaranteedRef { outbox in
        outbox.heldBuffer._withUnsafeGuaranteedRef { buffer in
          buffer.removeAll()
          InstructionEncoder.encode(instruction, room: room.name, into: buffer)
          room.hash.add(buffer.bytes)
          room.said += 1
          outbox.said.count(instruction)
          room.skipped &+= instruction.operation.skipped?.gifts ?? 0
          outbox.bytes &+= buffer.count
          outbox.heldTarget?.said(buffer.bytes, instruction, by: room)
        }
      }
    }
  }
}

/// The outboxes of the threads that run rooms: each thread borrows one, and returns it.
package final class OutboxPool: Sendable {
  private let state = Mutex((idle: [Outbox](), lent: 0))
  private let target: (any InstructionTarget & Sendable)?

  package init(_ target: (any InstructionTarget & Sendable)?) { self.target = target }

  package func withOutbox(_ body: (Outbox) -> Void) {
    // One thread has an outbox at a time.
    let idle = state.withLock { state in
      state.lent += 1
      return UnsafeTransfer(state.idle.popLast())
    }
    let outbox = idle.value ?? Outbox(target)
    body(outbox)
    let back = UnsafeTransfer(outbox)
    state.withLock { state in
      state.lent -= 1
      state.idle.append(back.value)
    }
  }

  /// Returns counts of the instructions emitted on them since the last call.
  package func takeCounts(_ quiet: borrowing Quiescence) -> InstructionCounts {
    state.withLock { state in
      precondition(state.lent == 0, "a room is running while its instructions are counted")
      var counts = InstructionCounts()
      for outbox in state.idle {
        counts.add(outbox.said)
        outbox.said = InstructionCounts()
        outbox.bytes = 0
      }
      return counts
    }
  }

  /// Whether no thread runs rooms.
  package var areIdle: Bool { state.withLock { $0.lent == 0 } }

  /// The bytes emitted on them since the counts were last read. Those of an outbox in use count once it is returned.
  package var bytes: Int { state.withLock { $0.idle.reduce(0) { $0 + $1.bytes } } }
}
