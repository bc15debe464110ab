internal import ComboEdge
internal import ComboKafka
internal import ComboSystem
internal import ComboWire

/// A feed of a room's instructions from the output topic.
///
/// It reads all partitions until it finds the room in one, and from then on only that one, which the room's key determines. New
/// partitions move rooms, which must then be watched again. Used by one thread.
final class RoomFeed {
  private let client: ReaderClient
  private let control: ControlClient
  private let topic: String
  private let room: [UInt8]
  /// The input whose room it is; nil as long as no record has named one.
  private var input: [UInt8]?
  private let isOfInput: Bool
  private var partitions: [Int32]
  private var readers: [PartitionReader] = []
  /// The position that each reader must reach to have caught up.
  private var ends: [Int64] = []
  private let batch = MessageBatch(capacity: 2000)
  private var caughtUpBy: Int64 = 0
  /// Whether the room has emitted anything since the time of ``rewind(to:)``.
  private(set) var hasReceived = false

  /// The timeout of requests to brokers.
  private static let withinMs: Int64 = 10_000
  /// The longest wait for an open transaction.
  private static let heldUpMs: Int64 = 15_000

  /// - Parameter input: The only input whose room is read, or nil if the output has one room of that name.
  /// - Throws: If the brokers cannot be reached, or the topic does not exist.
  init(_ properties: KafkaProperties, topic: String, room: String, input: String? = nil) throws(EdgeError) {
    self.topic = topic
    self.room = Array(room.utf8)
    self.input = input.map { Array($0.utf8) }
    isOfInput = input != nil
    control = try ControlClient(properties)
    client = try ReaderClient(properties)
    guard let count = try control.partitionCount(topic, withinMs: Self.withinMs) else {
      throw EdgeError(.unknownTopic, "the output topic \"\(topic)\" does not exist: check --output, or run the service first")
    }
    partitions = (0..<Int32(count)).map { $0 }
  }

  /// Restarts reading at a time in milliseconds since the Unix epoch.
  func rewind(to wallMs: Int64) throws(EdgeError) {
    readers = []
    ends = []
    hasReceived = false
    let starts = try control.offsets(topic, partitions, atMs: max(0, wallMs), withinMs: Self.withinMs)
    for partition in partitions {
      let end = try control.watermarks(topic, partition, withinMs: Self.withinMs).end
      let start = starts.first { $0.partition == partition }?.offset ?? end
      readers.append(try client.reader(topic, partition, from: start, to: .max))
      ends.append(end)
    }
    caughtUpBy = MonotonicClock.nowMs + Self.heldUpMs
  }

  /// Whether everything that existed at the call of ``rewind(to:)`` has been read, or an open transaction delays it too long.
  var isCaughtUp: Bool {
    zip(readers, ends).allSatisfy { $0.position >= $1 } || MonotonicClock.nowMs >= caughtUpBy
  }

  /// Whether a record of the room is of the input. A record that names no input counts as its own.
  /// - Throws: If it is of another input than an earlier one, and none was chosen: two rooms would be drawn as one.
  private func isOwn(_ record: KafkaMessage) throws(EdgeError) -> Bool {
    var named: [UInt8]?
    record.withLastHeader(Derivation.inputHeader) { named = Array($0) }
    guard let named else { return true }
    guard let input else {
      input = named
      return true
    }
    if named == input || isOfInput { return named == input }
    let inputs = [input, named].map { "\"\(String(decoding: $0, as: UTF8.self))\"" }.joined(separator: " and ")
    throw EdgeError(.badProperty, "the inputs \(inputs) both have a room of that name: choose one with --of-input")
  }

  /// Waits up to about `maxWaitMs` for records, and passes the values of the room's records to `show`.
  func read(maxWaitMs: Int32, _ show: (UnsafeRawBufferPointer) -> Void) throws(EdgeError) {
    var isWaiting = maxWaitMs > 0
    // Bounded, so that a flood of instructions cannot hold up a frame.
    for _ in 0..<20 {
      var count = 0
      for reader in readers {
        // It is not known which partition has the next record, so each is waited for in turn.
        count += try reader.read(maxWaitMs: isWaiting ? max(1, maxWaitMs / Int32(readers.count)) : 0, into: batch)
        defer { batch.release() }
        for index in 0..<batch.count {
          guard let key = batch[index].key, key.elementsEqual(room), let value = batch[index].value, try isOwn(batch[index])
          else { continue }
          hasReceived = true
          partitions = [reader.partition]
          show(value)
        }
      }
      if partitions.count < readers.count, let place = readers.firstIndex(where: { $0.partition == partitions[0] }) {
        readers = [readers[place]]
        ends = [ends[place]]
      }
      if count == 0 { return }
      isWaiting = false
    }
  }
}
