internal import ComboRooms
internal import ComboService
internal import ComboSystem
internal import ComboWire

/// The JSON that the pages read.
enum ServiceData {
  /// Returns the body of `/service/data`.
  static func service(_ observatory: Observatory, _ identity: ServiceIdentity, wall: Int64, monotonic now: Int64) -> ByteBuffer {
    let buffer = ByteBuffer(capacity: 4096)
    let report = observatory.report
    var totals = observatory.before
    if let report { totals.add(report.totals) }
    buffer.append(#"{"v":1,"now":"#, wall)
    buffer.append(#","version":"#, jsonString: Version.number)
    buffer.append(#","state":""#)
    buffer.append(Health.state(report, isStopping: observatory.stop.isSet))
    buffer.append(#"","group":"#, jsonString: identity.group)
    buffer.append(#","instance":"#, jsonString: identity.instance)
    buffer.append(#","uptime_s":"#, (now - observatory.began) / 1000)
    buffer.append(#","totals":{"events":"#, totals.events)
    buffer.append(#","gifts":"#, totals.tally.giftCount)
    buffer.append(#","instructions":"#, totals.instructions)
    buffer.append(#","bad":"#, totals.bad)
    buffer.append(#","commits":"#, totals.commits)
    buffer.append(#","aborts":"#, totals.aborts)
    buffer.append(#"},"commit_ms":"#)
    append(report?.recentCommits, to: buffer)
    buffer.append(#","lateness_ms":"#)
    append(report?.recentLateness, to: buffer)
    buffer.append(#","rooms":"#, report?.rooms ?? 0)
    buffer.append(#","partitions":"#, report?.partitions ?? []) { append($0, to: buffer) }
    buffer.append("}\n")
    return buffer
  }

  private static func append(_ partition: ServiceReport.Partition, to buffer: ByteBuffer) {
    buffer.append(#"{"partition":"#, Int64(partition.number))
    buffer.append(#","input":"#, jsonString: partition.input)
    buffer.append(partition.isRunning ? #","state":"running","lag":"# : #","state":"restoring","lag":"#, orNull: partition.lag)
    buffer.append(#","rooms":"#, partition.rooms)
    buffer.append(#","restored":"#, partition.restored)
    buffer.append("}")
  }

  private static func append(_ figures: RecentTimes.Figures?, to buffer: ByteBuffer) {
    guard let figures else { return buffer.append(#"{"p50":null,"p99":null,"max":null}"#) }
    buffer.append(#"{"p50":"#, figures.p50)
    buffer.append(#","p99":"#, figures.p99)
    buffer.append(#","max":"#, figures.max)
    buffer.append("}")
  }

  /// Returns the body of `/rooms`.
  static func rooms(_ lines: [RoomLine], wall: Int64) -> ByteBuffer {
    let buffer = ByteBuffer(capacity: 4096)
    buffer.append(#"{"v":1,"now":"#, wall)
    buffer.append(#","rooms":"#, lines) { line in
      line.room.withUnsafeBytes { buffer.append(#"{"room":"#, jsonString: $0) }
      buffer.append(#","epoch":"#, line.epoch)
      buffer.append(#","seq":"#, line.seq)
      buffer.append(#","banners":"#, line.banners)
      buffer.append(#","queued":"#, line.queued)
      buffer.append(line.queued == nil ? #","shown":"# : #","gifts":"#, line.gifts)
      buffer.append(#","rate":"#, (line.rate * 100).rounded() / 100)
      buffer.append(#","waiting_ms":"#, line.waitMs)
      buffer.append(#","skipped":"#, line.skipped)
      buffer.append("}")
    }
    buffer.append("}\n")
    return buffer
  }

  /// Returns the screen of a sleeping room.
  /// - Parameter settingsJSON: ``ServiceReport/told``.
  static func emptyScreen(_ room: [UInt8], settingsJSON: String, wall: Int64) -> [UInt8] {
    let buffer = ByteBuffer(capacity: 256)
    room.withUnsafeBytes { buffer.append(#"{"v":1,"room":"#, jsonString: $0) }
    buffer.append(#","epoch":0,"seq":0,"at":"#, wall)
    buffer.append(#","op":"screen","banners":[]"#)
    buffer.append(settingsJSON)
    buffer.append("}")
    return buffer.array
  }
}
