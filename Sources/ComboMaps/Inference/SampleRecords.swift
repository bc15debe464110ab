internal import ComboCore
internal import ComboWire

/// Samples as a map sees them: JSON, also where they are lines of IRC or Douyu's text.
struct SampleRecords {
  /// What those are that are not JSON.
  private(set) var form = MapDefinition.TextForm.json
  private(set) var records: [[UInt8]] = []

  /// More samples tell no more.
  private static let recordsMax = 5000

  init(_ samples: [[UInt8]]) {
    for sample in samples.prefix(Self.recordsMax) {
      guard let first = sample.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { continue }
      if first == 0x7B || first == 0x5B {
        records.append(sample)
      } else if let json = Self.irc(sample) {
        form = .irc
        records.append(json)
      } else if let json = Self.stt(sample) {
        form = .stt
        records.append(json)
      }
    }
  }

  /// A line of IRC with tags; without them there is nothing in it that a map could use.
  static func irc(_ line: [UInt8]) -> [UInt8]? {
    guard line.first == 0x40 else { return nil }
    let arena = BumpArena(chunkSize: 4096)
    return line.withUnsafeBytes { line in (try? IRCReader().json(of: line, into: arena)).map { Array($0) } }
  }

  /// Douyu's text, `name@=value/` again and again; values stay texts.
  static func stt(_ text: [UInt8]) -> [UInt8]? {
    let text = String(decoding: text, as: UTF8.self)
    let parts = text.split(separator: "/")
    guard !parts.isEmpty, text.hasPrefix("type@=") else { return nil }
    let out = ByteBuffer()
    out.append("{")
    for (place, part) in parts.enumerated() {
      guard let equals = part.firstRange(of: "@=") else { continue }
      if place > 0 { out.append(",") }
      out.append(jsonString: unescaped(part[..<equals.lowerBound]))
      out.append(":")
      out.append(jsonString: unescaped(part[equals.upperBound...]))
    }
    out.append("}")
    return Array(out.bytes)
  }

  private static func unescaped(_ text: Substring) -> String {
    String(text.replacing("@S", with: "/").replacing("@A", with: "@"))
  }
}
