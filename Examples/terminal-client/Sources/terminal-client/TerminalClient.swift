import ComboClient
import ComboClientHTTP
import Foundation

/// Draws one room's banners in a terminal, from a service's HTTP stream:
///
///     swift run --package-path Examples/terminal-client terminal-client http://127.0.0.1:8080 r0
///
/// With `--seconds N` it ends after N seconds and prints the last screen as plain lines.
@main
struct TerminalClient {
  static func main() async {
    var arguments = Array(CommandLine.arguments.dropFirst())
    var seconds: Int?
    if let at = arguments.firstIndex(of: "--seconds"), at + 1 < arguments.count {
      seconds = Int(arguments[at + 1])
      arguments.removeSubrange(at...at + 1)
    }
    guard arguments.count == 2, let service = URL(string: arguments[0]), service.host != nil else {
      print("usage: terminal-client http://HOST:PORT ROOM [--seconds N]")
      exit(2)
    }
    let room = RoomOnScreen(name: arguments[1])
    let reading = Task {
      for await happened in RoomStream(service: service, room: arguments[1]) { await room.take(happened) }
    }
    let frames = seconds.map { $0 * 30 } ?? .max
    for _ in 0..<frames {
      let text = await room.frame()
      if seconds == nil { FileHandle.standardOutput.write(Data(text.utf8)) }
      try? await Task.sleep(nanoseconds: 33_000_000)
    }
    reading.cancel()
    print(await room.lines().joined(separator: "\n"))
  }
}

/// The whole client: the pacer holds instructions, the screen applies them, and the pool follows.
actor RoomOnScreen {
  private let name: String
  private var screen = RoomScreen()
  private var pool = BannerPool()
  private var pacer = Pacer<DisplayInstruction>()
  private var state = "connecting"

  init(name: String) {
    self.name = name
  }

  private var now: Int64 { Int64(ProcessInfo.processInfo.systemUptime * 1000) }

  func take(_ happened: RoomStream.Element) {
    switch happened {
    case .event(.instruction(let instruction)):
      state = "live"
      pacer.hold(instruction, at: instruction.at, now: now)
    case .event(.screen(let joined)):
      // A screen is the present state, so it is not paced.
      for one in pacer.flush() { draw(one) }
      state = "live"
      if screen.takeJoined(joined) != .ignore { pool.follow(screen, after: joined, now: now) }
    case .event(.ending(_, let sentence)):
      state = sentence
    case .disconnected(let sentence, let retryMs):
      for one in pacer.reset() { draw(one) }
      state = "\(sentence); trying again in \(retryMs) ms"
    case .stale:
      pool.clear(now: now)
    }
  }

  private func draw(_ instruction: DisplayInstruction) {
    let verdict = screen.take(instruction)
    if verdict.clears || verdict.draws { pool.follow(screen, after: instruction, now: now) }
  }

  /// Draws the terminal's upper left: the title, then the slots, the highest first.
  func frame() -> String {
    for one in pacer.due(at: now) { draw(one) }
    pool.sweep(now: now)
    var rows = Array(repeating: "", count: pool.slots)
    for view in pool.views {
      guard let banner = view.banner else { continue }
      let row = pool.slots - 1 - Int(view.place(at: now, pool.motion).rounded())
      let text = line(banner, number: view.number(at: now, pool.motion)) + (view.milestone.map { "  ★ \($0)" } ?? "")
      // The banner slides in from the left, and out again.
      let hidden = Int(Double(text.count) * (1 - view.presence(at: now, pool.motion)))
      if rows.indices.contains(row), view.leftAt == nil || rows[row].isEmpty { rows[row] = String(text.dropFirst(hidden)) }
    }
    let lines = ["\(harmless(name)): \(harmless(state))"] + rows
    return "\u{1b}[H" + lines.map { "\($0)\u{1b}[K\n" }.joined() + "\u{1b}[J"
  }

  /// The banners on screen, lowest slot first.
  func lines() -> [String] {
    ["\(harmless(name)): \(harmless(state)), \(screen.banners.count) on screen, \(pool.views.count) views"]
      + screen.banners.map { "\($0.slot)  \(line($0, number: $0.count))" }
  }

  private func line(_ banner: RoomBanner, number: Int) -> String {
    let to = banner.receiver.map { " → \(harmless($0.name))" } ?? ""
    return "\(harmless(banner.sender?.name ?? "?"))\(to)  \(harmless(banner.gift?.name ?? "?")) ×\(number)"
  }

  /// Names are untrusted: they must not control the terminal.
  private func harmless(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.properties.generalCategory != .control }).prefix(40))
  }
}
