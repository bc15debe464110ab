import ComboEdge
import ComboWire

/// A record in a simulated topic.
struct SimRecord {
  var offset: Int64 = 0
  var key: [UInt8]?
  var value: [UInt8]?
  var timestamp: Int64?
  var headers: [RecordHeader] = []
  /// The transaction of the record, or nil if it was written outside of any.
  var transaction: SimTransaction?
  /// The number of gifts, if every gift counts in the record's room; otherwise 0.
  var plainCount = 0

  init(key: [UInt8]?, value: [UInt8]?, timestamp: Int64? = nil, headers: [RecordHeader] = []) {
    self.key = key
    self.value = value
    self.timestamp = timestamp
    self.headers = headers
  }

  /// The fingerprint by which an entry distinguishes it from another record at its offset.
  var fingerprint: UInt64 {
    (key ?? []).withUnsafeBytes { key in (value ?? []).withUnsafeBytes { XXH3.fingerprint(key: key, value: $0) } }
  }

  /// Whether a `read_committed` reader receives it, once no earlier transaction is open.
  var isCommitted: Bool { transaction.map { $0.state == .committed } ?? true }
}

/// One partition of a simulated topic. Transaction markers occupy offsets, as in Kafka.
final class SimLog {
  private(set) var records: [SimRecord] = []
  private(set) var first: Int64 = 0
  private(set) var end: Int64 = 0
  /// Transactions that have no marker here yet, with their first offsets.
  private(set) var open: [(transaction: SimTransaction, first: Int64)] = []

  /// The last stable offset, up to which `read_committed` readers may read.
  var lastStable: Int64 { open.reduce(end) { min($0, $1.first) } }

  func append(_ record: SimRecord) {
    var record = record
    record.offset = end
    if let transaction = record.transaction, !open.contains(where: { $0.transaction === transaction }) {
      open.append((transaction, end))
      transaction.unmarked.append(self)
    }
    records.append(record)
    end += 1
  }

  /// Writes the marker of a decided transaction.
  func mark(_ transaction: SimTransaction) {
    open.removeAll { $0.transaction === transaction }
    transaction.unmarked.removeAll { $0 === self }
    end += 1
  }

  /// Writes a marker of no transaction, which only occupies an offset.
  func skip() { end += 1 }

  /// Deletes the records before an offset.
  func cut(before offset: Int64) {
    first = max(first, min(offset, end))
    records.removeAll { $0.offset < first }
  }

  /// Deletes everything, as if the topic was deleted and recreated.
  func makeAnew() {
    records = []
    first = 0
    end = 0
  }

  /// Loses the newest records, as brokers may.
  func lose(from offset: Int64) {
    records.removeAll { $0.offset >= offset }
    end = min(end, offset)
    for (transaction, begin) in open where begin >= offset { transaction.unmarked.removeAll { $0 === self } }
    open.removeAll { $0.first >= offset }
  }

  /// Compacts the log up to an offset: the newest record of each key stays, but deletions may be removed too.
  func compact(below limit: Int64, dropsDeletions: Bool) {
    var newest: [[UInt8]: Int64] = [:]
    for record in records where record.offset < limit && record.isCommitted { newest[record.key ?? []] = record.offset }
    records.removeAll { record in
      guard record.offset < limit else { return false }
      guard record.isCommitted, newest[record.key ?? []] == record.offset else { return true }
      return dropsDeletions && record.value == nil
    }
  }

  /// Alters a record in place, as a faulty disk may.
  func alter(_ index: Int, _ change: (inout SimRecord) -> Void) { change(&records[index]) }

  /// The index of the first record at `offset` or after it.
  func index(of offset: Int64) -> Int {
    var low = 0
    var high = records.count
    while low < high {
      let middle = (low + high) / 2
      if records[middle].offset < offset { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// A transaction, as its coordinator sees it.
final class SimTransaction {
  enum State { case open, committed, aborted }
  let producer: String
  let epoch: Int
  /// The monotonic time at which it is aborted.
  let deadline: Int64
  var state = State.open
  /// Partitions that have no marker of it yet.
  var unmarked: [SimLog] = []
  /// Offsets of the group that are committed with it.
  var offsets: [CommittedOffset] = []
  /// The cluster that coordinates it, or nil if any may. A shared output has transactions of its neighbors too.
  weak var coordinator: SimBroker?

  init(producer: String, epoch: Int, deadline: Int64) {
    self.producer = producer
    self.epoch = epoch
    self.deadline = deadline
  }

  /// Whether it has ended, all its markers are written and its offsets are applied.
  var isSettled: Bool { state != .open && unmarked.isEmpty && offsets.isEmpty }
}
