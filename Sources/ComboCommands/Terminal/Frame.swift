internal import ComboSystem

/// The screen of a terminal: a grid of characters with styles.
struct Frame: Equatable, Sendable {
  struct Style: Equatable, Sendable {
    /// An index into the 256 colours, or nil for the terminal's own.
    var color: UInt8?
    var isBold = false
    var isDim = false

    static let plain = Style()

    /// The escape sequence that sets the style, whatever was set before.
    var sequence: String {
      "\u{1b}[0" + (isBold ? ";1" : "") + (isDim ? ";2" : "") + (color.map { ";38;5;\($0)" } ?? "") + "m"
    }
  }

  /// A column of a row. A wide character is in the first of its two cells; the second is empty.
  struct Cell: Equatable, Sendable {
    var text: Character?
    var style: Style

    static let blank = Cell(text: " ", style: .plain)
  }

  private static let scalarsMax = 16

  let width: Int
  let height: Int
  private(set) var cells: [Cell]

  /// Creates a blank frame.
  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    cells = Array(repeating: .blank, count: width * height)
  }

  /// Writes `text` to row `y` from column `x`. Parts outside the columns `clip`, also to the left, are not shown. Returns the
  /// column after the text.
  @discardableResult
  mutating func write(_ text: String, x: Int, y: Int, style: Style = .plain, clip: Range<Int>? = nil) -> Int {
    let clip = (clip ?? 0..<width).clamped(to: 0..<width)
    var x = x
    for character in DisplayWidth.harmless(text) {
      // No letter has so many accents, and no family emoji so many members. A name of combining marks alone would be one
      // character.
      if character.unicodeScalars.count > Self.scalarsMax { continue }
      let columns = DisplayWidth.columns(of: character)
      if columns == 0 { continue }
      if (0..<height).contains(y), x >= clip.lowerBound, x + columns <= clip.upperBound {
        clearWide(x, y)
        cells[y * width + x] = Cell(text: character, style: style)
        if columns == 2 {
          clearWide(x + 1, y)
          cells[y * width + x + 1] = Cell(text: nil, style: style)
        }
      }
      x += columns
    }
    return x
  }

  /// Clears the other half of a wide character that is overwritten.
  private mutating func clearWide(_ x: Int, _ y: Int) {
    let index = y * width + x
    if cells[index].text == nil, x > 0 { cells[index - 1] = .blank }
    if x + 1 < width, cells[index + 1].text == nil { cells[index + 1] = .blank }
  }

  /// The rows as text, without styles and trailing blanks.
  var lines: [String] {
    (0..<height).map { y in
      var line = ""
      for cell in cells[y * width..<(y + 1) * width] { if let text = cell.text { line.append(text) } }
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// Returns the bytes that change a terminal that shows `previous` to this frame: only the differences, and nothing if there are
  /// none. Returns the whole frame if there is no previous one, or its size differs.
  func bytes(after previous: Frame?) -> String {
    let isWhole = previous == nil || previous!.width != width || previous!.height != height
    var out = isWhole ? "\u{1b}[0m\u{1b}[2J" : ""
    var style = isWhole ? Style.plain : nil
    let old = isWhole ? Frame(width: width, height: height) : previous!
    for y in 0..<height {
      var x = 0
      while x < width {
        if cells[y * width + x] == old.cells[y * width + x] {
          x += 1
          continue
        }
        // Draws until four columns in a row are unchanged. A difference begins with a whole character, as the second column of a
        // wide one never changes without its first.
        out += "\u{1b}[\(y + 1);\(x + 1)H"
        var same = 0
        while x < width, same < 4 || cells[y * width + x].text == nil {
          let cell = cells[y * width + x]
          same = cell == old.cells[y * width + x] ? same + 1 : 0
          if let text = cell.text {
            if cell.style != style {
              out += cell.style.sequence
              style = cell.style
            }
            out.append(text)
            // Terminals disagree on the width of such characters, so the next column is set explicitly.
            if text.unicodeScalars.count > 1 || text.unicodeScalars.first!.value > 0xffff {
              out += "\u{1b}[\(x + 1 + DisplayWidth.columns(of: text))G"
            }
          }
          x += 1
        }
      }
    }
    return out
  }
}
