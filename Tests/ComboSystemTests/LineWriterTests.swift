import Glibc
import Testing

@testable import ComboSystem

@Suite("A writer of lines")
struct LineWriterTests {
  /// A pipe: what is written to its second file is read from its first.
  private static func pipe() -> (read: Int32, write: Int32) {
    var files: [Int32] = [0, 0]
    precondition(Glibc.pipe(&files) == 0)
    return (files[0], files[1])
  }

  /// Reads until a line ends with `end`.
  private static func lines(from file: Int32, upTo end: String) -> [Substring] {
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let got = read(file, &buffer, buffer.count)
      if got <= 0 { break }
      text += buffer[..<got]
      if String(decoding: text.suffix(end.utf8.count + 1), as: UTF8.self) == end + "\n" { break }
    }
    return String(decoding: text, as: UTF8.self).split(separator: "\n")
  }

  @Test("never waits for a pipe that nobody reads, and says how many lines it dropped once somebody does")
  func full() {
    let (reading, writing) = Self.pipe()
    let writer = LineWriter(writing, bytesMax: 100_000)
    let line = String(repeating: "x", count: 99)
    // A pipe takes 64 KiB: if the caller had to wait for it, this would never end.
    for _ in 0..<5000 { writer.write(line) { count, _ in "\(count) dropped" } }
    writer.drain(withinMs: 1)
    var told = 0
    var kept = 0
    // What was dropped is told once; the count and the lines that came make 5000.
    for found in Self.lines(from: reading, upTo: "dropped") {
      if found == line { kept += 1 }
      if found.hasSuffix("dropped") { told = Int(found.split(separator: " ")[0])! }
    }
    #expect(told > 0 && kept + told == 5000, "\(kept) came, \(told) dropped")
    close(reading)
    close(writing)
  }

  @Test("writes in order, and all of it before the process ends")
  func order() {
    let (reading, writing) = Self.pipe()
    let writer = LineWriter(writing)
    for number in 0..<1000 { writer.write("\(number)") }
    writer.drain(withinMs: 60_000)
    close(writing)
    #expect(Self.lines(from: reading, upTo: "999").map(String.init) == (0..<1000).map(String.init))
    close(reading)
  }
}
