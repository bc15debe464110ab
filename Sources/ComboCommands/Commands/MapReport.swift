internal import ComboMaps
internal import ComboSystem
internal import ComboWire

/// A report on explanations: a table that fits a width, or JSON lines.
struct MapReport {
  private let isJSON: Bool
  private let width: Int
  private var records = 0
  /// Events by type.
  private var events: [String: Int] = [:]
  private var dropped = 0
  private(set) var bad = 0
  /// The number of records that could not be read.
  var unreadable = 0

  init(isJSON: Bool, width: Int) {
    self.isJSON = isJSON
    self.width = max(40, width)
  }

  /// Returns the lines for a record.
  mutating func text(of explanation: MapExplanation, place: String) -> String {
    records += 1
    switch explanation.outcome {
    case .event(let type): events[type, default: 0] += 1 + explanation.further.count
    case .dropped: dropped += 1
    case .bad: bad += 1
    }
    return isJSON ? Self.json(explanation, place) : table(explanation, place)
  }

  /// The summary of all records; empty for JSON.
  var summary: String {
    if isJSON { return "" }
    var parts = events.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    parts += ["\(dropped) dropped", "\(bad) bad"]
    return "\(Counted.text(records, "records")): \(parts.joined(separator: ", "))\n"
  }

  // MARK: - A table

  private func table(_ explanation: MapExplanation, _ place: String) -> String {
    let place = explanation.schema.map { "\(place), schema \($0)" } ?? place
    let by = explanation.rule.map { " by \($0)" } ?? ""
    var head: String
    switch explanation.outcome {
    case .event(let type):
      let further = explanation.further.count
      head = "\(place): \(type)\(by)" + (further > 0 ? ", the first of \(further + 1) in this record" : "")
    case .dropped(let reason): head = "\(place): dropped: \(reason)"
    case .bad(let fault): head = "\(place): BAD, \(fault)"
    }
    head = DisplayWidth.harmless(head) + "\n"
    if explanation.fields.isEmpty { return head }
    let rows = explanation.fields.map { field in
      [field.source, field.found ?? "(missing)", field.name, field.value ?? ""].map(DisplayWidth.harmless)
    }
    let further = explanation.further.enumerated().map { index, values in
      DisplayWidth.harmless("gift \(index + 2): " + values.map { "\($0.name) \($0.value)" }.joined(separator: ", "))
    }
    let lines = Self.aligned([["  FROM", "  VALUE", "FIELD", "RESULT"]] + rows, in: width - 2) + further
    return head + lines.map { "  \($0)\n" }.joined() + "\n"
  }

  /// Aligns columns; if they are too wide, the widest ones shrink.
  static func aligned(_ rows: [[String]], in width: Int) -> [String] {
    let cells = rows.map { row in row.map { $0.drop { $0 == " " } }.map(String.init) }
    let count = cells.map(\.count).max() ?? 0
    var widths = (0..<count).map { column in cells.map { DisplayWidth.columns(of: $0[column]) }.max() ?? 0 }
    let gaps = 2 * (count - 1)
    while widths.reduce(gaps, +) > width, let widest = widths.max(), widest > 8 {
      widths[widths.lastIndex(of: widest)!] -= 1
    }
    return cells.map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        let shown = clipped(cell, widths[column])
        line += shown
        if column + 1 < row.count {
          line += String(repeating: " ", count: widths[column] - DisplayWidth.columns(of: shown) + 2)
        }
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  private static func clipped(_ text: String, _ width: Int) -> String {
    if DisplayWidth.columns(of: text) <= width { return text }
    var clipped = ""
    var columns = 0
    for character in text {
      columns += DisplayWidth.columns(of: character)
      if columns > width - 1 { break }
      clipped.append(character)
    }
    return clipped + "…"
  }

  // MARK: - JSON

  private static func json(_ explanation: MapExplanation, _ place: String) -> String {
    let out = ByteBuffer()
    out.append(#"{"place":"#, jsonString: place)
    out.append(#","schema":"#, jsonString: explanation.schema)
    switch explanation.outcome {
    case .event(let type):
      out.append(#","outcome":"#, jsonString: type)
      out.append(#","events":"#, explanation.further.count + 1)
    case .dropped(let reason): out.append(#","outcome":"dropped","reason":"#, jsonString: reason)
    case .bad(let fault):
      out.append(#","outcome":"bad","code":"#, jsonString: fault.code.rawValue)
      out.append(#","reason":"#, jsonString: fault.reason)
    }
    out.append(#","rule":"#, orNull: explanation.rule)
    out.append(#","fields":"#, explanation.fields) { field in
      out.append(#"{"field":"#, jsonString: field.name)
      out.append(#","from":"#, jsonString: field.source)
      out.append(#","found":"#, orNull: field.found)
      out.append(#","value":"#, orNull: field.value)
      out.append("}")
    }
    if !explanation.further.isEmpty {
      out.append(#","further":"#, explanation.further) { values in
        out.append("{")
        for (index, value) in values.enumerated() {
          out.append(index == 0 ? "" : ",", jsonString: value.name)
          out.append(":", jsonString: value.value)
        }
        out.append("}")
      }
    }
    out.append("}\n")
    return String(decoding: out.bytes, as: UTF8.self)
  }
}
