internal import ComboWire

/// The messages of a map as plain values, which the decoders of all threads read in place.
final class ProtobufPlan {
  /// The type of a field.
  enum Kind {
    case scalar(ProtobufMessage.Scalar)
    /// The index of the message.
    case message(Int)
    case enumeration(Int)
    /// The index in `parts` of the key of the entries. Their value follows it.
    case map(Int)
    /// The index in `parts` of the wrapped value.
    case wrapper(Int)
    case timestamp, duration
  }

  struct Field {
    let number: UInt64
    let kind: Kind
    /// The wire type of its values.
    let wire: UInt64
    /// Whether all values count, not only the last one.
    let isList: Bool
    /// Whether it is a string, and no list.
    let isText: Bool
    /// The text before the value, `,"name":`.
    let name: Text

    var isMap: Bool { if case .map = kind { true } else { false } }
  }

  /// A range of `bytes`.
  struct Text {
    let start: Int
    let count: Int
  }

  /// A message or an enum: the start of its fields or symbols, and of their numbers.
  struct Message {
    let first: Int
    let numbers: Int
    let count: Int
    /// The first number, and the number of fields from there on whose numbers are consecutive.
    let firstNumber: UInt64
    let inOrder: UInt64
  }

  private struct Number {
    let number: UInt64
    /// The index within the message.
    let place: Int
  }

  let declared: [ProtobufMessage]
  let messages = FixedList<Message>()
  let fields = FixedList<Field>()
  /// The parts of map entries and wrappers.
  let parts = FixedList<Field>()
  /// The symbols of enums, as JSON.
  let symbols = FixedList<Text>()
  let bytes = FixedList<UInt8>()
  /// For each message and each byte the index of the field that is not a list and has this byte as its tag, or `noField`.
  let tags = FixedList<UInt8>()
  static let noField: UInt8 = 255
  /// The numbers of fields and symbols, sorted within each message.
  private let numbers = FixedList<Number>()

  init(_ declared: [ProtobufMessage]) {
    self.declared = declared
    for message in declared {
      let values = message.symbols.keys.sorted()
      let listed = message.fields.map(\.number) + values.map(Self.number)
      let firstNumber = listed.first ?? 0
      let inOrder = listed.enumerated().prefix { $1 == firstNumber + UInt64($0) }.count
      messages.append(
        Message(
          first: values.isEmpty ? fields.count : symbols.count, numbers: numbers.count, count: listed.count,
          firstNumber: firstNumber, inOrder: UInt64(inOrder)))
      numbers.append(contentsOf: listed.enumerated().map { Number(number: $1, place: $0) }.sorted { $0.number < $1.number })
      for value in values { symbols.append(text(message.symbols[value]!)) }
      var tags = [UInt8](repeating: Self.noField, count: 256)
      for (place, declared) in message.fields.enumerated() {
        let field = self.field(declared.number, declared.type, text(declared.name, isName: true), isList: declared.isRepeated)
        fields.append(field)
        // Larger numbers have a tag of several bytes.
        if field.number < 16, !field.isList, place < Self.noField { tags[Int(field.number << 3 | field.wire)] = UInt8(place) }
      }
      self.tags.append(contentsOf: tags)
    }
    // Texts are copied in blocks of 16 bytes.
    bytes.append(contentsOf: repeatElement(0, count: 16))
  }

  /// Returns the number by which a value of an enum is found.
  static func number(_ value: Int32) -> UInt64 { UInt64(UInt32(bitPattern: value)) }

  private func text(_ text: String, isName: Bool = false) -> Text {
    let out = ByteBuffer(capacity: 64)
    if isName { out.append(",") }
    out.append(jsonString: text)
    if isName { out.append(":") }
    bytes.append(contentsOf: out.array)
    return Text(start: bytes.count - out.count, count: out.count)
  }

  private func field(_ number: UInt64, _ type: ProtobufMessage.FieldType, _ name: Text, isList: Bool = false) -> Field {
    func add(_ parts: Field...) -> Int {
      self.parts.append(contentsOf: parts)
      return self.parts.count - parts.count
    }
    let kind: Kind
    var isList = isList
    switch type {
    case .scalar(let scalar): kind = .scalar(scalar)
    case .message(_, let place): kind = .message(place)
    case .enumeration(_, let place): kind = .enumeration(place)
    case .map(let key, let value):
      kind = .map(add(field(1, .scalar(key), name), field(2, value, name)))
      isList = true
    case .known(.wrapper(let scalar)): kind = .wrapper(add(field(1, .scalar(scalar), name)))
    case .known(.timestamp): kind = .timestamp
    case .known(.duration): kind = .duration
    }
    let isText = if case .scalar(.string) = kind { !isList } else { false }
    return Field(number: number, kind: kind, wire: type.wire.rawValue, isList: isList, isText: isText, name: name)
  }

  /// Returns the index of a field or symbol within its message, by its number.
  @inline(__always)
  func place(of number: UInt64, in message: UnsafePointer<Message>) -> Int? {
    // Most messages number their fields without gaps.
    let guess = number &- message.pointee.firstNumber
    return guess < message.pointee.inOrder ? Int(truncatingIfNeeded: guess) : search(number, message.pointee)
  }

  @inline(never)
  private func search(_ number: UInt64, _ message: Message) -> Int? {
    let sorted = UnsafeMutableBufferPointer(rebasing: numbers.all[message.numbers..<message.numbers + message.count])
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low < sorted.count && sorted[low].number == number ? sorted[low].place : nil
  }

  /// Returns the name of a field, for error messages.
  func name(_ field: Field) -> String {
    String(decoding: bytes.all[field.name.start + 2..<field.name.start + field.name.count - 2], as: UTF8.self)
  }
}
