internal import ComboCore
internal import ComboEdge
internal import ComboLog
internal import ComboSystem
internal import Synchronization

/// The view of a demo: the banners of its rooms, read from the output topic.
final class DemoView {
  private static let frameMs: Int64 = 33
  private static let recentMs: Int64 = 20_000

  private let options: DemoOptions
  private let file: LogFile
  private let output: Int
  /// The offset in the output from which to continue reading.
  private var place: Int64
  private let page = LogPage()
  private let screen: TerminalScreen?
  private let began: Int64
  private let print: (String) -> Void
  private var stage = Stage()
  /// A summary in one line.
  private(set) var summary = ""
  private var painter = StagePainter()

  /// - Parameters:
  ///   - screen: The terminal, or nil to print lines of text instead.
  ///   - print: Receives these lines.
  ///   - url: The address of the pages, if they are served.
  ///   - began: The start of the demo, in milliseconds of ``MonotonicClock/nowMs``.
  init(
    _ options: DemoOptions, _ stage: LogStage, screen: TerminalScreen?, began: Int64, url: String? = nil,
    print: @escaping (String) -> Void
  ) {
    self.print = print
    self.options = options
    self.screen = screen
    self.began = began
    file = stage.file
    output = stage.stream(.output)
    // Banners of an earlier run that may still be on screen.
    let recent = try? stage.file.offset(stage.stream(.output), atMs: WallClock.nowMs - Self.recentMs)
    place = recent ?? stage.file.bounds(stage.stream(.output)).next
    painter.settings = options.settings
    // Each line fits into 80 columns.
    painter.footer = [Demo.notice, (url.map { "In a browser: \($0)   " } ?? "") + "Ctrl-C or q stops it."]
    if screen == nil {
      print(Demo.notice)
      if let url { print("In a browser: \(url)") }
    }
  }

  /// Draws until it is stopped, its time is over, or the terminal is gone.
  func run(until stop: StopSignal, _ state: Demo.State) throws(LogFault) {
    while !stop.isSet {
      let now = MonotonicClock.nowMs
      if options.seconds > 0, Double(now - began) >= options.seconds * 1000 { break }
      try read(at: now)
      if let screen {
        stage.sweep(at: now, exitMs: options.settings.exitMs)
        // Read each time, so that a resized window needs no signal.
        let size = TerminalScreen.size() ?? (80, 24)
        painter.title = title(state.gifts.load(ordering: .relaxed), at: now)
        if !screen.show(painter.frame(stage, at: now, width: size.width, height: size.height)) || screen.isQuitTyped() { break }
      }
      MonotonicClock.sleep(ms: max(0, Self.frameMs - (MonotonicClock.nowMs - now)))
    }
    summary = title(state.gifts.load(ordering: .relaxed), at: MonotonicClock.nowMs)
  }

  private func read(at now: Int64) throws(LogFault) {
    // Bounded, so that a flood of instructions cannot hold up the frame.
    for _ in 0..<20 {
      page.removeAll()
      place = try file.read(output, from: max(place, file.bounds(output).first), recordsMax: 1000, into: page)
      if page.isEmpty { return }
      for record in page.records {
        guard let value = page.value(record), let instruction = stage.apply(value, at: now), screen == nil else { continue }
        if let line = PlainLines.line(for: instruction, in: stage) { print(line) }
        stage.sweep(at: now, exitMs: 0)
      }
    }
  }

  private func title(_ gifts: Int, at now: Int64) -> String {
    let counts = "\(Counted.text(gifts, "gifts")), \(Counted.text(stage.instructions, "instructions"))"
    let waiting = stage.shows == 0 ? " (the first banner comes within seconds)" : ""
    return "combo-consumer demo: \(counts), \(Counted.text(stage.shows, "banners")), \((now - began) / 1000) s\(waiting)"
  }
}
