internal import Synchronization

extension LogFile {
  /// A partition of a topic.
  struct Stream {
    let id: Int64
    let topic: String
    let partition: Int32
    let keeping: Keeping
    var first: Int64 = 0
    /// The offset of the next record.
    var next: Int64 = 0
    /// The offset from which records are kept, whatever their age.
    var floor: Int64 = 0
    /// The offset from which records have a checksum. Those before it are of version 1.
    var summedFrom: Int64 = 0

    var table: String { "log_\(id)" }
    /// The offset below which records may be deleted.
    var deletable: Int64 { keeping == .held ? min(floor, next) : next }
    var place: String { "topic \"\(topic)\" partition \(partition)" }

    /// Returns all streams of a file.
    /// - Parameter version: The version of the file's format.
    static func list(in database: Database, version: Int64, name: String) throws(LogFault) -> [Stream] {
      var streams: [Stream] = []
      let sums = version == 1 ? "0, 0" : "summed, sum"
      let statement = try database.prepare(
        "SELECT id, topic, partition, keeping, first, next, floor, \(sums) FROM streams ORDER BY id")
      defer { statement.reset() }
      while try statement.step() {
        guard let keeping = Keeping(rawValue: statement.integer(3)) else {
          throw LogFault(.foreign, "\(name) keeps a topic in a way that this version does not know. Use a newer version")
        }
        var stream = Stream(
          id: statement.integer(0), topic: statement.text(1), partition: Int32(truncatingIfNeeded: statement.integer(2)),
          keeping: keeping, first: statement.integer(4), next: statement.integer(5), floor: statement.integer(6),
          summedFrom: statement.integer(7))
        if version > 1, statement.integer(8) != LogSum.stream(stream) {
          throw LogFault(.damaged, Database.damaged(name, "its entry for \(stream.place) is not what was written"))
        }
        if let last = try database.integer("SELECT offset FROM \(stream.table) ORDER BY offset DESC LIMIT 1") {
          stream.next = max(stream.next, last + 1)
        }
        if version == 1 { stream.summedFrom = stream.next }
        streams.append(stream)
      }
      return streams
    }

    /// Adds it to the list of streams, or updates it there.
    func write(to database: Database) throws(LogFault) {
      let statement = try database.prepare(
        """
        INSERT INTO streams (id, topic, partition, keeping, first, next, floor, summed, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET first = ?5, next = ?6, floor = ?7, summed = ?8, sum = ?9
        """)
      statement.bind(1, id)
      statement.bind(2, topic)
      for (index, value) in [Int64(partition), keeping.rawValue, first, next, floor, summedFrom, LogSum.stream(self)].enumerated()
      {
        statement.bind(Int32(index + 3), value)
      }
      try statement.run()
    }
  }

  // MARK: - Damage

  /// Checks the file's structure, and its records by their checksums. Reads all of it.
  /// - Parameter damaged: Called with each fault that is found.
  package func check(_ damaged: @escaping (LogFault) -> Void) throws(LogFault) {
    let found = try reading { () throws(LogFault) in
      do throws(LogFault) {
        return try reader.text("PRAGMA quick_check(1)")
      } catch {
        if error.code == .damaged { return "its structure" }
        throw error
      }
    }
    if let found, found != "ok" { damaged(LogFault(.damaged, Database.damaged(place.name, found))) }
    for stream in state.withLock({ Array($0.streams.indices) }) {
      _ = try forEachPage(of: stream, damaged: damaged) { _ in true }
    }
  }

  /// Returns the fault of a record that is not what was written.
  func damaged(_ stream: Stream, _ offset: Int64, isMissing: Bool = false) -> LogFault {
    LogFault(
      .damaged,
      "\(place.name) is damaged: the record at offset \(offset) of \(stream.place) is \(isMissing ? "missing" : "not what was written")."
        + " Check the disk and the memory of this machine. \(Database.remedy(place.name, prints: "all other records"))"
    )
  }
}
