public import ComboCore

/// A room's record in the state topic.
public struct RoomRecord: Equatable, Sendable {
  /// The location of the state.
  public enum Content: Equatable, Sendable {
    /// The record itself. ``StateDecoder/engine(settings:)`` restores it until the next record is read.
    case state
    /// This many parts, with this total size in bytes and this checksum.
    case parts(Int, bytes: Int, sum: UInt64)
    /// None, since the room has rested.
    case rested
  }

  /// The last journal entry that it includes.
  public let n: Int64
  /// The sum of all shifts up to that entry, in milliseconds.
  public let shifted: Int64
  /// The room's running hash; 0 if it has rested.
  public let hash: UInt64
  /// The ``TopicIdentity/hash`` of the group and topics to which the state belongs.
  public let of: UInt64
  /// The location of the state.
  public let content: Content
}

/// Decodes the records of the state topic. Use one per thread.
public final class StateDecoder {
  private let reader = RecordReader("a record of the state topic")
  private let parts = RecordReader("a snapshot in parts", newest: Format.stateVersion)
  private var state: RecordFields?

  /// Creates a decoder.
  public init() {}

  /// Decodes a room's record.
  /// - Parameters:
  ///   - value: The record's value.
  ///   - key: The record's key, to which the value is bound.
  public func room(_ value: Bytes, key: Bytes) throws(FormatFault) -> RoomRecord {
    state = nil
    let fields = try reader.read(sealed: value, seed: XXH3.hash(key))
    let content: RoomRecord.Content
    if fields.find("state") != nil {
      content = .state
      state = try fields.inside("state")
    } else if fields.find("parts") != nil {
      content = .parts(
        Int(try fields.integer("parts", 1...Int64(Int32.max))), bytes: Int(try fields.integer("bytes", 0...1 << 40)),
        sum: try fields.hex("state_sum"))
    } else if try fields.flag("rested") {
      content = .rested
    } else {
      throw .broken(reader.what, "it has no state and no parts, and rested is false")
    }
    return RoomRecord(
      n: try fields.integer("n", 0...Int64.max), shifted: try fields.integer("shifted"),
      hash: content == .rested ? 0 : try fields.hex("hash"), of: try fields.hex("of"), content: content)
  }

  /// Returns the engine of the last room record, whose content must be ``RoomRecord/Content/state``.
  /// - Parameter settings: The service's settings.
  public func engine(settings: EngineSettings) throws(FormatFault) -> Engine {
    guard let state else { preconditionFailure("the record read last holds no state") }
    return try SnapshotReader(state, reader).engine(settings)
  }

  /// Returns the engine of a room record whose state is in parts.
  /// - Parameters:
  ///   - record: The room's record.
  ///   - values: The values of all parts, in order.
  ///   - settings: The service's settings.
  public func engine(of record: RoomRecord, parts values: [Bytes], settings: EngineSettings) throws(FormatFault) -> Engine {
    guard case .parts(let count, let bytes, let sum) = record.content else {
      preconditionFailure("the record is not one of parts")
    }
    let size = values.reduce(0) { $0 + $1.count }
    guard values.count == count, size == bytes else {
      throw .broken(parts.what, "it has \(values.count) parts of \(size) bytes, but should have \(count) of \(bytes)")
    }
    let text = parts.join(values)
    guard XXH3.hash(text) == sum else { throw .broken(parts.what, "its checksum does not fit its bytes") }
    return try SnapshotReader(try parts.parse(text), parts).engine(settings)
  }

  /// Decodes a checkpoint.
  public func checkpoint(_ value: Bytes, key: Bytes) throws(FormatFault) -> Checkpoint {
    state = nil
    return try Checkpoint(try reader.read(sealed: value, seed: XXH3.hash(key)))
  }
}
