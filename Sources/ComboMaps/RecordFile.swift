internal import ComboCore
internal import ComboWire

/// A file of sample records: JSON lines, one JSON record over many lines, or lines of another text.
public struct RecordFile: Sendable {
  /// A record, and what to call it.
  public struct Record: Sendable {
    /// The line that it begins on, from 1 on.
    public let line: Int
    /// Its bytes.
    public let bytes: [UInt8]
  }

  /// The records in their order; blank lines are none.
  public let records: [Record]

  /// Takes a file apart.
  ///
  /// - Parameters:
  ///   - file: its bytes.
  ///   - elements: whether an array that is the whole file stands for its elements; else it is a record, as in a replay.
  public init(_ file: [UInt8], elements: Bool = false) {
    var file = file[...]
    if file.starts(with: [0xef, 0xbb, 0xbf]) { file = file.dropFirst(3) }
    // A text that can be read as a whole is one record.
    if let text = try? MapText(Array(file), file: "") {
      var records: [Record] = []
      let tape = text.text
      if elements, tape[0].isArray {
        var element = 1
        while element < tape.next(0) {
          records.append(Record(line: text.line(element), bytes: [UInt8](tape.slice(element))))
          element = tape.next(element)
        }
      } else {
        records = [Record(line: text.line(0), bytes: Array(file))]
      }
      self.records = records
      return
    }
    var records: [Record] = []
    for (index, line) in file.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated() {
      if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }) { continue }
      records.append(Record(line: index + 1, bytes: Array(line)))
    }
    self.records = records
  }
}
