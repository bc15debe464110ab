package import CSimdJSON
package import ComboCore

// One function for each fault, so that its wording is in one place. Good events never call them.
extension BadEvent {
  @inline(never)
  package static func recordTooLarge(_ size: Int, _ limits: WireLimits) -> BadEvent {
    BadEvent(.tooLarge, "the record has \(size) bytes; at most \(limits.recordBytes) are allowed")
  }

  @inline(never)
  package static func displayTooLarge(_ size: Int, _ limits: WireLimits) -> BadEvent {
    BadEvent(.tooLarge, "sender, receiver and gift have \(size) bytes together; at most \(limits.displayBytes) are allowed")
  }

  @inline(never)
  package static func notJSON(_ fault: csj_fault, at position: Int?, _ limits: WireLimits) -> BadEvent {
    let place = position.map { " (at byte \($0))" } ?? ""
    let advice =
      fault == CSJ_TOO_DEEP
      ? "at most \(limits.depth) levels are allowed" : "a JSON object in UTF-8 (RFC 8259) is expected"
    return BadEvent(.notJSON, "the record \(fault.words)\(place); \(advice)")
  }

  @inline(never)
  package static func notObject(_ text: JSONText, _ token: Int) -> BadEvent {
    BadEvent(.notJSON, "the record is \(text[token].typeName); a JSON object is expected")
  }

  @inline(never)
  static func unknownType(_ text: JSONText, _ token: Int) -> BadEvent {
    BadEvent(
      .unknownType,
      cloudEvent(text)
        ?? "type is \(text.shown(token)); gift, room_closed, retract and room_settings are allowed, gift is the default")
  }

  /// Returns the part of the sentence about a CloudEvent with a type that is not one of an event, or nil if the record is none.
  package static func cloudEvent(_ text: JSONText) -> String? {
    guard text[0].isObject else { return nil }
    var (isCloudEvent, type) = (false, 0)
    var member = 1
    while member < text.next(0) {
      if text.string(member, is: "specversion") { isCloudEvent = true }
      if text.string(member, is: "type") { type = member + 1 }
      member = text.next(member + 1)
    }
    guard isCloudEvent, type > 0 else { return nil }
    return "the record is a CloudEvent of type \(text.shown(type)); use a map to read the event in its data"
      + " (docs/kafka-envelopes.md)"
  }

  @inline(never)
  package static func missing(_ name: String, _ why: String) -> BadEvent {
    BadEvent(.missingField, "\(name) is missing; \(why)")
  }

  @inline(never)
  package static func wrongType(_ text: JSONText, _ token: Int, _ name: String, _ allowed: String) -> BadEvent {
    BadEvent(.wrongType, "\(name) is \(text[token].typeName), \(text.shown(token)); it \(allowed)")
  }

  @inline(never)
  static func noKey(_ room: Bytes) -> BadEvent {
    BadEvent(
      .wrongKey,
      "the record has no key, but is for room \"\(Excerpt(room))\"; the key must be the room, so that its gifts are in one "
        + "partition")
  }

  @inline(never)
  static func otherKey(_ key: Bytes, _ room: Bytes) -> BadEvent {
    BadEvent(
      .wrongKey,
      "the record's key is \"\(Excerpt(key))\", but room is \"\(Excerpt(room))\"; they must be the same, so that a room's "
        + "gifts are in one partition")
  }

  @inline(never)
  static func keyNotUTF8(_ key: Bytes) -> BadEvent {
    BadEvent(
      .wrongKey,
      "room is missing, and the record's key \"\(Excerpt(key))\" is not UTF-8, so it cannot be the room; give a room or a UTF-8 key"
    )
  }

  @inline(never)
  package static func length(_ bytes: Bytes, _ name: String) -> BadEvent {
    if bytes.isEmpty { return BadEvent(.outOfRange, "\(name) is empty; 1 to 256 bytes are allowed") }
    return BadEvent(.outOfRange, "\(name) has \(bytes.count) bytes, \"\(Excerpt(bytes))\"; 1 to 256 are allowed")
  }

  @inline(never)
  package static func outside(_ text: JSONText, _ token: Int, _ name: String, _ allowed: String) -> BadEvent {
    BadEvent(.outOfRange, "\(name) is \(text.shown(token)); \(allowed) is allowed")
  }

  @inline(never)
  static func countAndTotal(_ text: JSONText, _ count: Int, _ total: Int) -> BadEvent {
    BadEvent(
      .outOfRange,
      "count is \(text.shown(count)) and total is \(text.shown(total)); a gift may have one of them, not both")
  }

  @inline(never)
  package static func setting(_ name: String, _ fault: String) -> BadEvent {
    BadEvent(.outOfRange, "\(name) \(fault)")
  }
}

extension JSONText {
  /// A value in a form that fits into a sentence.
  package func shown(_ token: Int) -> String { Excerpt(slice(token)).description }
}
