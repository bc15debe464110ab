internal import ComboWire

extension MapReader {
  /// Reads the messages under `protobuf`.
  mutating func protobuf(_ token: Int) -> [ProtobufMessage] {
    guard let named = object(token, "protobuf", nil) else { return [] }
    let names = named.list.map(\.name)
    if names.isEmpty || names.count > 200 { fault(token, "protobuf must have 1 to 200 messages, not \(names.count)") }
    var messages: [ProtobufMessage] = []
    let enums = Set(named.list.filter { text[$0.value].isObject && isEnum($0.value) }.map(\.name))
    for (name, nameToken, value) in named.list {
      // A type of this name means the known one. A journal may have a map of a release that did not check this.
      let isKnown = !library.isRecorded && ProtobufMessage.Known(name) != nil
      if !Self.isIdentifier(name) || ProtobufMessage.Scalar(rawValue: name) != nil || name == "repeated" || isKnown {
        fault(nameToken, "a message's name must be letters, digits and _, and no type of Protobuf's own, not \"\(name)\"")
      }
      var message = ProtobufMessage(name: name)
      if enums.contains(name) {
        message.symbols = symbols(value, name)
      } else if let fields = object(value, "the message \"\(name)\"", nil) {
        let count = fields.list.count
        if count > 500 { fault(value, "a message may have at most 500 fields, not \(count)") }
        for (number, numberToken, line) in fields.list {
          guard let field = field(number, numberToken, line, names, enums) else { continue }
          if message.fields.contains(where: { $0.name == field.name }) {
            fault(line, "the message \"\(name)\" has two fields \"\(field.name)\"")
          }
          message.fields.append(field)
        }
      }
      messages.append(message)
    }
    return messages
  }

  /// Whether a value is an enum, `{"enum": {"0": "NONE", "1": "ROSE"}}`. The members of a message are named by numbers.
  private func isEnum(_ token: Int) -> Bool { text.next(token) > token + 1 && text.string(token + 1) == "enum" }

  private mutating func symbols(_ token: Int, _ name: String) -> [Int32: String] {
    guard let members = object(token, "the enum \"\(name)\"", ["enum"]), let value = members["enum"],
      let named = object(value, "the enum \"\(name)\"", nil)
    else { return [:] }
    var symbols: [Int32: String] = [:]
    for (number, numberToken, word) in named.list {
      guard let value = Int32(number), String(value) == number else {
        fault(numberToken, "a value of an enum must be an integer of 32 bits, not \"\(number)\"")
        continue
      }
      symbols[value] = string(word, "the name of a value")
    }
    return symbols
  }

  private mutating func field(
    _ number: String, _ numberToken: Int, _ line: Int, _ messages: [String], _ enums: Set<String>
  ) -> ProtobufMessage.Field? {
    let written = UInt64(number).flatMap { String($0) == number && $0 >= 1 && $0 <= ProtobufMessage.numberMax ? $0 : nil }
    if written == nil {
      fault(numberToken, "the key of a field must be its number, 1 to \(ProtobufMessage.numberMax), not \"\(number)\"")
    }
    guard let text = string(line, "a field") else { return nil }
    var words = text.split(separator: " ").map(String.init)
    let isRepeated = words.first == "repeated"
    if isRepeated { words.removeFirst() }
    guard words.count == 2, Self.isIdentifier(words[1]) else {
      fault(line, "a field must be written as \"TYPE NAME\" or \"repeated TYPE NAME\", not \"\(text)\"")
      return nil
    }
    guard let type = type(words[0], messages, enums) else {
      let known =
        ProtobufMessage.Scalar.allCases.map(\.rawValue) + ["timestamp", "duration", "optional<TYPE>", "map<TYPE,TYPE>"] + messages
      fault(line, "there is no type \"\(words[0])\"; there are \(known.joined(separator: ", "))")
      return nil
    }
    if case .map = type, isRepeated { fault(line, "a map cannot be repeated") }
    return written.map { .init(number: $0, name: words[1], type: type, isRepeated: isRepeated) }
  }

  private func type(_ word: String, _ messages: [String], _ enums: Set<String>) -> ProtobufMessage.FieldType? {
    if let scalar = ProtobufMessage.Scalar(rawValue: word) { return .scalar(scalar) }
    if let known = ProtobufMessage.Known(word) { return .known(known) }
    if let place = messages.firstIndex(of: word) {
      return enums.contains(word) ? .enumeration(word, place) : .message(word, place)
    }
    guard word.hasPrefix("map<"), word.hasSuffix(">") else { return nil }
    let parts = word.dropFirst(4).dropLast().split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false).map(
      String.init)
    guard parts.count == 2, let key = ProtobufMessage.Scalar(rawValue: parts[0]), ![.float, .double, .bytes].contains(key),
      let value = type(parts[1], messages, enums)
    else { return nil }
    if case .map = value { return nil }
    return .map(key, value)
  }

  private static func isIdentifier(_ name: String) -> Bool {
    (1...PointerTable.looseNameMax).contains(name.utf8.count)
      && name.utf8.allSatisfy { $0 == 0x5F || PointerTable.lowercased($0) &- 0x61 < 26 || $0 &- 0x30 < 10 }
  }

  /// Reads `unpack`: the texts that are read in their places, and their forms.
  mutating func unpacked(_ token: Int, _ messages: [ProtobufMessage]) -> [MapUnpacked] {
    var all: [MapUnpacked] = []
    for element in array(token, "unpack") ?? [] {
      guard text[element].isObject else {
        if let pointer = pointer(element, "unpack") { all.append(MapUnpacked(pointer: pointer)) }
        continue
      }
      guard let members = object(element, "unpack", ["at", "when", "message", "base64"]) else { continue }
      var one = MapUnpacked()
      if let when = members["when"] { one.condition = condition(when) }
      if let base64 = members["base64"] {
        one.isBase64 = source.compact(base64) == "true"
        if !one.isBase64 { fault(base64, "base64 must be true: the string is JSON in base64") }
        if let message = members["message"] {
          fault(message, "a Protobuf message is always in base64; base64 is for strings that hold JSON")
        }
      }
      // With only a condition, the text is read like that of a lone pointer.
      if members["when"] == nil && members["base64"] == nil || members["message"] != nil,
        let message = required(members, "message", "the name of a message under protobuf, or when or base64")
      {
        one.message = string(message, "message").flatMap { name in messages.firstIndex { $0.name == name } }
        if text[message].isString, one.message == nil {
          fault(message, "there is no message \"\(text.string(message))\"; name it under protobuf, with its fields")
        }
      }
      guard let at = required(members, "at", "the place of the text: a pointer, or several") else { continue }
      for place in text[at].isArray ? array(at, "at") ?? [] : [at] {
        guard let pointer = pointer(place, "unpack") else { continue }
        one.pointer = pointer
        all.append(one)
      }
    }
    return all
  }
}
