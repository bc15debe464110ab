internal import ComboEdge
internal import ComboHTTP
internal import ComboIntake
internal import ComboLog
internal import ComboSystem
internal import ComboWire
internal import Glibc

/// The HTTP side of `live`: accepts events, and serves the instructions of all rooms.
final class LiveGate {
  private let intake: Intake
  private let stage: LogStage
  private let output: Int
  private let defaultMap: String?
  /// The room of requests that name none, or nil if their records name it.
  private let defaultRoom: String?
  private let isWrapped: Bool
  /// The maps that a request may name.
  private let maps: Set<String>
  private let decoder: LiveRecordDecoder
  private let refusalLog: RefusalLog

  init(_ intake: Intake, _ options: LiveOptions, _ stage: LogStage, _ refusalLog: RefusalLog) {
    self.intake = intake
    self.refusalLog = refusalLog
    self.stage = stage
    output = stage.stream(.output)
    isWrapped = options.isWrapped
    let post = options.sources.first { $0.place == .post }
    defaultMap = post?.map ?? options.defaultMap
    defaultRoom = post?.room
    decoder = LiveRecordDecoder(options.map)
    maps = Set(options.sources.compactMap(\.map) + (options.defaultMap.map { [$0] } ?? []) + ["wire"])
  }

  /// The server's access to it.
  var gate: EventGate {
    EventGate(
      accept: accept, end: { [stage, output] in stage.file.bounds(output).next }, instructions: instructions,
      onNews: stage.file.onCommit)
  }

  private func accept(_ body: [UInt8], map: String?, room: String?, done: @escaping @Sendable (HTTPResponse) -> Void) {
    if let map, !maps.contains(map) || !isWrapped {
      return done(
        .error(400, "live was not started with the map \(Sentence.quoted(map)): restart it with --from post,map=\(map)"))
    }
    if room != nil, !isWrapped {
      return done(.error(400, "a room in the address needs a map: restart live with --from post,map=wire"))
    }
    var batch = LogBatch()
    let origin = Intake.Origin(map: map ?? defaultMap, room: room ?? defaultRoom, isWrapped: isWrapped)
    let now = WallClock.nowMs
    do throws(RecordSplitter.Fault) {
      try RecordSplitter.split(body) { intake.add($0, of: origin, to: &batch, at: now) }
    } catch {
      return done(.error(400, error.description))
    }
    if batch.isEmpty {
      return done(.error(400, "the body has no event: send an object, an array of objects, or one object per line"))
    }
    let count = batch.count
    let answer = answer(batch)
    let isTaken = intake.offer(batch) { [refusalLog] fault in
      refusalLog.add(count, fault)
      switch fault?.code {
      case nil: done(HTTPResponse(200, HTTPResponse.json, answer, [("Cache-Control", "no-store")]))
      case .tooLarge: done(.error(413, fault!.message))
      case .full: done(.error(507, fault!.message, [("Retry-After", "10")]))
      default: done(.error(500, fault!.message))
      }
    }
    if !isTaken { done(.error(429, "events arrive faster than they can be stored: send these again", [("Retry-After", "1")])) }
  }

  private func instructions(from place: Int64, bytesMax: Int) -> (records: [(place: Int64, record: [UInt8])], next: Int64) {
    let page = LogPage()
    let first = max(place, stage.file.bounds(output).first)
    guard let next = try? stage.file.read(output, from: first, bytesMax: bytesMax, into: page) else { return ([], place) }
    return (page.records.compactMap { record in page.value(record).map { (record.offset, [UInt8]($0)) } }, next)
  }

  /// Returns the response to a client, the outcomes of its records: `{"taken":3}`, with the numbers of dropped and bad records if
  /// there are any, and the fault of the first bad one. The service decides in the same way, by the same map, except that it also
  /// refuses settings once too many rooms have their own. Used on the server's thread only.
  private func answer(_ batch: LogBatch) -> [UInt8] {
    var (number, bad, dropped) = (0, 0, 0)
    var first: (number: Int, fault: BadEvent)?
    batch.eachRecord { key, value in
      number += 1
      guard let value else { return }
      do throws(BadEvent) {
        if try decoder.room(of: value, key: key) == nil { dropped += 1 }
      } catch {
        bad += 1
        if first == nil { first = (number, error) }
      }
    }
    let buffer = ByteBuffer(capacity: 128)
    buffer.append("{\"taken\":\(number)")
    if dropped > 0 { buffer.append(",\"dropped\":\(dropped)") }
    if let first {
      buffer.append(
        ",\"bad\":\(bad),\"first_bad\":{\"record\":\(first.number),\"code\":\"\(first.fault.code.rawValue)\",\"reason\":")
      buffer.append(jsonString: first.fault.reason)
      buffer.append("}")
    }
    buffer.append("}\n")
    return buffer.array
  }
}

/// Prints the instructions of all rooms from now on, one per line.
final class LivePrinter: Sendable {
  private let isStopped = StopFlag()
  private let failure = StopFlag()
  private let file: LogFile
  private let thread: WorkThread

  /// - Parameter stop: Set if standard output cannot be written. A reader that is gone is no failure.
  init(_ stage: LogStage, _ stop: StopFlag) {
    file = stage.file
    let output = stage.stream(.output)
    thread = WorkThread { [file, isStopped, failure] in
      guard let error = Self.run(file, output, isStopped), error != EPIPE else { return }
      Console.report("cannot write to standard output: \(String(cString: strerror(error)))")
      failure.set()
      stop.set()
    }
  }

  /// Whether standard output could not be written.
  var hasFailed: Bool { failure.isSet }

  /// Prints the remaining instructions, and ends. Must be called only once.
  func stop() {
    isStopped.set()
    file.committed.ring()
    thread.join()
  }

  /// - Returns: The number of the error if standard output cannot be written, or nil.
  private static func run(_ file: LogFile, _ output: Int, _ isStopped: StopFlag) -> Int32? {
    var place = file.bounds(output).next
    let page = LogPage()
    while true {
      let rings = file.committed.rings
      let ends = isStopped.isSet
      page.removeAll()
      do throws(LogFault) {
        place = try file.read(output, from: max(place, file.bounds(output).first), into: page)
      } catch {
        // Retention has deleted the records meanwhile.
        if error.code == .outOfRange { continue }
        return nil
      }
      if page.isEmpty {
        if ends { return nil }
        file.committed.wait(after: rings, maxMs: 10_000)
        continue
      }
      var lines: [UInt8] = []
      for record in page.records {
        guard let value = page.value(record) else { continue }
        lines.append(contentsOf: value)
        lines.append(UInt8(ascii: "\n"))
      }
      if !lines.withUnsafeBytes({ Console.write($0, to: 1) }) { return errno }
    }
  }
}
