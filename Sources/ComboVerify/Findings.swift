internal import ComboSystem

/// The differences by kind: the first of each, and their number.
package struct Findings: Equatable, Sendable {
  /// The kinds in the order in which they are reported.
  package enum Kind: Int, CaseIterable, Sendable {
    /// The journal, the state or the input is damaged, so that something cannot be derived.
    case source
    /// The output differs from what was derived.
    case bytes
    /// A derived instruction is not in the output.
    case missing
    /// The output has an instruction that could not be derived.
    case madeUp
    /// A gap, a repetition, or a wrong order.
    case sequence
    /// A client's drawing differs from the room's screen, or an instruction cannot be drawn.
    case screen
    /// The gifts in the output are not those of the input.
    case conservation
    /// A record of the output is in another partition than its room's, or has another time than its instruction.
    case place
    /// The output has a record that does not belong there.
    case foreign
  }

  /// The first difference of a kind, and the number of all.
  package struct Found: Equatable, Sendable {
    package var sentence: String
    /// The time of the first, in milliseconds since the Unix epoch.
    package var at: Int64
    package var count: Int
  }

  private(set) var byKind: [Kind: Found] = [:]

  package var isEmpty: Bool { byKind.isEmpty }

  package func count(_ kind: Kind) -> Int { byKind[kind]?.count ?? 0 }

  /// - Parameter at: The time that decides which difference is the first.
  package mutating func add(_ kind: Kind, _ sentence: @autoclosure () -> String, at: Int64, count: Int = 1) {
    guard var known = byKind[kind] else {
      byKind[kind] = Found(sentence: sentence(), at: at, count: count)
      return
    }
    known.count += count
    if at < known.at { (known.sentence, known.at) = (sentence(), at) }
    byKind[kind] = known
  }

  mutating func merge(_ other: Findings) {
    for (kind, found) in other.byKind { add(kind, found.sentence, at: found.at, count: found.count) }
  }

  /// One sentence per kind, in the order of their times.
  package var sentences: [String] {
    byKind.sorted { ($0.value.at, $0.key.rawValue) < ($1.value.at, $1.key.rawValue) }.map { _, found in
      found.count == 1 ? found.sentence : "\(found.sentence); \(ProgressMeter.grouped(found.count)) such in all"
    }
  }
}
