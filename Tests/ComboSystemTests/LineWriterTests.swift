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

  /// Reads lines until `isEnough` returns true for all of them, or nothing arrives for a minute.
  private static func lines(from file: Int32, until isEnough: ([Substring]) -> Bool) -> [Substring] {
    var text: [UInt8] = []
    var lines: [Substring] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !isEnough(lines) {
      var waiting = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
      if poll(&waiting, 1, 60_000) <= 0 { break }
      let got = read(file, &buffer, buffer.count)
      if got <= 0 { break }
      text += buffer[..<got]
      if text.last == UInt8(ascii: "\n") { lines = String(decoding: text, as: UTF8.self).split(separator: "\n") }
    }
    return lines
  }

  @Test("never waits for a pipe that nobody reads, and once somebody does, reports the number of dropped lines in their place")
  func full() {
    let (reading, writing) = Self.pipe()
    let writer = LineWriter(writing, bytesMax: 100_000)
    // A pipe holds 64 KiB. If the caller had to wait for it, this would never end.
    for number in 0..<5000 {
      writer.write("\(number) " + String(repeating: "x", count: 90)) { count, _ in "\(count) dropped" }
    }
    // Each line arrives, or is counted where it is missing.
    var next = 0
    var dropped = 0
    let isNext = { (line: Substring) in
      let number = Int(line.split(separator: " ")[0])!
      if line.hasSuffix("dropped") {
        dropped += number
        next += number
        return true
      }
      next += 1
      return number == next - 1
    }
    var checked = 0
    var areInOrder = true
    _ = Self.lines(from: reading) { lines in
      for line in lines[checked...] where !isNext(line) { areInOrder = false }
      checked = lines.count
      return next >= 5000
    }
    #expect(next == 5000 && dropped > 0 && areInOrder, "\(checked) lines came, \(dropped) dropped")
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
    #expect(Self.lines(from: reading) { $0.last == "999" }.map(String.init) == (0..<1000).map(String.init))
    close(reading)
  }
}
