internal import CSimdJSON
internal import ComboCore
internal import ComboWire

/// The ids and the streaks of gifts.
extension MappedDecoder {
  /// Reads the streak of a total, how long it is remembered, and whether it ends.
  @inline(never)
  func readStreak(_ rule: RulePointer, total: Int, receiverStars: Int, into arena: BumpArena, _ gift: inout Gift) throws(BadEvent)
  {
    let streak = try id(rule.pointee.streak, "streak", into: arena).bytes
    let own = streak.isEmpty ? rule.pointee.stars : stars(reading)
    gift.amount = .total(total, streak: streak)
    if own < rule.pointee.stars {
      // A name that several gifts share does not distinguish their streaks. The receiver does, or else their place.
      let part = receiverStars > own ? gift.receiverID : place(own, rule.pointee.stars, into: arena)
      gift.amount = .total(total, streak: joined(streak, part, into: arena))
    }
    if rule.pointee.streakMs >= 0 {
      let value = try value(rule.pointee.streakMs, into: arena)
      if value.kind != .missing { gift.streakMs = Int32(try integer(value, "streak_ms", 0...3_600_000, into: arena)) }
    }
    if rule.pointee.ends >= 0 { gift.ends = try truth(value(rule.pointee.ends, into: arena), "ends", into: arena) }
  }

  /// Reads the fields that rules 3 introduced. Older rules ignore them, including their faults.
  @inline(never)
  func readDetails(_ rule: RulePointer, into arena: BumpArena, _ gift: inout Gift) throws(BadEvent) {
    if rule.pointee.refresh >= 0, checks.rules.hasRefresh {
      gift.refreshes = try truth(value(rule.pointee.refresh, into: arena), "refresh", into: arena)
    }
    if rule.pointee.lingerMs >= 0, checks.rules.hasOwnLinger {
      let value = try value(rule.pointee.lingerMs, into: arena)
      if value.kind != .missing {
        gift.lingerMs = UInt16(try integer(value, "linger_ms", 0...Int64(Gift.lingerMax), into: arena))
      }
    }
  }

  /// Returns the id with the total appended. An update under the same id is then no duplicate, but a repetition is.
  @inline(never)
  func withTotal(_ id: Bytes, _ total: Int, into arena: BumpArena) -> Bytes {
    let piece = arena.allocate(20)
    let end = write(Int64(total), at: piece.assumingMemoryBound(to: UInt8.self))
    return joined(id, Bytes(start: piece, count: UnsafeMutableRawPointer(end) - piece), into: arena)
  }

  /// Returns an id that several gifts of a record share, with the place of the current gift appended.
  @inline(never)
  func withPlace(_ id: Bytes, within outer: Int, _ stars: Int, into arena: BumpArena) -> Bytes {
    joined(id, place(outer, stars, into: arena), into: arena)
  }

  private func place(_ outer: Int, _ stars: Int, into arena: BumpArena) -> Bytes {
    var place = walk.place(within: outer, upTo: stars)
    return place.withUTF8 { arena.copy(Bytes($0)) }
  }

  /// Returns the number of arrays that an expression goes through.
  func stars(_ node: Int32) -> Int { node < 0 ? 0 : Int(nodes[Int(node)].stars) }

  /// Joins both with `#`. If the result is too long for an id, a hash replaces the first.
  private func joined(_ first: Bytes, _ second: Bytes, into arena: BumpArena) -> Bytes {
    var first = first
    if first.count + 1 + second.count > EventDecoder.idBytesMax {
      var name = String(XXH3.hash(first), radix: 16) + String(XXH3.hash(first, seed: 1), radix: 16)
      first = name.withUTF8 { arena.copy(Bytes($0)) }
    }
    let size = min(first.count + 1 + second.count, EventDecoder.idBytesMax)
    let piece = arena.allocate(size)
    piece.copyMemory(from: first.baseAddress!, byteCount: first.count)
    piece.storeBytes(of: 0x23, toByteOffset: first.count, as: UInt8.self)
    (piece + first.count + 1).copyMemory(from: second.baseAddress!, byteCount: size - first.count - 1)
    return Bytes(start: piece, count: size)
  }

  /// Returns whether a value is true or 1, also as a text. A missing value counts as false.
  private func truth(_ value: Value, _ name: StaticString, into arena: BumpArena) throws(BadEvent) -> Bool {
    if value.kind == .missing { return false }
    let written =
      value.kind == .token
      ? text[Int(value.token)].isString ? text.inside(Int(value.token)) : text.slice(Int(value.token))
      : try meaning(value, name, into: arena)
    if written == "true" || written == "1" { return true }
    if written == "false" || written == "0" { return false }
    if value.kind == .token { throw .wrongType(text, Int(value.token), "\(name)", "must be true or false") }
    throw BadEvent(.wrongType, "\(name) is \"\(Excerpt(written))\"; it must be true or false")
  }
}
