internal import ComboWire

/// A source of maps by name.
public struct MapLibrary: Sendable {
  /// Returns the text of a map and its name in error messages, or nil if there is no map of that name.
  public typealias Find = @Sendable (_ name: String) -> (text: [UInt8], file: String)?

  /// The maximum size of a map's file, and of a map with everything that it uses, in bytes.
  package static let bytesMax = 256 << 10

  let find: Find
  /// Returns why a map that was not found cannot be read, or nil if there is none.
  package var whyUnreadable: @Sendable (_ name: String) -> String? = { _ in nil }
  /// Whether its maps were recorded in a journal, perhaps by a release that did not find all faults.
  var isRecorded = false

  /// Creates a library that finds the maps that other maps choose among or include.
  public init(_ find: @escaping Find) { self.find = find }
}

/// The value of `--map`: a name or a file, and switches.
public struct MapReference: Equatable, Sendable {
  /// A fault of a reference, as a sentence.
  public struct Fault: Error, Equatable, Sendable, CustomStringConvertible {
    /// The sentence.
    public let description: String
  }

  /// The name of a built-in map, or a file.
  public var name: String
  /// The chosen values of switches, in the order in which they were given.
  public var switches: [(name: String, value: String)]

  /// Whether both have the same name and the same switches.
  public static func == (a: Self, b: Self) -> Bool { a.description == b.description }

  /// The text from which ``read(_:)`` makes the reference.
  public var description: String {
    switches.isEmpty ? name : name + ":" + switches.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
  }

  /// Reads `NAME`, `FILE` or `NAME:switch=value,…`. A colon that no `=` follows belongs to the name.
  public static func read(_ text: String) -> Result<MapReference, Fault> {
    guard let equals = text.firstIndex(of: "="), let colon = text[..<equals].lastIndex(of: ":") else {
      if text.isEmpty { return .failure(Fault(description: "a map's name or file is expected")) }
      return .success(.init(name: text, switches: []))
    }
    var reference = MapReference(name: String(text[..<colon]), switches: [])
    for part in text[text.index(after: colon)...].split(separator: ",", omittingEmptySubsequences: false) {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2, !sides[0].isEmpty, !sides[1].isEmpty else {
        return .failure(Fault(description: "after the colon switch=value,… is expected, as in douyu:hits=gifts, not \"\(part)\""))
      }
      if reference.switches.contains(where: { $0.name == sides[0] }) {
        return .failure(Fault(description: "the switch \"\(sides[0])\" is given twice"))
      }
      reference.switches.append((String(sides[0]), String(sides[1])))
    }
    if reference.name.isEmpty { return .failure(Fault(description: "a map's name or file is expected before the colon")) }
    return .success(reference)
  }
}
