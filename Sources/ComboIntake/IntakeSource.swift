/// A source of records in the form of `--from`:
/// `PLACE[,map=NAME|FILE][,room=ROOM][,hello=FILE][,password=FILE]`.
package struct IntakeSource: Equatable, Sendable {
  package enum Place: Equatable, Sendable {
    /// `-`
    case standardInput
    /// `post`: the bodies of `POST /events`.
    case post
    /// `ws://…` or `wss://…`
    case webSocket(WebSocketURL)
  }

  package var place: Place
  /// The option's text, as given, with passwords masked.
  package var text: String
  /// The map that turns its records into events, or nil if they are events already.
  package var map: String?
  /// The room of all its gifts, or nil if each record names its room.
  package var room: String?
  /// A file whose lines are sent to a WebSocket server after each connect.
  package var hello: String?
  /// A file with the password of a WebSocket server.
  package var password: String?

  /// Whether the text may contain a password, and so is not shown as it is.
  package static func mayHaveLogin(_ text: String) -> Bool { text.contains("@") || text.contains("password=") }

  private static let parameters = ["map", "room", "hello", "password"]

  /// The reason why a source is unusable, as a sentence.
  package struct Fault: Error, Equatable, CustomStringConvertible {
    package let description: String
  }

  package init(_ text: String) throws(Fault) {
    // An address may contain commas, and so may a map's switches: a comma separates only before the name of a parameter.
    var place = ""
    var found: [(name: String, value: String)] = []
    for piece in text.split(separator: ",", omittingEmptySubsequences: false) {
      if let equals = piece.firstIndex(of: "="), Self.parameters.contains(String(piece[..<equals])) {
        found.append((String(piece[..<equals]), String(piece[piece.index(after: equals)...])))
      } else if let last = found.indices.last {
        found[last].value += ",\(piece)"
      } else {
        place += (place.isEmpty ? "" : ",") + piece
      }
    }
    // The password itself may have been given instead of a file name.
    let text = found.reduce(text) { $1.name == "password" && !$1.value.isEmpty ? $0.replacing($1.value, with: "******") : $0 }
    self.text = text
    // First, so that no other fault shows a login.
    switch place {
    case "-": self.place = .standardInput
    case "post": self.place = .post
    default:
      guard let url = WebSocketURL(place) else {
        if place.contains("@") {
          throw Fault(description: "--from: an address may have no login: put the password into a file, password=FILE")
        }
        throw Fault(
          description:
            "--from \(text): expected - (standard input), post, or an address such as ws://127.0.0.1:21213, optionally with"
            + " ,map=NAME ,room=ROOM ,hello=FILE ,password=FILE")
      }
      self.place = .webSocket(url)
    }
    for (name, value) in found {
      if value.isEmpty { throw Fault(description: "--from \(text): \(name)= needs a value") }
      switch name {
      case "map": map = value
      case "room":
        if value.utf8.count > 256 { throw Fault(description: "--from \(text): a room may have at most 256 bytes") }
        room = value
      case "password": password = value
      default: hello = value
      }
    }
    if hello ?? password != nil, self.place == .standardInput || self.place == .post {
      throw Fault(description: "--from \(text): \(hello != nil ? "hello" : "password")= can only be used with WebSocket servers")
    }
  }
}

/// The address of a WebSocket server.
package struct WebSocketURL: Equatable, Sendable {
  var isTLS: Bool
  package var host: String
  package var port: Int
  /// The path with the query.
  package var path: String

  /// Whether the server is on this machine.
  var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

  /// Parses an address, or returns nil if it is not one of a WebSocket server.
  package init?(_ text: String) {
    var rest: Substring
    if text.hasPrefix("ws://") {
      (isTLS, rest) = (false, text.dropFirst(5))
    } else if text.hasPrefix("wss://") {
      (isTLS, rest) = (true, text.dropFirst(6))
    } else {
      return nil
    }
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    let address = rest[..<end]
    path = String(rest[end...].prefix { $0 != "#" })
    if !path.hasPrefix("/") { path = "/" + path }
    if address.contains("@") || text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f }) { return nil }
    var port: Substring?
    if address.hasPrefix("[") {
      guard let close = address.firstIndex(of: "]") else { return nil }
      host = String(address[address.index(after: address.startIndex)..<close])
      let behind = address[address.index(after: close)...]
      if !behind.isEmpty {
        guard behind.hasPrefix(":") else { return nil }
        port = behind.dropFirst()
      }
    } else if let colon = address.firstIndex(of: ":") {
      host = String(address[..<colon])
      port = address[address.index(after: colon)...]
    } else {
      host = String(address)
    }
    if host.isEmpty { return nil }
    if let port {
      guard let number = Int(port), (1...65_535).contains(number) else { return nil }
      self.port = number
    } else {
      self.port = isTLS ? 443 : 80
    }
  }
}
