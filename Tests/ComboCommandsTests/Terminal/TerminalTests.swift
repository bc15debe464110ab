import ComboSystem
import Testing

@testable import ComboCommands
@testable import ComboTestSupport

@Suite("The terminal")
struct TerminalTests {
  @Test(
    "columns of a character are those that a terminal takes",
    arguments: [
      ("a", 1), ("é", 1), ("e\u{301}", 1), ("中", 2), ("ｗ", 2), ("🌹", 2), ("🏎️", 2), ("👨‍👩‍👧", 2), ("❄️", 2), ("×", 1),
      ("\u{200d}", 0), ("→", 1), ("가", 2), ("🇨🇳", 2),
    ] as [(Character, Int)])
  func width(character: Character, columns: Int) {
    #expect(DisplayWidth.columns(of: character) == columns)
  }

  @Test("a name's escape sequences and direction marks do not reach the terminal")
  func harmless() {
    #expect(DisplayWidth.harmless("a\u{1b}[2Jb\u{202e}c\u{7}\u{9b}\nd") == "a[2Jbcd")
    // Endless accents, which form one character, do not reach it either.
    var frame = Frame(width: 10, height: 1)
    frame.write("ae" + String(repeating: "\u{301}", count: 5000) + "b", x: 0, y: 0)
    #expect(frame.bytes(after: nil).utf8.count < 100)
    #expect(frame.lines == ["ab"])
  }

  @Test("text is cut at the edges, a wide character never in half")
  func clipping() {
    var frame = Frame(width: 6, height: 1)
    frame.write("中文字符", x: 1, y: 0)
    #expect(frame.lines == [" 中文"])
    frame.write("中", x: -1, y: 0)
    frame.write("x", x: 2, y: 0)
    #expect(frame.lines == ["  x文"])
    frame.write("up", x: 0, y: 3)
    #expect(frame.lines == ["  x文"])
  }

  @Test("two equal frames need no byte, and a changed number only its own")
  func difference() {
    var one = Frame(width: 20, height: 2)
    one.write("小明 🌹 ×7", x: 1, y: 1)
    #expect(one.bytes(after: one) == "")
    var two = one
    two.write("8", x: 10, y: 1)
    #expect(two.bytes(after: one) == "\u{1b}[2;11H\u{1b}[0m8    ")
    let whole = one.bytes(after: nil)
    #expect(whole.hasPrefix("\u{1b}[0m\u{1b}[2J\u{1b}[2;2H"))
    #expect(one.bytes(after: Frame(width: 10, height: 2)) == whole)
  }

  @Test("a change from a wide to a narrow character rewrites both columns")
  func wideDifference() {
    var one = Frame(width: 8, height: 1)
    one.write("中", x: 2, y: 0)
    var two = Frame(width: 8, height: 1)
    two.write("ab", x: 2, y: 0)
    var screen = Screen(width: 8, height: 1)
    screen.process(one.bytes(after: nil))
    #expect(screen.lines == ["  中"])
    screen.process(two.bytes(after: one))
    #expect(screen.lines == ["  ab"])
    screen.process(one.bytes(after: two))
    #expect(screen.lines == ["  中"])
  }

  @Test("whatever the frames are, the terminal shows the last one", arguments: 0..<50)
  func anyFrames(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed))
    let pieces = ["a", "中", "🌹", "🏎️", "bc", " ", "文字"]
    var screen = Screen(width: 12, height: 3)
    var before: Frame?
    for _ in 0..<20 {
      var frame = random.below(3) == 0 ? Frame(width: 12, height: 3) : before ?? Frame(width: 12, height: 3)
      for _ in 0..<random.below(6) {
        let style = Frame.Style(color: random.below(2) == 0 ? nil : 7, isBold: random.below(2) == 0)
        frame.write(pieces[random.below(pieces.count)], x: random.below(14) - 1, y: random.below(3), style: style)
      }
      screen.process(frame.bytes(after: before))
      #expect(screen.lines == frame.lines)
      before = frame
    }
  }

  @Test("progress is shown in groups of three digits")
  func progress() {
    #expect(
      ProgressMeter.line(1_234_567, of: 2_000_000, "events", elapsedMs: 1000) == "1,234,567 events (61 %), 1,234,567 a second")
    #expect(ProgressMeter.line(999, of: nil, "lines", elapsedMs: 0) == "999 lines, 999,000 a second")
    #expect(ProgressMeter.grouped(-1234) == "-1,234")
  }
}

/// The part of a terminal that frames need.
struct Screen {
  private var cells: [[Character?]]
  private var x = 0, y = 0

  init(width: Int, height: Int) {
    cells = Array(repeating: Array(repeating: " ", count: width), count: height)
  }

  mutating func process(_ text: String) {
    var rest = Substring(text)
    while let character = rest.popFirst() {
      if character == "\u{1b}" {
        rest.removeFirst()
        let parameters = rest.prefix { !$0.isLetter }
        rest = rest[parameters.endIndex...]
        let numbers = parameters.split(separator: ";").compactMap { Int($0) }
        switch rest.removeFirst() {
        case "H": (y, x) = (numbers[0] - 1, numbers[1] - 1)
        case "G": x = numbers[0] - 1
        case "J":
          for row in cells.indices { for column in cells[row].indices { cells[row][column] = " " } }
        default: break
        }
        continue
      }
      let columns = DisplayWidth.columns(of: character)
      clear(x)
      cells[y][x] = character
      if columns == 2 {
        clear(x + 1)
        cells[y][x + 1] = nil
      }
      x += columns
    }
  }

  /// Clears a cell. A terminal also drops the other half of a wide character.
  private mutating func clear(_ column: Int) {
    if cells[y][column] == nil, column > 0 { cells[y][column - 1] = " " }
    if column + 1 < cells[y].count, cells[y][column + 1] == nil { cells[y][column + 1] = " " }
    cells[y][column] = " "
  }

  var lines: [String] {
    cells.map { row in
      var line = String(row.compactMap { $0 })
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
