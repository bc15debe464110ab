internal import ComboCore

extension JournalEntry {
  /// Appends the record value of this entry.
  public func write(to buffer: ByteBuffer) {
    let start = buffer.count
    buffer.append(#"{"v":"#, Format.version)
    buffer.append(#","n":"#, n)
    buffer.append(#","batches":"#, batches) { batch in
      buffer.append("[", batch.endOffset)
      buffer.append(",", batch.taken)
      buffer.append(",", batch.now)
      buffer.append("]")
    }
    buffer.append(#","clock":"#, clock)
    buffer.append(#","said":"#, said)
    buffer.append(#","rooms":"#, rooms)
    buffer.append(#","digest":"#, hex: digest)
    buffer.append(#","shifted":"#, shifted)
    buffer.append(#","of":"#, hex: of)
    if !refused.isEmpty { buffer.append(#","refused":"#, refused) { buffer.append($0) } }
    buffer.append(#","said_to":"#, saidTo)
    buffer.append(#","term":"#, term)
    buffer.append(#","last":"#, hex: last)
    if let takeover { Self.write(takeover, to: buffer) }
    Seal.close(buffer, from: start, seed: 0)
  }

  private static func write(_ takeover: Takeover, to buffer: ByteBuffer) {
    buffer.append(#","takeover":{"shift":"#, takeover.shift)
    buffer.append(#","of":"#)
    takeover.topics.write(to: buffer)
    buffer.append(#","delivery":"#, jsonString: takeover.delivery.rawValue)
    takeover.derivation.write(to: buffer)
    if let reset = takeover.reset {
      buffer.append(#","reset":{"reason":"#, jsonString: reset.reason)
      buffer.append(#","offsets_lost":"#, reset.offsetsLost)
      buffer.append("}")
    }
    buffer.append("}")
  }
}

/// Decodes journal entries of any group. Only ``JournalCursor`` uses it. Use one per thread.
final class JournalDecoder {
  private let reader = RecordReader("a journal entry")

  /// Returns the entry in a record value.
  func entry(_ value: Bytes) throws(FormatFault) -> JournalEntry {
    let fields = try reader.read(sealed: value, seed: 0)
    var entry = JournalEntry(
      n: try fields.integer("n", 1...Int64.max), batches: try batches(fields), clock: try fields.integer("clock"),
      said: Int(try fields.integer("said", 0...Int64.max)), rooms: Int(try fields.integer("rooms", 0...Int64.max)),
      digest: try fields.hex("digest"), shifted: try fields.integer("shifted"), of: try fields.hex("of"))
    entry.refused = try refused(fields)
    if fields.find("said_to") != nil { entry.saidTo = try fields.integer("said_to", 0...entry.n) }
    if fields.find("term") != nil { entry.term = try fields.integer("term", 0...Int64.max) }
    if fields.find("last") != nil { entry.last = try fields.hex("last") }
    if fields.find("takeover") != nil {
      let takeover = try takeover(try fields.inside("takeover"))
      if takeover.topics.hash != entry.of { throw .broken(reader.what, "its hash does not match its group and topics") }
      entry.takeover = takeover
    }
    return entry
  }

  private func refused(_ fields: RecordFields) throws(FormatFault) -> [Int64] {
    guard let list = fields.find("refused") else { return [] }
    let text = fields.text
    guard text[list].isArray else { throw .broken(reader.what, "refused is \(text[list].typeName), not an array") }
    var refused: [Int64] = []
    var token = list + 1
    while token < text.next(list) {
      refused.append(try fields.integer(token, "a refused offset", 0...Int64.max))
      token = text.next(token)
    }
    return refused
  }

  private func batches(_ fields: RecordFields) throws(FormatFault) -> [JournalEntry.Batch] {
    let text = fields.text
    let list = try fields.token("batches")
    guard text[list].isArray else { throw .broken(reader.what, "batches is \(text[list].typeName), not an array") }
    var batches: [JournalEntry.Batch] = []
    var offset: Int64 = 0
    var token = list + 1
    while token < text.next(list) {
      guard text[token].isArray, text.next(token) == token + 4 else {
        throw .broken(reader.what, "a batch must be an array of end offset, records and time")
      }
      let batch = JournalEntry.Batch(
        endOffset: try fields.integer(token + 1, "a batch's end offset", offset...Int64.max),
        taken: Int(try fields.integer(token + 2, "a batch's number of records", 0...Int64.max)),
        now: try fields.integer(token + 3, "a batch's time"))
      batches.append(batch)
      offset = batch.endOffset
      token += 4
    }
    return batches
  }

  private func takeover(_ fields: RecordFields) throws(FormatFault) -> JournalEntry.Takeover {
    let word = try fields.string("delivery")
    guard let delivery = JournalEntry.Delivery(rawValue: word) else {
      throw .broken(reader.what, "its delivery is unknown")
    }
    var takeover = JournalEntry.Takeover(
      shift: try fields.integer("shift"), derivation: try Derivation(fields), delivery: delivery,
      topics: try fields.topics("of"))
    if fields.find("reset") != nil {
      let reset = try fields.inside("reset")
      takeover.reset = JournalEntry.Reset(
        reason: try reset.string("reason"), offsetsLost: try reset.integer("offsets_lost", 0...Int64.max))
    } else if takeover.shift < 0 {
      throw .broken(reader.what, "its shift is negative, but it is not a reset")
    }
    return takeover
  }
}
