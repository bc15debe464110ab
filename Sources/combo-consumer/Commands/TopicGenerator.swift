internal import Glibc

/// Made-up gifts into a topic, at the pace of the clock.
struct TopicGenerator {
  let options: GenerateOptions
  let topic: String
  let brokers: String
  let kafka: [KafkaProperty]

  init(_ options: GenerateOptions, topic: String, brokers: String, kafka: [KafkaProperty]) {
    self.options = options
    self.topic = topic
    self.brokers = brokers
    self.kafka = kafka
  }

  /// Runs until all are delivered, or a signal comes; an exit code.
  func run() -> Int32 {
    let stop = StopSignal()
    stop.watchSignals()
    let log = ServiceLog(.warning)
    log.hide(kafka.secrets)
    defer { log.flush() }
    do throws(KafkaError) {
      let properties = try KafkaProperties(
        brokers: brokers, clientID: "combo-consumer-generate",
        overrides: kafka.map { KafkaProperties.Override(key: $0.key, value: $0.value) }, log: log.ofKafka)
      let producer = try TopicProducer(properties, topic: topic, withinMs: 30_000)
      let tally = try produce(to: producer, until: stop)
      try producer.flush(withinMs: 60_000)
      if producer.failedDeliveries > 0 {
        let why = producer.firstFailedDelivery.map { ": \($0)" } ?? ""
        Console.say("\(producer.failedDeliveries) of \(tally.events) events could not be delivered\(why)")
        return 1
      }
      return 0
    } catch {
      Console.say(error.message)
      return 1
    }
  }

  /// Makes events and hands them to the producer.
  private func produce(to producer: TopicProducer, until stop: StopSignal) throws(KafkaError) -> GiftGenerator.Tally {
    // Another run's events must not pass for repeats of these.
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
      meter.tell(generator.tally.events)
    }
    meter.end(generator.tally.events)
    return generator.tally
  }
}

/// How many events are due, at an even rate.
struct Pace {
  /// Events a second; 0: as fast as it goes.
  let rate: Int
  /// For how long; 0: no limit.
  let seconds: Double
  /// In milliseconds of a clock that never runs back.
  let begins: Int64

  /// Events made at once: so many share a time.
  static let batch = 1000

  /// How many to make now, if `made` are made; 0: none yet; below 0: the time is over.
  func due(at now: Int64, made: Int) -> Int {
    let elapsed = max(0, now - begins)
    let isOver = seconds > 0 && Double(elapsed) >= seconds * 1000
    if rate == 0 { return isOver ? -1 : Self.batch }
    // Those that are late when the time is over are still made, so that the number does not depend on the machine.
    let last = isOver ? Int64(seconds * 1000) : elapsed
    let due = Int(Double(last) * Double(rate) / 1000) + (isOver ? 0 : 1) - made
    if due <= 0 { return isOver ? -1 : 0 }
    return min(due, Self.batch)
  }
}
