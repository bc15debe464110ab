/// The display data of a sender, a receiver or a gift: a JSON object, passed on by the service unchanged.
///
/// The sender of the gift chose it. Draw its texts as text, and load pictures only from addresses that you trust. Fields are
/// looked up when they are asked for; keep what you draw in every frame.
public struct DisplayData: Hashable, Sendable {
  /// The object as it came.
  public let json: String

  /// Data of a known object, for tests and previews. Nil if it is no JSON object.
  public init?(json: String) {
    var text = json
    let isObject = text.withUTF8 { bytes in
      guard var cursor = JSONCursor(bytes) else { return false }
      let isObject = try? cursor.objectValue() != nil
      return isObject == true && cursor.isAtEnd()
    }
    guard isObject else { return nil }
    self.json = json
  }

  init?(_ object: UnsafeBufferPointer<UInt8>?) {
    guard let object else { return nil }
    json = String(decoding: object, as: UTF8.self)
  }

  /// The id that the wire demands.
  public var id: String { text("id") ?? "" }

  /// Its name, or else its id.
  public var name: String {
    if let name = text("name"), !name.isEmpty { return name }
    return id
  }

  /// A field's text, or its number as it is written. Nil for other values, and if there is no such field.
  public func text(_ field: String) -> String? {
    find(field) { (cursor) throws(JSONCursor.Malformed) in
      var copy = cursor
      if let text = try copy.stringValue() {
        cursor = copy
        return text.string
      }
      return try cursor.numberValue().map { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// A field's number, such as a gift's `value`. Nil for other values.
  public func number(_ field: String) -> Double? {
    find(field) { (cursor) throws(JSONCursor.Malformed) in
      try cursor.numberValue().flatMap { Double(String(decoding: $0, as: UTF8.self)) }
    }
  }

  /// Where a name occurs twice, the last counts.
  private func find<Value>(_ field: String, _ read: (inout JSONCursor) throws(JSONCursor.Malformed) -> Value?) -> Value? {
    var json = json
    return json.withUTF8 { bytes in
      guard var cursor = JSONCursor(bytes) else { return nil }
      var value: Value?
      do throws(JSONCursor.Malformed) {
        _ = try cursor.object { (cursor, name) throws(JSONCursor.Malformed) in
          let isIt = name.isEscaped ? name.string.utf8.elementsEqual(field.utf8) : name.bytes.elementsEqual(field.utf8)
          if isIt { value = try read(&cursor) } else { try cursor.skipValue() }
        }
      } catch {
        return nil
      }
      return value
    }
  }
}
