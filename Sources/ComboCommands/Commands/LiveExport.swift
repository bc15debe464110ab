internal import ComboLog
internal import ComboSystem
internal import ComboWire

/// `live --export`: exports the records of the input for a Kafka topic.
enum LiveExport {
  /// Prints the records, one per line, oldest first: the room, a tab, the record. Damaged records are left out and listed.
  static func run(_ options: LiveOptions) -> Int32 {
    let place = LogStage.place(options.data, name: "live.db")
    do throws(LogFault) {
      let file = try LogFile(place, use: .read)
      var damage = DamageNotes(of: file)
      guard let input = file.stream(LogStage.input, 0) else {
        throw LogFault(.unknown, "\(place.name) has no input" + (damage.isEmpty ? " yet" : " outside what is left out"))
      }
      let evicted = file.bounds(input).first
      let decoder = LiveRecordDecoder(options.map)
      var (unlike, roomless) = (0, 0)
      let isWritten = try file.forEachPage(
        of: input, damaged: { damage.add($0) }, deleted: { damage.addDeleted($0.count) }
      ) { page in
        var lines: [UInt8] = []
        for record in page.records {
          guard let value = page.value(record) else { continue }
          // The room becomes the record's key in Kafka. A record that is not an event has no room.
          do throws(BadEvent) {
            if let room = try decoder.room(of: value, key: page.key(record)) {
              for byte in room { lines.append(byte < 0x20 ? 0x20 : byte) }
              if room.contains(where: { $0 < 0x20 }) { unlike += 1 }
            }
          } catch { roomless += 1 }
          lines.append(UInt8(ascii: "\t"))
          // Between the tokens of JSON a space is equivalent to a line end; within tokens neither a line end nor a tab can occur.
          for byte in value { lines.append(byte < 0x20 ? 0x20 : byte) }
          lines.append(UInt8(ascii: "\n"))
        }
        return lines.withUnsafeBytes { Console.write($0, to: 1) }
      }
      damage.end("left out")
      if evicted > 0 {
        Console.report(
          "from record \(ProgressMeter.grouped(Int(evicted) + 1)) on: \(Counted.text(Int(evicted), "records")) before it were deleted, because of"
            + " --data-max-mib or --keep-hours")
      }
      if unlike > 0 {
        Console.report(
          "note: the room of \(Counted.text(unlike, "records has control characters, which are spaces in the key: a service needs"))"
            + " --room-from-body to take them in")
      }
      if roomless > 0 {
        Console.report(
          "note: \(Counted.text(roomless, "records without a room, and so with an empty key")). If live had --map or --from, give --export"
            + " the same")
      }
      return isWritten && damage.isEmpty ? 0 : 1
    } catch {
      return Console.fail(error.message)
    }
  }
}

/// Reports the first damaged records, and counts the damaged ones and those that were deleted before they were read.
struct DamageNotes {
  private var count = 0
  private var deleted = 0
  /// Whether the end of the file written ahead is left out.
  private let hasLeftOut: Bool
  private static let namedMax = 10

  /// Reports damage at the end of the file: what is left out now, may be missing, or was left out by an earlier owner.
  init(of file: LogFile) {
    hasLeftOut = file.leftOut != nil
    if let place = file.leftOut {
      Console.report(
        "\(file.place.name)-wal is damaged from byte \(place) on, and what it holds from there on is left out. A crash in the middle of a"
          + " write looks the same; otherwise, acknowledged records may be missing")
    }
    if file.lacksAhead {
      Console.report(
        "note: \(file.place.name) was not closed by its last user, or is a copy that was made meanwhile, and \(file.place.name)-wal is not"
          + " beside it: the newest records may be missing, unless sqlite3 has moved them into the file")
    }
    for copy in file.leftOutCopies {
      Console.report(
        "note: live once left out the end of \(file.place.name)-wal, which was damaged; acknowledged records may be missing since then."
          + " \(copy) is a copy from before that: delete it if it is of no use")
    }
  }

  /// Whether a record that was to be read is damaged, or was deleted meanwhile.
  var hasDamage: Bool { count > 0 || deleted > 0 }
  var isEmpty: Bool { !hasDamage && !hasLeftOut }

  mutating func add(_ fault: LogFault) {
    count += 1
    if count <= Self.namedMax { Console.report(fault.message) }
  }

  mutating func addDeleted(_ count: Int) { deleted += count }

  /// - Parameter what: What became of the damaged records, for the summary.
  func end(_ what: String) {
    if count > Self.namedMax { Console.report("\(count) damaged places in all, \(what)") }
    if deleted > 0 {
      Console.report(
        "\(Counted.text(deleted, "records")) that were still to be printed were deleted meanwhile, because the file had reached"
          + " --data-max-mib or --keep-hours. Print into a file first, which is faster, or raise these")
    }
  }
}
