internal import ComboClient
internal import ComboCore
internal import ComboEdge
internal import ComboKafka
internal import ComboSystem

/// `watch`: draws a room's banners in the terminal, from the output topic.
enum WatchCommand {
  static func run(_ options: WatchOptions) -> Int32 {
    let stop = StopSignal()
    stop.watchSignals()
    let log = ServiceLog(options.logLevel, hiding: options.kafka)
    return log.exitCode { () throws(EdgeError) in
      let properties = try KafkaProperties(brokers: options.brokers, clientID: "combo-consumer-watch", options.kafka, log: log)
      let feed = try RoomFeed(properties, topic: options.output, room: options.room, input: options.input)
      var watch = Watch(options, feed, stop: stop)
      return try watch.run()
    }
  }
}

/// Shows a room until it is stopped.
struct Watch {
  private static let frameMs: Int64 = 33
  /// The maximum time by which the search for the room's screen goes back.
  private static let backMsMax: Int64 = 3_600_000
  /// The time for which `--once` waits for a room's screen.
  private static let onceMs: Int64 = 15_000

  private let options: WatchOptions
  private let feed: RoomFeed
  private let stop: StopSignal
  private let print: (String) -> Void
  private var stage: Stage
  private let began = MonotonicClock.nowMs

  init(
    _ options: WatchOptions, _ feed: RoomFeed, stop: StopSignal,
    print: @escaping (String) -> Void = { Console.write("\($0)\n", to: 1) }
  ) {
    self.options = options
    self.feed = feed
    self.stop = stop
    self.print = print
    stage = Stage(room: options.room)
  }

  /// Runs until it is stopped; returns an exit code.
  mutating func run() throws(EdgeError) -> Int32 {
    try searchBack()
    if options.isOnce { return try once() }
    guard let screen = TerminalScreen() else {
      try lines()
      return 0
    }
    let log = HeldBackLog()
    defer {
      screen.close()
      log?.release()
    }
    try draw(on: screen)
    return 0
  }

  /// Reads from earlier and earlier times until the screen is known. A room's screen follows from its newest `screen`, or from
  /// all instructions of its epoch. A room that has been silent for that long has an empty screen.
  private mutating func searchBack() throws(EdgeError) {
    var backMs = Int64(options.backSeconds * 1000)
    while !stop.isSet {
      stage = Stage(room: options.room)
      try feed.rewind(to: WallClock.nowMs - backMs)
      while !feed.isCaughtUp, !stop.isSet { try read(maxWaitMs: 20) { _ in } }
      stage.sweep(at: MonotonicClock.nowMs, exitMs: 0)
      if !feed.hasReceived {
        stage.beginEmpty()
        return
      }
      if screen.isKnown || backMs >= Self.backMsMax { return }
      backMs = min(Self.backMsMax, max(1000, backMs) * 4)
    }
  }

  private var screen: RoomStage { stage.rooms[0].screen }

  private mutating func read(maxWaitMs: Int32, _ show: (DisplayInstruction) -> Void) throws(EdgeError) {
    let now = MonotonicClock.nowMs
    try feed.read(maxWaitMs: maxWaitMs) { value in
      if let instruction = stage.apply(value, at: now) { show(instruction) }
    }
  }

  private var isOver: Bool {
    stop.isSet || options.seconds > 0 && Double(MonotonicClock.nowMs - began) >= options.seconds * 1000
  }

  // MARK: - For scripts

  /// Prints one line per banner, the lowest slot first.
  private mutating func once() throws(EdgeError) -> Int32 {
    let deadline = MonotonicClock.nowMs + Self.onceMs
    while !screen.isKnown, !stop.isSet, MonotonicClock.nowMs < deadline { try read(maxWaitMs: 50) { _ in } }
    guard screen.isKnown else {
      Console.report(
        "the screen of \(Sentence.quoted(options.room)) cannot be determined: it emitted no `screen` in the last \(Self.backMsMax / 60_000) minutes and"
          + " in the \(Self.onceMs / 1000) s since this command began. Check that --screen-ms of the service is not 0")
      return 1
    }
    for banner in screen.banners.filter({ $0.left == nil }).sorted(by: { $0.slot < $1.slot }) {
      let fields = ["\(banner.slot)", "\(banner.count)", banner.sender, banner.receiver ?? "", banner.gift]
      print(fields.map(DisplayWidth.harmless).joined(separator: "\t"))
    }
    return 0
  }

  // MARK: - Without a terminal

  private mutating func lines() throws(EdgeError) {
    if !feed.hasReceived { Console.report("room \(Sentence.quoted(options.room)) \(silence): waiting for it") }
    for banner in screen.banners.filter({ $0.left == nil }).sorted(by: { $0.slot < $1.slot }) {
      print(PlainLines.line("=", options.room, banner))
    }
    while !isOver {
      var instructions: [DisplayInstruction] = []
      try read(maxWaitMs: 50) { instructions.append($0) }
      for instruction in instructions { if let line = PlainLines.line(for: instruction, in: stage) { print(line) } }
      stage.sweep(at: MonotonicClock.nowMs, exitMs: 0)
    }
  }

  // MARK: - In a terminal

  private mutating func draw(on terminal: TerminalScreen) throws(EdgeError) {
    var painter = StagePainter()
    painter.settings = options.settings
    painter.columnsMax = 1
    var receivedAt: Int64?
    while !isOver {
      let now = MonotonicClock.nowMs
      var hasReceived = false
      try read(maxWaitMs: 0) { _ in hasReceived = true }
      if hasReceived { receivedAt = now }
      stage.sweep(at: now, exitMs: options.settings.exitMs)
      // A room may have its own settings and more slots than others. Slots that were once needed stay.
      painter.settings.slots = min(100, max(painter.settings.slots, (screen.banners.map(\.slot).max() ?? 0) + 1))
      painter.title = "combo-consumer watch: \(options.room)"
      painter.footer = screen.ended.map { "Ended: \($0)" } + [state(receivedAt, at: now), "Ctrl-C or q stops it."]
      // Read each time, so that a resized window needs no signal.
      let size = TerminalScreen.size() ?? (80, 24)
      if !terminal.show(painter.frame(stage, at: now, width: size.width, height: size.height)) || terminal.isQuitTyped() {
        return
      }
      MonotonicClock.sleep(ms: max(0, Self.frameMs - (MonotonicClock.nowMs - now)))
    }
  }

  /// The end of a sentence about a room without records, which is also true of a misspelled id.
  private var silence: String {
    "has published nothing in the last \(Counted.text(Int(options.backSeconds.rounded(.up)), "seconds"))"
  }

  private func state(_ receivedAt: Int64?, at now: Int64) -> String {
    if !screen.isKnown { return "Waiting for the room's next `screen`." }
    let place =
      screen.seq > 0
      ? "seq \(screen.seq), \(Counted.text(stage.instructions, "instructions"))"
      : feed.hasReceived ? "quiet" : "The room \(silence)."
    return place + (receivedAt.map { ", the last \((now - $0) / 1000) s ago" } ?? "")
  }
}
