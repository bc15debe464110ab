/// The display data of a sender, a receiver or a gift: a JSON object that the service passes on unchanged.
///
/// It comes from the sender of the gift. Draw its texts as text, and load pictures only from addresses that you trust. Fields are
/// parsed at each access; cache what you draw in every frame.
public struct DisplayData: Hashable, Sendable {
  /// The unchanged object.
  public let json: String

  /// Creates data from a known object, for tests and previews. Nil if it is not a JSON object.
  public init?(json: String) {
    var text = json
    let isObject = text.withUTF8 { bytes in
      guard var cursor = unsafe JSONCursor(bytes) else { return false }
      let isObject = try? unsafe cursor.objectValue() != nil
      return isObject == true && cursor.isAtEnd()
    }
    guard isObject else { return nil }
    self.json = json
  }

  init?(_ object: UnsafeBufferPointer<UInt8>?) {
    guard let object = unsafe object else { return nil }
    json = unsafe String(decoding: object, as: UTF8.self)
  }

  /// The id, which is always present on the wire.
  public var id: String { text("id") ?? "" }

  /// Its name, or its id if it has none.
  public var name: String {
    if let name = text("name"), !name.isEmpty { return name }
    return id
  }

  /// Returns a field's text, or its number as written, or nil for other values, or if the field is missing.
  public func text(_ field: String) -> String? {
    find(field) { (cursor) throws(JSONCursor.Malformed) in
      var copy = cursor
      if let text = try copy.stringValue() {
        cursor = copy
        return text.string
      }
      return try unsafe cursor.numberValue().map { unsafe String(decoding: $0, as: UTF8.self) }
    }
  }

  /// Returns a field's number, such as a gift's `value`, or nil for other values, or if the field is missing.
  public func number(_ field: String) -> Double? {
    find(field) { (cursor) throws(JSONCursor.Malformed) in
      try unsafe cursor.numberValue().flatMap { unsafe Double(String(decoding: $0, as: UTF8.self)) }
    }
  }

  /// If a name occurs twice, the last one counts.
  private func find<Value>(_ field: String, _ read: (inout JSONCursor) throws(JSONCursor.Malformed) -> Value?) -> Value? {
    var json = json
    return json.withUTF8 { bytes in
      guard var cursor = unsafe JSONCursor(bytes) else { return nil }
      var value: Value?
      do throws(JSONCursor.Malformed) {
        _ = try cursor.object { (cursor, name) throws(JSONCursor.Malformed) in
          let isIt = unsafe name.isEscaped ? name.string.utf8.elementsEqual(field.utf8) : name.bytes.elementsEqual(field.utf8)
          if isIt { value = try read(&cursor) } else { try cursor.skipValue() }
        }
      } catch {
        return nil
      }
      return value
    }
  }
}
