internal import ComboEdge
internal import ComboLog
internal import ComboSystem
internal import ComboWire

/// `live --dead-letters`: prints the bad records of the file for people to read.
enum LiveDeadLetters {
  /// Prints the records as JSON, one per line, oldest first.
  static func run(_ options: LiveOptions) -> Int32 {
    let place = LogStage.place(options.data, name: "live.db")
    do throws(LogFault) {
      let file = try LogFile(place, use: .read)
      var damage = DamageNotes(of: file)
      guard let letters = file.stream(LogStage.names[.deadLetter], 0) else {
        throw LogFault(.unknown, "\(place.name) has no dead letters yet")
      }
      let isWritten = try file.forEachPage(
        of: letters, damaged: { damage.add($0) }, deleted: { damage.addDeleted($0.count) }
      ) { page in
        let lines = ByteBuffer(capacity: 4096)
        for record in page.records { append(record, of: page, to: lines) }
        return Console.write(lines.bytes, to: 1)
      }
      damage.end("left out")
      return isWritten && damage.isEmpty ? 0 : 1
    } catch {
      return Console.fail(error.message)
    }
  }

  /// Appends `{"offset":…,"time":…,"combo.error":…,…,"record":…}`: the record's headers, then the record as a string.
  private static func append(_ record: LogPage.Record, of page: LogPage, to lines: ByteBuffer) {
    lines.append("{\"offset\":\(record.offset)")
    if let time = record.timestamp { lines.append(",\"time\":\(time)") }
    if let headers = page.headers(record) {
      LogHeaders.forEach(headers) { name, value in
        lines.append(",", jsonString: String(decoding: name, as: UTF8.self))
        lines.append(":", jsonString: String(decoding: value ?? UnsafeRawBufferPointer(start: nil, count: 0), as: UTF8.self))
      }
    }
    lines.append(",\"record\":")
    // Invalid UTF-8 is shown as U+FFFD.
    lines.append(jsonString: String(decoding: page.value(record) ?? UnsafeRawBufferPointer(start: nil, count: 0), as: UTF8.self))
    lines.append("}\n")
  }
}
