public import ComboCore

/// Writes the records of the state topic: snapshots, rested rooms and checkpoints. Use one per thread; the steady state has no
/// allocations.
public final class StateEncoder {
  /// A function that receives one record; the bytes are valid during the call.
  public typealias Emit = (_ key: Bytes, _ value: Bytes) throws -> Void

  private let of: UInt64
  private let key = ByteBuffer(capacity: 512)
  private let value = ByteBuffer(capacity: 16 * 1024)
  private let head = ByteBuffer(capacity: 512)
  private let partBytes: Int

  /// The default size, in bytes, above which a state is written in parts.
  public static let partBytesDefault = 512 * 1024

  /// Creates an encoder for the state of these topics.
  public init(topics: TopicIdentity, partBytes: Int = StateEncoder.partBytesDefault) {
    of = topics.hash
    self.partBytes = max(partBytes, 1)
  }

  /// Writes a room's snapshot: one record, or its parts followed by the record that makes them count.
  ///
  /// - Parameters:
  ///   - room: The room's id.
  ///   - engine: The room's engine.
  ///   - n: The last journal entry that the snapshot includes.
  ///   - shifted: The sum of all shifts up to that entry, in milliseconds.
  ///   - hash: The room's running hash.
  ///   - emit: Receives the records, one by one.
  /// - Returns: The number of parts; 0 if the state is in the record itself. Further parts of an earlier snapshot are ignored.
  @discardableResult
  public func room(
    _ room: Bytes, _ engine: Engine, n: Int64, shifted: Int64, hash: UInt64, _ emit: Emit
  ) rethrows -> Int {
    key.removeAll()
    StateKey.room(room).write(to: key)
    value.removeAll()
    begin(value, n: n, shifted: shifted)
    value.append(#","hash":"#, hex: hash)
    value.append(#","state":"#)
    let start = value.count
    SnapshotEncoder.write(engine, to: value)
    let state = start..<value.count
    if state.count <= partBytes {
      Seal.close(value, from: 0, seed: XXH3.hash(key.bytes))
      try emit(key.bytes, value.bytes)
      return 0
    }

    let parts = (state.count + partBytes - 1) / partBytes
    for index in 0..<parts {
      let from = start + index * partBytes
      key.removeAll()
      StateKey.part(room: room, index: index).write(to: key)
      try emit(key.bytes, value.bytes(from..<min(from + partBytes, state.upperBound)))
    }
    key.removeAll()
    StateKey.room(room).write(to: key)
    head.removeAll()
    begin(head, n: n, shifted: shifted)
    head.append(#","hash":"#, hex: hash)
    head.append(#","parts":"#, parts)
    head.append(#","bytes":"#, state.count)
    head.append(#","state_sum":"#, hex: XXH3.hash(value.bytes(state)))
    Seal.close(head, from: 0, seed: XXH3.hash(key.bytes))
    try emit(key.bytes, head.bytes)
    return parts
  }

  /// Writes that a room has rested, replacing its snapshot.
  public func rested(_ room: Bytes, n: Int64, shifted: Int64, _ emit: Emit) rethrows {
    key.removeAll()
    StateKey.room(room).write(to: key)
    head.removeAll()
    begin(head, n: n, shifted: shifted)
    head.append(#","rested":true"#)
    Seal.close(head, from: 0, seed: XXH3.hash(key.bytes))
    try emit(key.bytes, head.bytes)
  }

  /// Writes a checkpoint.
  public func checkpoint(_ checkpoint: Checkpoint, _ emit: Emit) rethrows {
    key.removeAll()
    StateKey.checkpoint.write(to: key)
    head.removeAll()
    checkpoint.write(to: head)
    Seal.close(head, from: 0, seed: XXH3.hash(key.bytes))
    try emit(key.bytes, head.bytes)
  }

  private func begin(_ buffer: ByteBuffer, n: Int64, shifted: Int64) {
    buffer.append(#"{"v":"#, Format.version)
    buffer.append(#","n":"#, n)
    buffer.append(#","shifted":"#, shifted)
    buffer.append(#","of":"#, hex: of)
  }
}
