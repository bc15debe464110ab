internal import ComboCore
internal import ComboWire

/// A file of sample records: JSON lines, one JSON record on several lines, or lines of another format.
public struct RecordFile: Sendable {
  /// A record with its line.
  public struct Record: Sendable {
    /// The line on which the record begins, counted from 1.
    public let line: Int
    /// The record's bytes.
    public let bytes: [UInt8]
  }

  /// The records in the order of the file, without blank lines.
  public let records: [Record]

  /// Splits a file into records.
  ///
  /// - Parameters:
  ///   - file: The file's bytes.
  ///   - elements: Whether an array that is the whole file stands for its elements. If not, it is one record, as in a replay.
  public init(_ file: [UInt8], elements: Bool = false) {
    var file = file[...]
    if file.starts(with: [0xef, 0xbb, 0xbf]) { file = file.dropFirst(3) }
    // A file that is one JSON text is one record, or an array of records.
    if let text = try? MapText(Array(file), file: "") {
      records =
        elements && text.text[0].isArray
        ? text.elements(0).map { Record(line: text.line($0), bytes: [UInt8](text.text.slice($0))) }
        : [Record(line: text.line(0), bytes: Array(file))]
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
