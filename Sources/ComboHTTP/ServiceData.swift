internal import ComboRooms
internal import ComboService
internal import ComboSystem
internal import ComboWire

/// The JSON that the pages read.
enum ServiceData {
  /// `/service/data`.
  static func service(_ observatory: Observatory, _ identity: ServiceIdentity, wall: Int64, monotonic now: Int64) -> ByteBuffer {
    let buffer = ByteBuffer(capacity: 4096)
    let report = observatory.report
    var totals = observatory.before
    if let report { totals.addAll(report.totals) }
    buffer.append(#"{"v":1,"now":"#)
    buffer.append(wall)
    buffer.append(#","version":"#)
    buffer.append(jsonString: Version.number)
    buffer.append(#","state":""#)
    buffer.append(Health.state(report, isStopping: observatory.stop.isSet))
    buffer.append(#"","group":"#)
    buffer.append(jsonString: identity.group)
    buffer.append(#","instance":"#)
    buffer.append(jsonString: identity.instance)
    buffer.append(#","uptime_s":"#)
    buffer.append((now - observatory.began) / 1000)
    buffer.append(#","totals":{"events":"#)
    buffer.append(totals.events)
    buffer.append(#","gifts":"#)
    buffer.append(totals.tally.giftCount)
    buffer.append(#","instructions":"#)
    buffer.append(totals.instructions)
    buffer.append(#","bad":"#)
    buffer.append(totals.bad)
    buffer.append(#","commits":"#)
    buffer.append(totals.commits)
    buffer.append(#","aborts":"#)
    buffer.append(totals.aborts)
    buffer.append(#"},"commit_ms":"#)
    append(report?.recentCommits, to: buffer)
    buffer.append(#","lateness_ms":"#)
    append(report?.recentLateness, to: buffer)
    buffer.append(#","rooms":"#)
    buffer.append(report?.rooms ?? 0)
    buffer.append(#","partitions":["#)
    var isFirst = true
    for partition in report?.partitions ?? [] {
      if !isFirst { buffer.append(UInt8(ascii: ",")) }
      isFirst = false
      append(partition, to: buffer)
    }
    buffer.append("]}\n")
    return buffer
  }

  private static func append(_ partition: ServiceReport.Partition, to buffer: ByteBuffer) {
    buffer.append(#"{"partition":"#)
    buffer.append(Int64(partition.number))
    if let input = partition.input {
      buffer.append(#","input":"#)
      buffer.append(jsonString: input)
    }
    buffer.append(partition.isRunning ? #","state":"running","lag":"# : #","state":"restoring","lag":"#)
    if let lag = partition.lag { buffer.append(lag) } else { buffer.append("null") }
    buffer.append(#","rooms":"#)
    buffer.append(partition.rooms)
    buffer.append(#","restored":"#)
    buffer.append(partition.restored)
    buffer.append("}")
  }

  private static func append(_ figures: RecentTimes.Figures?, to buffer: ByteBuffer) {
    guard let figures else { return buffer.append(#"{"p50":null,"p99":null,"max":null}"#) }
    buffer.append(#"{"p50":"#)
    buffer.append(figures.p50)
    buffer.append(#","p99":"#)
    buffer.append(figures.p99)
    buffer.append(#","max":"#)
    buffer.append(figures.max)
    buffer.append("}")
  }

  /// `/rooms`.
  static func rooms(_ lines: [RoomLine], wall: Int64) -> ByteBuffer {
    let buffer = ByteBuffer(capacity: 4096)
    buffer.append(#"{"v":1,"now":"#)
    buffer.append(wall)
    buffer.append(#","rooms":["#)
    for (index, line) in lines.enumerated() {
      buffer.append(index == 0 ? #"{"room":"# : #",{"room":"#)
      line.room.withUnsafeBytes { buffer.append(jsonString: $0) }
      buffer.append(#","epoch":"#)
      buffer.append(line.epoch)
      buffer.append(#","seq":"#)
      buffer.append(line.seq)
      if let banners = line.banners {
        buffer.append(#","banners":"#)
        buffer.append(banners)
      }
      if let queued = line.queued {
        buffer.append(#","queued":"#)
        buffer.append(queued)
      }
      buffer.append(line.queued == nil ? #","shown":"# : #","gifts":"#)
      buffer.append(line.gifts)
      buffer.append(#","rate":"#)
      buffer.append((line.rate * 100).rounded() / 100)
      if let waitMs = line.waitMs {
        buffer.append(#","waiting_ms":"#)
        buffer.append(waitMs)
      }
      if let skipped = line.skipped {
        buffer.append(#","skipped":"#)
        buffer.append(skipped)
      }
      buffer.append("}")
    }
    buffer.append("]}\n")
    return buffer
  }

  /// Returns the screen of a sleeping room.
  /// - Parameter told: ``ServiceReport/told``.
  static func emptyScreen(_ room: [UInt8], told: String, wall: Int64) -> [UInt8] {
    let buffer = ByteBuffer(capacity: 256)
    buffer.append(#"{"v":1,"room":"#)
    room.withUnsafeBytes { buffer.append(jsonString: $0) }
    buffer.append(#","epoch":0,"seq":0,"at":"#)
    buffer.append(wall)
    buffer.append(#","op":"screen","banners":[]"#)
    buffer.append(told)
    buffer.append("}")
    return buffer.array
  }
}
