internal import CSimdJSON
internal import ComboCore
internal import ComboWire

/// Records with gifts in several envelopes, of which a map reads the first. Most contain the same gift twice, in different forms.
extension MappedDecoder {
  /// A root below which rules are tried.
  struct Envelope {
    var root: Int32
    /// The node that is there if the record may have it: an element of the first array that it goes through, or the root.
    var sign: Int32
    /// The number of arrays that it goes through.
    var stars: Int
    /// The rules that are tried below it.
    var rules: Range<Int>
  }

  static func envelopes(_ map: CompiledMap) -> [Envelope] {
    var envelopes: [Envelope] = []
    for (index, rule) in map.rules.enumerated() where rule.root >= 0 {
      if let last = envelopes.last, last.root == rule.root, last.rules.upperBound == index {
        envelopes[envelopes.count - 1].rules = last.rules.lowerBound..<index + 1
      } else {
        envelopes.append(
          Envelope(root: rule.root, sign: rule.each < 0 ? rule.root : rule.each, stars: rule.stars, rules: index..<index + 1))
      }
    }
    return envelopes.count > 1 ? envelopes : []
  }

  /// Throws if an object beside the one of which the event was made holds another gift, which would vanish. An object outside of
  /// the arrays that advanced last was compared with an earlier element.
  @inline(__always)
  func compareEnvelopes(_ event: borrowing Event, into arena: BumpArena) throws(BadEvent) {
    let root = rules[rule].root
    guard root >= 0, event.kind == .gift, checks.rules.comparesEnvelopes else { return }
    let read = walk.found[Int(root)]
    let end = Int32(truncatingIfNeeded: text.next(Int(read)))
    if !hasPresent {
      // Most envelopes are not in the record. Those in an array may be in a later element.
      if !present.isEmpty { present.removeAll(keepingCapacity: true) }
      let found = walk.found
      envelopes.withUnsafeBufferPointer { all in
        for index in all.indices where found[Int(all[index].sign)] >= 0 && all[index].root != root { present.append(all[index]) }
      }
      hasPresent = true
    }
    for envelope in present {
      let token = walk.found[Int(envelope.root)]
      if token < 0 || token >= read && token < end || envelope.stars < walk.level || !text[Int(token)].isObject { continue }
      if rules[envelope.rules.lowerBound].last != rules[rule].last { continue }
      if token < read, text.next(Int(token)) > read { continue }
      try compare(event, with: envelope, into: arena)
    }
  }

  @inline(never)
  private func compare(_ event: borrowing Event, with envelope: Envelope, into arena: BumpArena) throws(BadEvent) {
    let kept = (shownBytes, reading, outer)
    defer { (shownBytes, reading, outer) = kept }
    for index in envelope.rules {
      if rules[index].condition >= 0, try !holds(rules[index].condition, arena) { continue }
      guard rules[index].outcome == .event, rules[index].kind == .gift, !rules[index].isBeside else { return }
      var other = Event()
      guard (try? apply(rules.baseAddress.unsafelyUnwrapped + index, into: arena, &other)) == true else { return }
      if Self.mayBeOne(event.gift, other.gift) { return }
      throw BadEvent(
        .unknownType,
        "the record holds two gifts in two envelopes, which \(rules[rule].name) and \(rules[index].name) read: send each by itself, or in an array"
      )
    }
  }

  /// Whether two gifts of different envelopes may be the same one.
  private static func mayBeOne(_ gift: borrowing Gift, _ other: borrowing Gift) -> Bool {
    guard gift.senderID == other.senderID, gift.giftID == other.giftID, mayBeOne(gift.id, other.id) else { return false }
    guard case .total(_, let streak) = gift.amount, case .total(_, let otherStreak) = other.amount else { return true }
    return mayBeOne(streak, otherStreak)
  }

  /// Whether two ids may be those of one gift. One of the envelopes may lack it, or have several gifts that share it and get `#`.
  private static func mayBeOne(_ id: Bytes, _ other: Bytes) -> Bool {
    if id.isEmpty || other.isEmpty { return true }
    let (short, long) = id.count <= other.count ? (id, other) : (other, id)
    return Bytes(rebasing: long[..<short.count]) == short && (long.count == short.count || long[short.count] == 0x23)
  }
}
