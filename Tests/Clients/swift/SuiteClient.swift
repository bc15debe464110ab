internal import ComboClient
internal import Glibc

/// The Swift client as a program for Tests/Clients/run: lines in, verdicts and screens out.
///
/// With `--speed` it measures how many instructions, given as JSON lines on standard input, it decodes and processes in a second.
@main
enum SuiteClient {
  static func main() {
    if CommandLine.arguments.contains("--speed") { return measure() }
    var rooms = RoomScreens()
    var room: String?
    var out = ""
    while let line = readLine() {
      let word = line.prefix { $0 != " " }
      if word == "case" {
        rooms = RoomScreens()
        room = nil
        continue
      }
      var verdict = RoomScreen.Verdict.ignore
      if let instruction = DisplayInstruction(String(line.dropFirst(word.count + 1))) {
        verdict = word == "joined" ? rooms.takeJoined(instruction) : rooms.take(instruction)
        room = instruction.room
      }
      out += answer(verdict, room.flatMap { rooms[$0] }?.banners ?? [])
    }
    print(out, terminator: "")
  }

  private static func answer(_ verdict: RoomScreen.Verdict, _ banners: [RoomBanner]) -> String {
    let screen = banners.map { banner in
      let who = [("sender", banner.sender), ("receiver", banner.receiver), ("gift", banner.gift)]
        .compactMap { name, data in data.map { #","\#(name)":\#($0.json)"# } }.joined()
      return #"{"banner":\#(banner.number),"slot":\#(banner.slot),"count":\#(banner.count),"base":\#(banner.base)\#(who)}"#
    }
    return #"{"verdict":"\#(verdict.rawValue)","screen":[\#(screen.joined(separator: ","))]}"# + "\n"
  }

  /// Processes the lines over and over, each time as another viewer, and prints the speed of the best of ten rounds.
  private static func measure() {
    var lines: [[UInt8]] = []
    while let line = readLine() { lines.append(Array(line.utf8)) }
    var best = 0.0
    var drawn = 0
    for _ in 0..<10 {
      let began = processorSeconds()
      var count = 0
      var spent = 0.0
      while spent < 0.3 {
        var rooms = RoomScreens()
        for line in lines {
          guard let instruction = DisplayInstruction(line) else { continue }
          if rooms.take(instruction).draws { drawn += 1 }
        }
        count += lines.count
        spent = processorSeconds() - began
      }
      best = max(best, Double(count) / spent)
    }
    let none = drawn == 0 ? " (none drawn)" : ""
    print(
      "Swift: \(Double(Int(best / 10_000)) / 100) million instructions a second of processor time, decoded and taken in\(none)")
  }

  private static func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
