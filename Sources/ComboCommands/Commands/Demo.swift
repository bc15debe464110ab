internal import ComboEdge
internal import ComboGenerate
internal import ComboLog
internal import ComboSystem
internal import Glibc
internal import Synchronization

/// A demo in one process: a log, a producer of made-up gifts, the service, and a viewer of its output.
struct Demo {
  /// Runs the service until it is stopped; returns an exit code.
  typealias RunService = @Sendable (LogStage, StopSignal) -> Int32

  static let notice = "Only the gifts are made up. Everything else runs as in production, exactly once."

  /// The state shared by its threads.
  final class State: Sendable {
    let gifts = Atomic<Int>(0)
    let serviceCode = Atomic<Int32>(0)
    let failure = Mutex<String?>(nil)
  }

  let options: DemoOptions
  let stage: LogStage
  let stop: StopSignal
  /// The address of the pages, if they are served.
  var url: String?
  let service: RunService
  /// Whether to draw if there is a terminal.
  var draws = true
  /// Receives lines of text if nothing is drawn.
  var print: (String) -> Void = { Console.write("\($0)\n", to: STDOUT_FILENO) }
  private let state = State()

  /// Runs until it is stopped or its time is over; returns an exit code.
  func run() -> Int32 {
    let began = MonotonicClock.nowMs
    let screen = draws ? TerminalScreen() : nil
    let log = screen == nil ? nil : HeldBackLog()
    let threads = [serviceThread(), feederThread()]

    var summary = ""
    do throws(LogFault) {
      let view = DemoView(options, stage, screen: screen, began: began, url: url, print: print)
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
    if let failure = state.failure.withLock({ $0 }) { return Console.fail(failure) }
    return state.serviceCode.load(ordering: .acquiring)
  }

  private func serviceThread() -> WorkThread {
    let (service, stage, stop, state) = (service, stage, stop, state)
    return WorkThread {
      state.serviceCode.store(service(stage, stop), ordering: .releasing)
      if !stop.isSet { state.failure.withLock { $0 = $0 ?? "the service has ended; its log has the reason" } }
      stop.set()
    }
  }

  /// Generates gifts at the configured rate.
  private func feederThread() -> WorkThread {
    let (options, stage, stop, state) = (options, stage, stop, state)
    return WorkThread {
      do throws(LogFault) {
        try Self.feed(options, stage, until: stop, state)
      } catch {
        state.failure.withLock { $0 = $0 ?? error.message }
        stop.set()
      }
    }
  }

  private static func feed(
    _ options: DemoOptions, _ stage: LogStage, until stop: StopSignal, _ state: State
  ) throws(LogFault) {
    var mix = GiftMix()
    (mix.rooms, mix.seed, mix.senders, mix.skew, mix.totals, mix.repeats) = (options.rooms, options.seed, 20, 0.5, 0.2, 0.02)
    let generator = GiftGenerator(mix, prefix: "d\(WallClock.nowMs)-")
    let input = stage.stream(.input)
    var batch = LogBatch()
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: GiftGenerator.longest)
    defer { memory.deallocate() }
    let pace = Pace(rate: options.rate, seconds: 0, begins: MonotonicClock.nowMs)
    while !stop.isSet {
      let due = pace.due(at: MonotonicClock.nowMs, made: generator.tally.events)
      if due <= 0 {
        usleep(5000)
        continue
      }
      for _ in 0..<due {
        let now = WallClock.nowMs
        let size = generator.make(at: now, to: memory).size
        batch.append(input, key: generator.room, value: UnsafeRawBufferPointer(start: memory, count: size), timestamp: now)
      }
      try stage.file.append(batch)
      batch.removeAll()
      state.gifts.store(generator.tally.events, ordering: .relaxed)
    }
  }
}
