internal import ComboEdge
internal import ComboWire

/// The dead letters of the input, by the positions of their records there. Read-only once it is complete.
package final class DeadLetterIndex {
  /// The properties of a dead letter that can be compared with its record.
  struct Letter {
    var code: [UInt8]
    var key: Part?
    var value: Part?
    var isTruncated: Bool
    /// The number of its occurrences.
    var count = 1
    /// Whether there is also a different dead letter of that record.
    var isDisputed = false
    var place: Place
  }

  /// The length and hash of bytes, or of their beginning.
  struct Part: Equatable {
    var count: Int
    var hash: UInt64

    init(_ bytes: Bytes) {
      count = bytes.count
      hash = unsafe VerifyHash.one(bytes)
    }

    /// Whether `bytes` equal these bytes, or begin with them.
    func isBeginning(of bytes: Bytes) -> Bool { unsafe bytes.count >= count && Part(Bytes(rebasing: bytes[..<count])) == self }
  }

  private(set) var letters: [Int32: [Int64: Letter]] = [:]
  /// Whether some were deleted, so that a missing dead letter is no fault.
  private(set) var isCut = false
  /// Places that `redrive` has sent back to the input.
  private var receipts: Set<String> = []
  private let input: String

  init(of input: String, _ reader: any ReadEdge) throws {
    self.input = input
    for partition in try reader.partitions(.deadLetter) {
      let (first, end) = try reader.bounds(.deadLetter, partition)
      if first > 0 { isCut = true }
      try reader.read(.deadLetter, partition, from: first, to: end, unless: { false }) { record in
        add(record)
        return true
      }
    }
  }

  /// The number of these letters that `redrive` has sent back to the input.
  var sentBack: Int {
    if receipts.isEmpty { return 0 }
    return letters.values.reduce(0) { $0 + $1.values.count { receipts.contains("\($0.place.partition):\($0.place.offset)") } }
  }

  private func add(_ record: InputRecord) {
    let headers = record.headers
    func last(_ name: String) -> [UInt8]? { headers.last { $0.name == name }?.value }
    func number(_ name: String) -> Int64? { last(name).flatMap { Int64(String(decoding: $0, as: UTF8.self)) } }
    if let receipt = last(Redriven.receipt) {
      for place in String(decoding: receipt, as: UTF8.self).split(separator: ",") { receipts.insert(String(place)) }
      return
    }
    guard let topic = last("combo.topic"), topic.elementsEqual(input.utf8), let code = last("combo.error"),
      let partition = number("combo.partition").flatMap({ Int32(exactly: $0) }), let offset = number("combo.offset")
    else { return }
    let new = unsafe Letter(
      code: code, key: record.key.map(Part.init), value: record.value.map(Part.init), isTruncated: last("combo.truncated") != nil,
      place: Place(record))
    if var known = letters[partition]?[offset] {
      known.count += 1
      if known.code != new.code || known.key != new.key || known.value != new.value { known.isDisputed = true }
      letters[partition]![offset] = known
    } else {
      letters[partition, default: [:]][offset] = new
    }
  }

  /// A fault in the dead letter of a bad record.
  enum Fault {
    case missing, differs(Place), twice(Place)
  }

  /// - Parameter isOnce: Whether the dead letter must exist only once.
  /// - Returns: The fault, or nil if there is none.
  func fault(of record: InputRecord, _ bad: BadEvent, isOnce: Bool) -> Fault? {
    guard let letter = letters[record.partition]?[record.offset] else { return isCut ? nil : .missing }
    let code = letter.code.elementsEqual(bad.code.rawValue.utf8)
    if unsafe letter.isDisputed || !code || !fits(letter.key, record.key, letter.isTruncated)
      || !fits(letter.value, record.value, letter.isTruncated)
    {
      return .differs(letter.place)
    }
    return isOnce && letter.count > 1 ? .twice(letter.place) : nil
  }

  private func fits(_ part: Part?, _ bytes: Bytes?, _ isTruncated: Bool) -> Bool {
    guard let part, let bytes = unsafe bytes else { return unsafe part == nil && bytes == nil }
    return unsafe isTruncated ? part.isBeginning(of: bytes) : part == Part(bytes)
  }
}
