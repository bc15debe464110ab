internal import ComboEdge
internal import ComboGenerate
internal import ComboKafka
internal import ComboSystem
internal import Glibc

/// Produces made-up gifts to a topic, at the pace of the clock.
struct TopicGenerator {
  private static let withinMs: Int64 = 30_000

  let options: GenerateOptions
  let topic: String
  let brokers: String
  let kafka: [KafkaProperty]

  /// Runs until all records are delivered or a signal arrives; returns an exit code.
  func run() -> Int32 {
    let stop = StopSignal()
    stop.watchSignals()
    let log = ServiceLog(.warning, hiding: kafka)
    defer { log.flush() }
    let truth: TruthFile
    do throws(TruthFile.Failure) {
      truth = try TruthFile(options.truth)
    } catch {
      return Console.fail(error.description)
    }
    do throws(EdgeError) {
      let properties = try KafkaProperties(brokers: brokers, clientID: "combo-consumer-generate", kafka, log: log)
      try reportIfMissing(ControlClient(properties))
      let producer = try TopicProducer(properties, topic: topic, withinMs: Self.withinMs)
      let began = MonotonicClock.nowMs
      let produced =
        options.platform == nil
        ? try produce(to: producer, until: stop) : try produceRecords(to: producer, until: stop, truth)
      guard let produced else { return 1 }
      try producer.flush(withinMs: 60_000)
      if producer.deliveries.failedDeliveries > 0 {
        let why = producer.deliveries.firstFailedDelivery.map { ": \($0)" } ?? ""
        return Console.fail("\(producer.deliveries.failedDeliveries) of \(produced.records) records could not be delivered\(why)")
      }
      Console.report(
        "produced \(Counted.text(produced.gifts, "gifts")) in \(Counted.text(produced.records, "records")) to the topic \"\(topic)\" in"
          + " \(TuneReport.seconds(MonotonicClock.nowMs - began)) s, for up to \(Counted.text(options.mix.rooms, "rooms"))")
      return 0
    } catch {
      return Console.fail(error.message)
    }
  }

  /// Reports a missing topic: if brokers create topics automatically, a typing error would create a new one unnoticed.
  private func reportIfMissing(_ control: ControlClient) throws(EdgeError) {
    if try control.partitionCount(topic, withinMs: Self.withinMs) != nil { return }
    Console.report("the topic \"\(topic)\" does not exist yet: if the brokers create topics by themselves, they create it now")
  }

  /// Generates events and passes them to the producer.
  private func produce(to producer: TopicProducer, until stop: StopSignal) throws(EdgeError) -> (records: Int, gifts: Int) {
    // Events of different runs must not look like repeats of each other.
    let generator = GiftGenerator(options.mix, prefix: "g\(WallClock.nowMs)-\(options.mix.seed)-")
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: GiftGenerator.longest)
    defer { memory.deallocate() }
    let limit = options.events == 0 ? Int.max : options.events
    var meter = ProgressMeter(of: options.events == 0 ? nil : options.events, unit: "events")
    let pace = Pace(rate: options.rate, seconds: options.seconds, begins: MonotonicClock.nowMs)
    while !stop.isSet, generator.tally.events < limit {
      let due = pace.due(at: MonotonicClock.nowMs, made: generator.tally.events)
      if due < 0 { break }
      if due == 0 {
        producer.poll()
        usleep(1000)
        continue
      }
      let now = WallClock.nowMs
      for _ in 0..<min(due, limit - generator.tally.events) {
        let size = generator.make(at: now, to: memory).size
        try producer.produce(key: generator.room, value: UnsafeRawBufferPointer(start: memory, count: size))
      }
      producer.poll()
      meter.update(generator.tally.events)
    }
    meter.clear()
    return (generator.tally.events, generator.tally.gifts)
  }

  /// Generates a platform's records and passes them to the producer when they are due, or all at once if there is no rate.
  /// Returns their number, or nil if the truth file cannot be written.
  private func produceRecords(
    to producer: TopicProducer, until stop: StopSignal, _ truth: borrowing TruthFile
  ) throws(EdgeError) -> (records: Int, gifts: Int)? {
    let start = WallClock.nowMs
    let sends = GenerateCommand.count(options)
    guard var generator = GenerateCommand.platformGenerator(options, start: start, sends: sends, first: Int(start)) else {
      return (0, 0)
    }
    var meter = ProgressMeter(of: sends == Int.max ? nil : sends, unit: "sends")
    defer { meter.clear() }
    let begin = MonotonicClock.nowMs
    var produced = 0
    while !stop.isSet {
      let now = options.rate == 0 ? Int64.max : start + MonotonicClock.nowMs - begin
      var batch = 0
      while batch < Pace.batch, let record = generator.next(upTo: now) {
        try send(record, to: producer)
        batch += 1
      }
      produced += batch
      producer.poll()
      if let failure = truth.add(generator.takeTruth()) {
        Console.report(failure.description)
        return nil
      }
      meter.update(generator.sends)
      if generator.isDone { break }
      if batch < Pace.batch { usleep(1000) }
    }
    return (produced, generator.gifts)
  }

  private func send(_ record: PlatformGenerator.Record, to producer: TopicProducer) throws(EdgeError) {
    let room = Array(record.room.utf8), text = Array(record.text.utf8)
    let result = room.withUnsafeBytes { room in
      text.withUnsafeBytes { text in
        Result { () throws(EdgeError) in try producer.produce(key: room, value: text) }
      }
    }
    try result.get()
  }
}

/// Computes the number of events that are due at an even rate.
struct Pace {
  /// Events per second; 0 for as fast as possible.
  let rate: Int
  /// The duration; 0 for no limit.
  let seconds: Double
  /// The start, in milliseconds of a monotonic clock.
  let begins: Int64

  /// The number of events made at once, with the same time.
  static let batch = 1000

  /// Returns the number of events to make now if `made` have been made: 0 if none is due, below 0 if the time is over.
  func due(at now: Int64, made: Int) -> Int {
    let elapsed = max(0, now - begins)
    let isOver = seconds > 0 && Double(elapsed) >= seconds * 1000
    if rate == 0 { return isOver ? -1 : Self.batch }
    // Events that are late at the end are still made, so that their number does not depend on the machine.
    let last = isOver ? Int64(seconds * 1000) : elapsed
    let due = Int(Double(last) * Double(rate) / 1000) + (isOver ? 0 : 1) - made
    if due <= 0 { return isOver ? -1 : 0 }
    return min(due, Self.batch)
  }
}
