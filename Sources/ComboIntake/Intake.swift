package import ComboLog

/// Receives the records of all sources and appends them to the log.
///
/// A record that belongs to a map or a room is wrapped in an envelope, `{"map":"tiktok","room":"anna","record":{…}}`, which
/// ``envelopeMap(_:)`` reads. Records of several sources can thus share a topic, also if they are copied to Kafka.
package final class Intake: Sendable {
  package let log: LogFile
  package let appender: LogAppender
  private let stream: Int

  /// The maximum number of bytes of a record.
  package static let recordBytesMax = 1 << 20

  /// - Parameter stream: The stream of the input topic's partition.
  package init(_ log: LogFile, stream: Int, queueMax: Int = 16 << 20) {
    self.log = log
    self.stream = stream
    appender = LogAppender(log, queueMax: queueMax)
  }

  /// Adds a record to a batch.
  package func add(_ record: UnsafeRawBufferPointer, of origin: Origin, to batch: inout LogBatch, at now: Int64) {
    origin.withKey { key in
      if let head = origin.head {
        var bytes = [UInt8]()
        bytes.reserveCapacity(head.count + record.count + 1)
        bytes.append(contentsOf: head)
        bytes.append(contentsOf: record)
        bytes.append(UInt8(ascii: "}"))
        bytes.withUnsafeBytes { batch.append(stream, key: key, value: $0, timestamp: now) }
      } else {
        batch.append(stream, key: key, value: record, timestamp: now)
      }
    }
  }

  /// Offers records whose sender waits. `done` is called once they are durable or refused.
  /// - Returns: false if too many records are waiting; `done` is not called then.
  package func offer(_ batch: LogBatch, done: @escaping @Sendable (LogFault?) -> Void) -> Bool {
    refuses(batch, done) || appender.offer(batch, .synced, done: done)
  }

  /// Offers records that cannot be sent again, and waits until there is room. `done` is called once they are written. They are
  /// durable before their results are published.
  /// - Parameter gathers: Whether they may wait for others that arrive soon after.
  /// - Returns: false if the log accepts no more records.
  package func offerPatiently(_ batch: LogBatch, gathers: Bool, done: @escaping @Sendable (LogFault?) -> Void) -> Bool {
    refuses(batch, done) || appender.offerPatiently(batch, gathers ? .gathered : .written, done: done)
  }

  /// Refuses records for which there can never be room.
  private func refuses(_ batch: LogBatch, _ done: (LogFault?) -> Void) -> Bool {
    guard let fault = log.refusal(of: batch) else { return false }
    done(fault)
    return true
  }

  /// The common properties of all records of a source.
  package struct Origin: Sendable {
    /// The envelope up to the record, or nil if there is none.
    fileprivate let head: [UInt8]?
    private let key: [UInt8]?

    /// - Parameter isWrapped: Whether there is an envelope even if neither map nor room is known.
    package init(map: String?, room: String?, isWrapped: Bool) {
      key = room.map { Array($0.utf8) }
      if isWrapped {
        head = Array(
          (#"{"map":"# + Self.quoted(map ?? "wire") + (room.map { #","room":"# + Self.quoted($0) } ?? "") + #","record":"#).utf8)
      } else {
        head = nil
      }
    }

    fileprivate func withKey(_ body: (UnsafeRawBufferPointer?) -> Void) {
      if let key { key.withUnsafeBytes { body($0) } } else { body(nil) }
    }

    fileprivate static func quoted(_ text: String) -> String {
      var quoted = "\""
      for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": quoted += "\\\""
        case "\\": quoted += "\\\\"
        case _ where scalar.value < 0x20:
          let digits = String(scalar.value, radix: 16)
          quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: quoted.unicodeScalars.append(scalar)
        }
      }
      return quoted + "\""
    }
  }

  /// Returns the map that reads envelopes and applies the map that each one names.
  /// - Parameter maps: The values of `--map` and `--from`, as given.
  package static func envelopeMap(_ maps: [String]) -> String {
    let all = Set(maps + ["wire"]).sorted().map { "\(Origin.quoted($0)):\(Origin.quoted($0))" }.joined(separator: ",")
    return
      #"{"map":1,"name":"live","about":"records of several sources, each by its own map","choose":{"at":"/map","root":"/record","#
      + #""fields":{"room":"/room"},"maps":{\#(all)}},"otherwise":{"bad":"no source of this run has this map"}}"#
  }
}
