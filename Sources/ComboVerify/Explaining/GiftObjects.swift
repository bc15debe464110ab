package import ComboCore
package import ComboWire

extension ByteBuffer {
  fileprivate func member(_ redriven: Redriven?) {
    guard let redriven else { return }
    append(#","redriven":"#, redriven.rounds)
    if redriven.letters.isEmpty { return }
    append(#","dead_letters":"#, redriven.letters) { letter in
      append(#"{"offset":"#, letter.offset)
      append(#","time":"#, letter.time)
      append(#","reason":"#, jsonString: letter.reason)
      append("}")
    }
  }
}

extension ExplainedGift {
  /// Appends the gift as a JSON object: the members of its fate, and the other facts of its line of text.
  /// - Parameter room: The room that was asked about, as a JSON string.
  package func write(room: Bytes, to buffer: ByteBuffer) {
    unsafe fate.writeMembers(room: room, to: buffer)
    if fate.end == .forgotten { buffer.append(#","forgotten":true"#) }
    buffer.append(#","partition":"#, Int(partition))
    buffer.append(#","offset":"#, offset)
    buffer.append(#","sent_at":"#, sentAt)
    buffer.append(#","waiting_before":"#, waitingBefore)
    if worth > 0, worth.isFinite { buffer.append(#","worth":"#, worth) }
    buffer.append(#","first_offset":"#, firstOffset)
    if awayMs > 0 { buffer.append(#","away_ms":"#, awayMs) }
    if isPaused { buffer.append(#","paused":true"#) }
    buffer.member(redriven)
    buffer.append("}")
  }
}

extension GiftMiss {
  /// Appends the miss as a JSON object.
  /// - Parameters:
  ///   - room: The room that was asked about, as a JSON string.
  ///   - reach: The part of its partition that was read, or nil if unknown.
  ///   - isNearest: Whether it only nearly matches the question.
  package func write(room: Bytes, reach: ExplainedPartition? = nil, isNearest: Bool = false, to buffer: ByteBuffer) {
    unsafe buffer.append(#"{"room":"#, written: room)
    buffer.append(#","missed":"#, jsonString: kind.rawValue)
    buffer.append(#","partition":"#, Int(partition))
    buffer.append(#","offset":"#, offset)
    buffer.append(#","time":"#, time)
    if let name {
      buffer.append(#","id":"#, ifAny: name.id)
      buffer.append(#","sender":"#, ifAny: name.sender)
      buffer.append(#","receiver":"#, ifAny: name.receiver)
      buffer.append(#","gift":"#, ifAny: name.gift)
    }
    if !detail.isEmpty {
      buffer.append(kind == .otherRoom ? #","other_room":"# : #","reason":"#, jsonString: detail)
    }
    if kind == .notCommitted, let reach, let clock = reach.clock {
      buffer.append(#","group_entry":"#, reach.entry)
      buffer.append(#","group_time":"#, clock)
    }
    if kind == .beforeJournal { buffer.append(#","known_since":"#, reach?.knownSince) }
    if isGuess { buffer.append(#","guess":true"#) }
    if isNearest { buffer.append(#","nearest":true"#) }
    buffer.member(redriven)
    buffer.append("}")
  }
}
