package import ComboCore
package import ComboWire

extension ByteBuffer {
  fileprivate func member(_ name: StaticString, _ value: Int64) {
    append(name)
    append(value)
  }

  fileprivate func member(_ name: StaticString, _ text: [UInt8]) {
    if text.isEmpty { return }
    append(name)
    text.withUnsafeBytes { append(jsonString: $0) }
  }

  fileprivate func member(_ redriven: Redriven?) {
    guard let redriven else { return }
    member(#","redriven":"#, Int64(redriven.rounds))
    if redriven.letters.isEmpty { return }
    append(#","dead_letters":["#)
    for (index, letter) in redriven.letters.enumerated() {
      if index > 0 { append(",") }
      member(#"{"offset":"#, letter.offset)
      if let time = letter.time { member(#","time":"#, time) }
      append(#","reason":"#)
      append(jsonString: letter.reason)
      append("}")
    }
    append("]")
  }
}

extension ExplainedGift {
  /// Appends the gift as a JSON object: the members of its fate, and the other facts of its line of text.
  /// - Parameter room: The room that was asked about, as a JSON string.
  package func write(room: Bytes, to buffer: ByteBuffer) {
    fate.writeMembers(room: room, to: buffer)
    if fate.end == .forgotten { buffer.append(#","forgotten":true"#) }
    buffer.member(#","partition":"#, Int64(partition))
    buffer.member(#","offset":"#, offset)
    if let sentAt { buffer.member(#","sent_at":"#, sentAt) }
    if let waitingBefore { buffer.member(#","waiting_before":"#, Int64(waitingBefore)) }
    if worth > 0, worth.isFinite {
      buffer.append(#","worth":"#)
      buffer.append(worth)
    }
    if let firstOffset { buffer.member(#","first_offset":"#, firstOffset) }
    if awayMs > 0 { buffer.member(#","away_ms":"#, awayMs) }
    if isPaused { buffer.append(#","paused":true"#) }
    buffer.member(redriven)
    buffer.append("}")
  }
}

extension GiftMiss {
  /// Appends the miss as a JSON object.
  /// - Parameters:
  ///   - room: The room that was asked about, as a JSON string.
  ///   - reach: What was read of its partition.
  ///   - isNearest: Whether it is only near to what is asked for.
  package func write(room: Bytes, reach: ExplainedPartition? = nil, isNearest: Bool = false, to buffer: ByteBuffer) {
    buffer.append(#"{"room":"#)
    buffer.append(room)
    buffer.append(#","missed":"#)
    buffer.append(jsonString: kind.rawValue)
    buffer.member(#","partition":"#, Int64(partition))
    buffer.member(#","offset":"#, offset)
    if let time { buffer.member(#","time":"#, time) }
    if let name {
      buffer.member(#","id":"#, name.id)
      buffer.member(#","sender":"#, name.sender)
      buffer.member(#","receiver":"#, name.receiver)
      buffer.member(#","gift":"#, name.gift)
    }
    if !detail.isEmpty {
      buffer.append(kind == .otherRoom ? #","other_room":"# : #","reason":"#)
      buffer.append(jsonString: detail)
    }
    if kind == .notCommitted, let reach, let clock = reach.clock {
      buffer.member(#","group_entry":"#, reach.entry)
      buffer.member(#","group_time":"#, clock)
    }
    if kind == .beforeJournal, let since = reach?.knownSince { buffer.member(#","known_since":"#, since) }
    if isGuess { buffer.append(#","guess":true"#) }
    if isNearest { buffer.append(#","nearest":true"#) }
    buffer.member(redriven)
    buffer.append("}")
  }
}
