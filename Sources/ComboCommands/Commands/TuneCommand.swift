internal import ComboEdge
internal import ComboKafka
internal import ComboReplay
internal import ComboSystem
internal import Glibc

/// `tune`: compares many settings on one recording.
enum TuneCommand {
  static func run(_ options: TuneOptions) -> Int32 {
    if let topic = options.topic {
      let feed = RecordFeed()
      let log = ServiceLog(.warning, hiding: topic.kafka)
      return log.exitCode { () throws(EdgeError) in
        let properties = try KafkaProperties(brokers: topic.brokers, clientID: "combo-consumer-tune", topic.kafka, log: log)
        let span = try TopicSpan(properties, topic.name, since: options.since, until: options.until)
        // The thread ends when the replay ends; if the replay never begins, the process ends.
        _ = WorkThread { span.read(into: feed) }
        return run(options, .records(feed), named: topic.name)
      }
    }
    if let data = options.data {
      let feed = RecordFeed()
      do {
        let span = try LogSpan(data, since: options.since, until: options.until)
        var options = options
        if options.map == nil { options.map = try span.map() }
        _ = WorkThread { span.read(into: feed) }
        return run(options, .records(feed), named: data)
      } catch {
        return Console.fail("\(error)")
      }
    }
    guard let input = Console.input(options.file) else { return 1 }
    defer { if options.file != nil { close(input) } }
    return run(options, .lines(LineSource(descriptor: input)), named: options.file ?? "standard input")
  }

  private static func run(_ options: TuneOptions, _ input: ReplayPipeline.Source, named source: String) -> Int32 {
    // Opened before the work, so that a missing folder does not cost an hour's replay.
    var page: Int32 = -1
    if let path = options.html {
      page = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
      guard page >= 0 else { return Console.fail("cannot write \(path): \(String(cString: strerror(errno)))") }
    }
    defer { if page >= 0 { close(page) } }

    let unit = options.topic == nil && options.data == nil ? "lines" : "records"
    var meter = ProgressMeter(of: nil, unit: unit, isAlone: true)
    let threads = options.threads > 0 ? options.threads : max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    let result = TuneReplay(
      input, options.combinations.map(\.settings), map: options.map,
      maxRestedRooms: options.maxRestedRooms, threads: threads,
      report: { Console.write($0.map { "combo-consumer: \($0)\n" }.joined(), to: STDERR_FILENO) },
      progress: { meter.update($0) }
    ).run()
    meter.end(result.lines)
    if let failure = result.failure { return Console.fail("\(source): \(failure)") }
    if result.badLines > 0 {
      Console.report(
        "\(ProgressMeter.grouped(result.badLines)) of \(Counted.text(result.lines, unit)) \(result.badLines == 1 ? "was" : "were") bad and skipped"
      )
    }
    guard result.giftEvents > 0 else {
      return Console.fail(
        "\(source): there are no gifts among its \(Counted.text(result.lines, unit)), so there is nothing to compare")
    }
    let report = TuneReport(result, options.combinations, source: source)
    if let path = options.html {
      guard ftruncate(page, 0) == 0, Console.write(TunePage(report: report).text, to: page) else {
        return Console.fail("cannot write \(path): \(String(cString: strerror(errno)))")
      }
    }
    _ = Console.print(options.isJSON ? TuneJSON.text(of: report) : TuneTable(report: report).text)
    return result.badLines > 0 ? 1 : 0
  }
}
