import Foundation
import Testing

@testable import ComboClient

/// A banner of a case file.
struct ShownBanner: Equatable {
  let places: [Int]
  let names: [String?]

  init(_ banner: RoomBanner) {
    places = [banner.number, banner.slot, banner.count, banner.base]
    names = [banner.sender, banner.receiver, banner.gift].map { $0.map(Self.text) }
  }

  init(_ entry: [String: Any]) {
    places = ["banner", "slot", "count", "base"].map { entry[$0] as! Int }
    names = ["sender", "receiver", "gift"].map { name in
      (entry[name] as? [String: Any]).map { object in
        Self.text(DisplayData(json: String(decoding: try! JSONSerialization.data(withJSONObject: object), as: UTF8.self))!)
      }
    }
  }

  /// Returns every field, in sorted order.
  private static func text(_ data: DisplayData) -> String {
    let object = try! JSONSerialization.jsonObject(with: Data(data.json.utf8))
    return String(decoding: try! JSONSerialization.data(withJSONObject: object, options: .sortedKeys), as: UTF8.self)
  }
}

/// A case of Tests/Clients.
struct ClientCase: CustomTestStringConvertible, Sendable {
  struct Step: @unchecked Sendable {
    let text: String
    let isJoined: Bool
    let verdict: String
    let screen: [ShownBanner]
  }

  let name: String
  private(set) var steps: [Step] = []

  var testDescription: String { name }

  private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

  static let all: [ClientCase] = {
    var cases: [ClientCase] = []
    let folder = tests.appendingPathComponent("Clients/cases")
    for file in try! FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() where file.hasSuffix(".jsonl") {
      for line in try! String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8).split(separator: "\n") {
        let value = try! JSONSerialization.jsonObject(with: Data(line.utf8)) as! [String: Any]
        if let name = value["case"] as? String {
          cases.append(ClientCase(name: "\(file): \(name)"))
        } else {
          let key = value["joined"] == nil ? "in" : "joined"
          cases[cases.count - 1].steps.append(
            Step(
              text: value[key] as? String ?? text(of: key, in: line), isJoined: key == "joined",
              verdict: value["verdict"] as! String,
              screen: (value["screen"] as! [[String: Any]]).map(ShownBanner.init)))
        }
      }
    }
    return cases
  }()

  /// Returns an object as it is written in the line.
  private static func text(of key: String, in line: Substring) -> String {
    var line = String(line)
    return line.withUTF8 { bytes in
      var cursor = JSONCursor(bytes)!
      var found = ""
      _ = try! cursor.object { (cursor, name) throws(JSONCursor.Malformed) in
        let object = try cursor.objectValue()
        if name.string == key { found = String(decoding: object!, as: UTF8.self) }
      }
      return found
    }
  }

  /// The recorded streams of Tests/Conformance, which engines emitted.
  static let streams: [String] = try! FileManager.default.contentsOfDirectory(
    atPath: tests.appendingPathComponent("Conformance").path
  )
  .filter { $0.hasSuffix(".out.jsonl") }.sorted()

  static func lines(of stream: String) throws -> [String] {
    try String(contentsOf: tests.appendingPathComponent("Conformance/\(stream)"), encoding: .utf8).split(separator: "\n").map(
      String.init)
  }
}
