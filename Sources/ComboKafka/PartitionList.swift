internal import CKafka

/// librdkafka's list of partitions with offsets, of one topic or several.
struct PartitionList: ~Copyable {
  let pointer: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>

  /// Creates an empty list.
  init(capacity: Int) { pointer = rd_kafka_topic_partition_list_new(Int32(clamping: capacity)) }

  /// Creates a list of partitions of one topic, each with `offset`.
  init(topic: String, _ partitions: [Int32], offset: Int64 = PartitionList.invalidOffset) {
    self.init(capacity: partitions.count)
    for partition in partitions { add(topic: topic, partition, offset: offset) }
  }

  /// Takes ownership of a list created by librdkafka.
  init(owning pointer: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>) { self.pointer = pointer }

  deinit { rd_kafka_topic_partition_list_destroy(pointer) }

  var count: Int { Int(pointer.pointee.cnt) }

  subscript(index: Int) -> rd_kafka_topic_partition_t {
    precondition(index >= 0 && index < count, "no partition at this place of the list")
    return pointer.pointee.elems[index]
  }

  /// - Parameter metadata: The metadata of a committed offset.
  func add(topic: String, _ partition: Int32, offset: Int64, metadata: String = "") {
    guard let added = rd_kafka_topic_partition_list_add(pointer, topic, partition) else { return }
    added.pointee.offset = offset
    guard !metadata.isEmpty else { return }
    var metadata = metadata
    metadata.withUTF8 { bytes in
      // The list frees it with librdkafka's allocator.
      guard let copy = rd_kafka_mem_malloc(nil, bytes.count) else { return }
      copy.copyMemory(from: bytes.baseAddress.unsafelyUnwrapped, byteCount: bytes.count)
      added.pointee.metadata = copy
      added.pointee.metadata_size = bytes.count
    }
  }

  /// The numbers of all partitions in it.
  var partitions: [Int32] { (0..<count).map { self[$0].partition } }

  /// Removes the partitions of other topics.
  /// - Returns: The name of one of those topics, or nil if there were none.
  func keepOnly(topic: String) -> String? {
    var other: String?
    for index in (0..<count).reversed() {
      guard let name = self[index].topic.map({ String(cString: $0) }), name != topic else { continue }
      other = name
      rd_kafka_topic_partition_list_del_by_idx(pointer, Int32(index))
    }
    return other
  }

  /// Sets the offset of every partition in it.
  func setOffsets(_ offset: Int64) {
    for index in 0..<count { pointer.pointee.elems[index].offset = offset }
  }

  /// The first partition with an error.
  var firstError: (partition: Int32, error: rd_kafka_resp_err_t)? {
    for index in 0..<count where self[index].err != RD_KAFKA_RESP_ERR_NO_ERROR {
      return (self[index].partition, self[index].err)
    }
    return nil
  }

  /// librdkafka's `RD_KAFKA_OFFSET_INVALID`.
  static let invalidOffset: Int64 = -1001
}
