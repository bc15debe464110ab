internal import ComboCore
internal import ComboEdge
internal import ComboIntake
internal import ComboLog
internal import ComboSystem
internal import ComboWire

/// `live --export`: the records of the input, for a Kafka topic to take in.
enum LiveExport {
  /// Prints them, oldest first, a line each: the room, a tab, the record. Those that are damaged are left out, and named.
  static func run(_ options: LiveOptions) -> Int32 {
    let place = LogStage.place(options.data, name: "live.db")
    do throws(LogFault) {
      let file = try LogFile(place, use: .look)
      guard let input = file.stream(LogStage.input, 0) else { throw LogFault(.unknown, "\(place.name) has no input yet") }
      let decoder = LiveRecordDecoder(options.map)
      var damage = DamageNotes()
      let isWritten = try file.forEachPage(of: input, damaged: { damage.add($0) }) { page in
        var lines: [UInt8] = []
        for record in page.records {
          guard let value = page.value(record) else { continue }
          // Its room is its key in Kafka. A record that is no event has none.
          if let room = (try? decoder.room(of: value, key: page.key(record))) ?? nil {
            for byte in room { lines.append(byte < 0x20 ? 0x20 : byte) }
          }
          lines.append(UInt8(ascii: "\t"))
          // Between the tokens of JSON a space says the same as a line's end; within them neither an end nor a tab can stand.
          for byte in value { lines.append(byte < 0x20 ? 0x20 : byte) }
          lines.append(UInt8(ascii: "\n"))
        }
        return lines.withUnsafeBytes { Console.write($0, to: 1) }
      }
      damage.end("left out")
      return isWritten && damage.isEmpty ? 0 : 1
    } catch {
      Console.say(error.message)
      return 1
    }
  }
}

/// Names records that are damaged: the first ones, and how many there are.
struct DamageNotes {
  private var count = 0
  private static let namedMax = 10

  var isEmpty: Bool { count == 0 }

  mutating func add(_ fault: LogFault) {
    count += 1
    if count <= Self.namedMax { Console.say(fault.message) }
  }

  /// - Parameter what: became of them.
  func end(_ what: String) {
    if count > Self.namedMax { Console.say("\(count) damaged places in all, \(what)") }
  }
}
