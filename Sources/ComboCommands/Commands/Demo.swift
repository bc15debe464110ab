internal import ComboEdge
internal import ComboGenerate
internal import ComboKafka
internal import ComboSystem
internal import Glibc
internal import Synchronization

/// A broker, a producer of made-up gifts, the service, and a viewer of what it says, all in one process.
final class Demo {
  /// Runs the service until it is told to stop; an exit code.
  typealias RunService = @Sendable (ServiceOptions, StopSignal) -> Int32

  static let notice = "The broker inside this process fakes transactions: it is for looking only."
  private static let partitions = 4

  /// What its threads tell each other.
  final class State: Sendable {
    let gifts = Atomic<Int>(0)
    let serviceCode = Atomic<Int32>(0)
    let failure = Mutex<String?>(nil)
  }

  private let options: DemoOptions
  private let stop: StopSignal
  private let service: RunService
  private let print: (String) -> Void
  private let draws: Bool
  private let url: String?
  private let cluster: MockCluster
  private let properties: KafkaProperties
  private let serviceOptions: ServiceOptions
  private let state = State()

  /// Makes the broker and its topics.
  ///
  /// - Parameters:
  ///   - url: of the pages, if they are served.
  ///   - draws: whether to draw, if there is a terminal.
  ///   - print: takes lines of text otherwise.
  init(
    _ options: DemoOptions, stop: StopSignal, url: String? = nil, service: @escaping RunService, draws: Bool = true,
    print: @escaping (String) -> Void = { Console.write("\($0)\n", to: STDOUT_FILENO) }
  ) throws(EdgeError) {
    self.print = print
    self.draws = draws
    self.url = url
    self.options = options
    self.stop = stop
    self.service = service
    let log = ServiceLog(options.logLevel).ofKafka
    cluster = try MockCluster(log: log)
    properties = try cluster.properties(clientID: "combo-consumer-demo", log: log)
    var serviceOptions = ServiceOptions(
      brokers: cluster.brokers, input: "gifts", output: "banners", group: "demo", transactionalID: "demo")
    serviceOptions.settings = options.settings
    serviceOptions.logLevel = options.logLevel
    self.serviceOptions = serviceOptions
    for topic in [
      serviceOptions.input, serviceOptions.output, serviceOptions.journal, serviceOptions.state, serviceOptions.deadLetter,
    ] {
      try cluster.createTopic(topic, partitions: Self.partitions)
    }
  }

  /// Runs until it is told to stop, or its time is over; an exit code.
  func run() -> Int32 {
    let began = MonotonicClock.nowMs
    let screen = draws ? TerminalScreen() : nil
    let log = screen == nil ? nil : HeldBackLog()
    let threads = [serviceThread(), feederThread()]

    var summary = ""
    do throws(EdgeError) {
      let view = try DemoView(
        options, properties, topic: serviceOptions.output, partitions: Self.partitions, screen: screen, began: began,
        url: url, print: print)
      try view.run(until: stop, state)
      summary = view.summary
    } catch {
      state.failure.withLock { $0 = $0 ?? error.message }
    }
    stop.set()
    for thread in threads { thread.join() }
    screen?.close()
    log?.release()
    if !summary.isEmpty { print(summary) }
    return conclude()
  }

  private func serviceThread() -> WorkThread {
    let (service, serviceOptions, stop, state) = (service, serviceOptions, stop, state)
    return WorkThread {
      state.serviceCode.store(service(serviceOptions, stop), ordering: .releasing)
      if !stop.isSet { state.failure.withLock { $0 = $0 ?? "the service has ended by itself: its log says why" } }
      stop.set()
    }
  }

  /// Makes gifts at the rate asked for.
  private func feederThread() -> WorkThread {
    let (options, properties, topic, stop, state) = (options, properties, serviceOptions.input, stop, state)
    return WorkThread {
      do throws(EdgeError) {
        try Self.feed(options, properties, topic, until: stop, state)
      } catch {
        state.failure.withLock { $0 = $0 ?? error.message }
        stop.set()
      }
    }
  }

  private static func feed(
    _ options: DemoOptions, _ properties: KafkaProperties, _ topic: String, until stop: StopSignal, _ state: State
  ) throws(EdgeError) {
    var mix = GiftMix()
    (mix.rooms, mix.seed, mix.senders, mix.skew, mix.totals, mix.repeats) = (options.rooms, options.seed, 20, 0.5, 0.2, 0.02)
    let generator = GiftGenerator(mix, prefix: "d\(WallClock.nowMs)-")
    let producer = try TopicProducer(properties, topic: topic, withinMs: 10_000)
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: GiftGenerator.longest)
    defer { memory.deallocate() }
    let pace = Pace(rate: options.rate, seconds: 0, begins: MonotonicClock.nowMs)
    while !stop.isSet {
      let due = pace.due(at: MonotonicClock.nowMs, made: generator.tally.events)
      if due <= 0 {
        producer.poll()
        usleep(5000)
        continue
      }
      for _ in 0..<due {
        let size = generator.make(at: WallClock.nowMs, to: memory).size
        try producer.produce(key: generator.room, value: UnsafeRawBufferPointer(start: memory, count: size))
      }
      state.gifts.store(generator.tally.events, ordering: .relaxed)
    }
  }

  private func conclude() -> Int32 {
    if let failure = state.failure.withLock({ $0 }) {
      Console.say(failure)
      return 1
    }
    return state.serviceCode.load(ordering: .acquiring)
  }
}
