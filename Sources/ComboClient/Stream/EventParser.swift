/// A server-sent event.
public struct ServerSentEvent: Equatable, Sendable {
  /// The type; `message` if the event has none.
  public let type: String
  /// The lines of data, joined.
  public let data: String
  /// The latest id of the stream.
  public let id: String

  /// Creates an event of these values.
  public init(type: String, data: String, id: String = "") {
    self.type = type
    self.data = data
    self.id = id
  }
}

/// Parses server-sent events, as defined by the HTML standard, from chunks of bytes.
public struct EventParser: Sendable {
  /// The maximum length of an event, above that of any event of the service.
  private static let lengthMax = 4 << 20

  private var line: [UInt8] = []
  private var type: [UInt8] = []
  private var data: [UInt8] = []
  private var hasData = false
  private var id: [UInt8] = []
  private var endedWithReturn = false
  private var isFirstLine = true
  /// Whether an event was longer than allowed. Later input is ignored.
  public private(set) var isTooLong = false

  /// Creates a parser at the beginning of a stream.
  public init() {}

  /// Parses a chunk and returns the events that it completes.
  public mutating func push(_ bytes: some Sequence<UInt8>) -> [ServerSentEvent] {
    var events: [ServerSentEvent] = []
    for byte in bytes {
      let isAfterReturn = endedWithReturn
      endedWithReturn = byte == 0x0D
      switch byte {
      case 0x0A where isAfterReturn: break
      case 0x0A, 0x0D:
        if let event = endLine() { events.append(event) }
      default: line.append(byte)
      }
      if line.count + data.count > Self.lengthMax {
        isTooLong = true
        line = []
        data = []
      }
    }
    return events
  }

  private mutating func endLine() -> ServerSentEvent? {
    defer { line.removeAll(keepingCapacity: true) }
    if isFirstLine {
      isFirstLine = false
      if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    }
    if line.isEmpty {
      defer {
        type.removeAll(keepingCapacity: true)
        data.removeAll(keepingCapacity: true)
        hasData = false
      }
      guard hasData else { return nil }
      let name = type.isEmpty ? "message" : String(decoding: type, as: UTF8.self)
      return ServerSentEvent(type: name, data: String(decoding: data, as: UTF8.self), id: String(decoding: id, as: UTF8.self))
    }
    let colon = line.firstIndex(of: UInt8(ascii: ":"))
    let field = line[..<(colon ?? line.endIndex)]
    var value = colon.map { line[($0 + 1)...] } ?? []
    if value.first == 0x20 { value.removeFirst() }
    if field.elementsEqual("event".utf8) {
      type = Array(value)
    } else if field.elementsEqual("data".utf8) {
      if hasData { data.append(0x0A) }
      data += value
      hasData = true
    } else if field.elementsEqual("id".utf8), !value.contains(0) {
      id = Array(value)
    }
    return nil
  }
}
