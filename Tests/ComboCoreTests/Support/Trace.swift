import Foundation
import Testing

@testable import ComboCore

/// A test of one room in lines: the time, then `>` and an event, or `<` and an expected instruction. The first lines hold the
/// settings that are not the defaults. A last line `TIME .` advances the time, and expects no more instructions until then.
///
///     slots=1 linger_ms=500
///     0     > ann rose x3                    a gift, as ``OwnedGift/init(_:)`` reads it
///     0     < show 1 ann rose 3
///     200   > own slots=2                    room settings, or none to return to the service's
///     300   > service slots=2                the service has other settings
///     400   > retract ann @host rose         the receiver and the gift are optional
///     500   > closed
///     600   > shift 1000                     from now on everything is 1000 later
///     2000  .
///
/// It is played four times: as it is, advanced every few milliseconds, restored from a snapshot before each event, and by the
/// plain ``Model``.
struct Trace {
  /// The settings. Unless the trace sets another value, skips are not summed.
  private var settings = {
    var settings = Settings()
    settings.skipMs = 0
    return settings
  }()
  private var lines: [(at: Int64, event: Event?, text: String)] = []
  private let expected: [String]

  init(_ text: String) throws {
    var rows = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    while let first = rows.first, Int(first[0]) == nil {
      for setting in try Self.settings(first[...]) { settings.apply(setting) }
      rows.removeFirst()
    }
    expected = rows.map { $0.joined(separator: " ") }
    var service = settings
    for row in rows where row[1] != "<" {
      guard let at = Int64(row[0]) else { throw Unreadable(line: row.joined(separator: " ")) }
      let event = row[1] == ">" ? try Self.event(row[2...], &service) : nil
      lines.append((at, event, row.joined(separator: " ")))
    }
  }

  struct Unreadable: Error { var line: String }

  private static func settings(_ words: ArraySlice<String>) throws -> [Setting] {
    try words.map { word in
      let parts = word.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2 else { throw Unreadable(line: word) }
      return try Setting(name: parts[0], text: parts[1])
    }
  }

  private static func event(_ words: ArraySlice<String>, _ service: inout Settings) throws -> Event {
    let rest = words.dropFirst()
    switch words.first! {
    case "closed": return .closed
    case "shift": return .shift(Int64(rest.first!)!)
    case "own":
      var own = OwnSettings()
      for setting in try settings(rest) { own.add(setting) }
      return .settings(own)
    case "service":
      for setting in try settings(rest) { service.apply(setting) }
      return .adopt(service)
    case "retract":
      let receiver = rest.first { $0.hasPrefix("@") }?.dropFirst() ?? ""
      let gift = rest.dropFirst().first { !$0.hasPrefix("@") } ?? ""
      return .retract(sender: rest.first!, receiver: String(receiver), gift: gift)
    default: return .gift(try OwnedGift(words))
    }
  }

  /// Returns the lines that result when the trace is played.
  private func played(before: (inout Room, Int64) throws -> Void) rethrows -> [String] {
    var room = Room(settings)
    let played = try tell { at, event, tell in
      try before(&room, at)
      room.apply(event ?? .advance, at: at)
      tell(room.sink.said)
    }
    return played + (room.broken.map { [$0] } ?? [])
  }

  /// Returns the lines that result when `play` applies each event and reports all instructions emitted up to then.
  private func tell(_ play: (Int64, Event?, ([Said]) -> Void) throws -> Void) rethrows -> [String] {
    var (played, said, told, epoch, seq): ([String], [Said], Int, Int64?, Int) = ([], [], 0, nil, 0)
    func tell(until time: Int64) {
      while told < said.count, said[told].at < time {
        let next = said[told]
        if next.epoch != epoch {
          if epoch != nil || next.epoch != next.at { played.append("\(next.at) < epoch \(next.epoch)") }
          (epoch, seq) = (next.epoch, 0)
        }
        seq += 1
        if next.seq != seq { played.append("\(next.at) < seq \(next.seq), not \(seq)") }
        played.append(next.description)
        told += 1
      }
    }
    for (at, event, text) in lines {
      try play(at, event) { said = $0 }
      tell(until: event == nil ? .max : at)
      played.append(text)
    }
    tell(until: .max)
    return played
  }

  /// Fails if the instructions differ from those in the trace.
  func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let plain = played { _, _ in }
    compare(plain, "", sourceLocation)
    var last: Int64 = 0
    let advanced = played { room, at in
      while last < at - 7 {
        last += 7
        if !lines.contains(where: { if case .shift? = $0.event { true } else { false } }) { room.apply(.advance, at: last) }
      }
    }
    compare(advanced, "advanced often, ", sourceLocation)
    let restored = try played { room, _ in
      if let engine = room.engine { room.engine = try Snapshot(engine).restored(engine.core.service) }
    }
    compare(restored, "restored often, ", sourceLocation)
    compare(playedByModel(), "by the model ", sourceLocation)
  }

  private func playedByModel() -> [String] {
    var model: Model?
    return tell { at, event, tell in
      if model == nil {
        switch event {
        case .gift?, .settings?: model = Model(at: at, settings)
        case .adopt?, .closed?, .retract?, .shift?, .advance?, nil: break
        }
      }
      model?.apply(event ?? .advance, at: at)
      tell(model?.said ?? [])
    }
  }

  private func compare(_ actual: [String], _ how: String, _ sourceLocation: SourceLocation) {
    if actual == expected { return }
    Issue.record("\(how)it goes so:\n\(actual.joined(separator: "\n"))\n", sourceLocation: sourceLocation)
  }
}

/// Plays a trace, and fails if the instructions differ from those in it.
func check(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
  try Trace(text).check(sourceLocation: sourceLocation)
}
