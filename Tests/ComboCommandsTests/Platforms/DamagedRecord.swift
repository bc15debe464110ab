import Foundation

/// A record of a sample, whose fields are damaged one by one. JSON in strings is part of it, as are the tags of IRC and the
/// fields of STT.
struct DamagedRecord {
  /// The damage to a field.
  enum Damage: CaseIterable {
    case absent, null, object, list, empty, zero, truth

    fileprivate var value: Any? {
      switch self {
      case .absent: nil
      case .null: NSNull()
      case .object: [String: Any]()
      case .list: [Any]()
      case .empty: ""
      case .zero: 0
      case .truth: true
      }
    }
  }

  private enum Form { case json, irc, stt }
  private let form: Form
  private let root: Any
  /// The text after the tags of a line of IRC.
  private let rest: String

  init?(_ text: String) {
    if text.hasPrefix("{") || text.hasPrefix("[") {
      guard let json = Self.parsed(text) else { return nil }
      (form, root, rest) = (.json, Self.opened(json), "")
    } else if text.hasPrefix("@"), let space = text.firstIndex(of: " ") {
      let tags = text[..<space].dropFirst().split(separator: ";").map { Self.pair($0, "=") }
      (form, root, rest) = (.irc, Dictionary(tags) { first, _ in first }, String(text[space...]))
    } else {
      let fields = text.split(separator: "/").map { Self.pair($0, "@=") }
      (form, root, rest) = (.stt, Dictionary(fields) { first, _ in first }, "")
    }
  }

  private init(_ form: Form, _ root: Any, _ rest: String) { (self.form, self.root, self.rest) = (form, root, rest) }

  private static func pair(_ text: Substring, _ separator: String) -> (String, Any) {
    guard let range = text.range(of: separator) else { return (String(text), "") }
    return (String(text[..<range.lowerBound]), String(text[range.upperBound...]))
  }

  private static func parsed(_ text: String) -> Any? { try? JSONSerialization.jsonObject(with: Data(text.utf8)) }

  /// JSON that was a string.
  private struct Quoted { var inner: Any }

  private static func opened(_ value: Any) -> Any {
    if let object = value as? [String: Any] { return object.mapValues { opened($0) } }
    if let list = value as? [Any] { return list.map { opened($0) } }
    if let text = value as? String, text.hasPrefix("{") || text.hasPrefix("["), let inner = parsed(text) {
      return Quoted(inner: opened(inner))
    }
    return value
  }

  private static func closed(_ value: Any) -> Any {
    if let object = value as? [String: Any] { return object.mapValues { closed($0) } }
    if let list = value as? [Any] { return list.map { closed($0) } }
    if let quoted = value as? Quoted { return json(quoted.inner) }
    return value
  }

  private static func json(_ value: Any) -> String {
    let data = try! JSONSerialization.data(
      withJSONObject: closed(value), options: [.sortedKeys, .withoutEscapingSlashes, .fragmentsAllowed])
    return String(decoding: data, as: UTF8.self)
  }

  /// The record as it is sent.
  var text: String {
    func fields(_ separator: String) -> [String] {
      (root as! [String: Any]).sorted { $0.key < $1.key }.map { name, value in
        let written =
          switch value {
          case let text as String: text
          case is NSNull, is [String: Any], is [Any]: ""
          default: Self.json(value)
          }
        return name + separator + written
      }
    }
    return switch form {
    case .json: Self.json(root)
    case .irc: "@" + fields("=").joined(separator: ";") + rest
    case .stt: fields("@=").map { $0 + "/" }.joined()
    }
  }

  /// The paths to all fields, without the record itself. Elements of arrays are named by their index.
  var fields: [[String]] {
    var found: [[String]] = []
    func walk(_ value: Any, _ way: [String]) {
      if !way.isEmpty { found.append(way) }
      if let object = value as? [String: Any] {
        for (name, inner) in object.sorted(by: { $0.key < $1.key }) { walk(inner, way + [name]) }
      } else if let list = value as? [Any] {
        for (index, inner) in list.enumerated() { walk(inner, way + ["\(index)"]) }
      } else if let quoted = value as? Quoted {
        walk(quoted.inner, way)
      }
    }
    walk(root, [])
    return found
  }

  /// Returns the record with one field damaged.
  func damaged(_ way: [String], _ damage: Damage) -> DamagedRecord {
    func change(_ value: Any, _ way: ArraySlice<String>) -> Any? {
      guard let step = way.first else { return damage.value }
      if let quoted = value as? Quoted { return change(quoted.inner, way).map { Quoted(inner: $0) } }
      if var object = value as? [String: Any] {
        object[step] = change(object[step]!, way.dropFirst())
        return object
      }
      var list = value as! [Any]
      let index = Int(step)!
      if let changed = change(list[index], way.dropFirst()) { list[index] = changed } else { list.remove(at: index) }
      return list
    }
    return DamagedRecord(form, change(root, way[...])!, rest)
  }

  /// Returns the record with only the scalars whose names `keeps` accepts, at any depth outside members that `unread` accepts.
  func keeping(_ keeps: (String) -> Bool, outside unread: (String) -> Bool) -> DamagedRecord {
    func strip(_ value: Any) -> Any? {
      if let quoted = value as? Quoted { return strip(quoted.inner).map { Quoted(inner: $0) } }
      if let list = value as? [Any] { return list.compactMap { strip($0) } }
      guard let object = value as? [String: Any] else { return nil }
      return object.reduce(into: [String: Any]()) { left, member in
        if unread(member.key) { return }
        left[member.key] = strip(member.value) ?? (keeps(member.key) ? member.value : nil)
      }
    }
    return DamagedRecord(form, strip(root)!, rest)
  }
}
