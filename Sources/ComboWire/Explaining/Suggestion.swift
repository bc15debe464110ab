/// Suggestions for misspelled words.
package enum Suggestion {
  /// Returns the candidate that `text` abbreviates or extends; otherwise the one with the fewest typing errors, if they are few
  /// enough to be errors.
  package static func nearest(to text: String, among candidates: [String]) -> String? {
    func isBeginning(_ one: String, of other: String) -> Bool { other.hasPrefix(one) && one.count * 2 > other.count }
    let longer = candidates.filter { isBeginning(text, of: $0) || isBeginning($0, of: text) }
    if let near = longer.min(by: { abs($0.count - text.count) < abs($1.count - text.count) }) { return near }
    var best: (candidate: String, distance: Int)?
    for candidate in candidates {
      let distance = distance(text, candidate)
      if distance < (best?.distance ?? Int.max) { best = (candidate, distance) }
    }
    guard let best, best.distance <= max(1, min(text.count, best.candidate.count) / 4) else { return nil }
    return best.candidate
  }

  /// The number of letters that are wrong, missing, superfluous, or swapped with their neighbor.
  package static func distance(_ one: String, _ other: String) -> Int {
    let one = Array(one), other = Array(other)
    if one.isEmpty || other.isEmpty { return max(one.count, other.count) }
    var before: [Int] = []
    var last = Array(0...other.count)
    for i in 1...one.count {
      var row = [i]
      for j in 1...other.count {
        var cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1))
        if i > 1, j > 1, one[i - 1] == other[j - 2], one[i - 2] == other[j - 1] { cost = min(cost, before[j - 2] + 1) }
        row.append(cost)
      }
      before = last
      last = row
    }
    return last[other.count]
  }
}
