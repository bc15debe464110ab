import Foundation

@testable import ComboCore

/// A stream of `Tests/Conformance`, read with simple code that does not check for faults on the wire.
struct ConformanceStream {
  var settings: Settings
  var events: [(room: String, at: Int64, event: Event)] = []
  var expected: [String: [Said]] = [:]
  /// The fates of each room's gifts, as objects whose values are texts, or nil if they are not known.
  var explained: [String: [[String: String]]]?

  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Conformance")

  static let names: [String] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.filter { $0.hasSuffix(".in.jsonl") }.map { String($0.dropLast(9)) }.sorted()
  }()

  init(_ name: String) throws {
    func text(_ suffix: String) throws -> String {
      try String(contentsOf: Self.folder.appendingPathComponent(name + suffix), encoding: .utf8)
    }
    settings = try Self.settings(options: text(".args").split(whereSeparator: \.isWhitespace).map(String.init))
    for line in try text(".in.jsonl").split(separator: "\n") where !line.allSatisfy(\.isWhitespace) {
      let object = try Self.object(line)
      guard let room = object["room"] as? String, let ts = object["ts"] as? NSNumber else { throw Unreadable(line: String(line)) }
      events.append((room, ts.int64Value, try Self.event(object)))
    }
    for line in try text(".out.jsonl").split(separator: "\n") {
      let object = try Self.object(line)
      expected[object["room"] as! String, default: []].append(try Self.said(object, line))
    }
    guard let lines = try? text(".explain.jsonl") else { return }
    explained = [:]
    for line in lines.split(separator: "\n") {
      let object = try Self.object(line)
      explained?[object["room"] as! String, default: []].append(Self.explanation(object))
    }
  }

  private static func explanation(_ object: [String: Any]) -> [String: String] { object.mapValues { id($0) } }

  struct Unreadable: Error { var line: String }

  private static func object(_ line: Substring) throws -> [String: Any] {
    guard let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
      throw Unreadable(line: String(line))
    }
    return object.filter { !($0.value is NSNull) }
  }

  private static func id(_ value: Any?) -> String {
    if let text = value as? String { return text }
    return (value as? NSNumber)?.stringValue ?? ""
  }

  private static func canonical(_ value: Any?) throws -> String {
    guard let value else { return "" }
    return String(decoding: try JSONSerialization.data(withJSONObject: value, options: .sortedKeys), as: UTF8.self)
  }

  private static func event(_ object: [String: Any]) throws -> Event {
    let part = { (name: String) in object[name] as? [String: Any] }
    let partID = { (name: String) in id(part(name)?["id"]) }
    switch object["type"] as? String ?? "gift" {
    case "gift":
      var amount = OwnedAmount.count((object["count"] as? NSNumber)?.intValue ?? 1)
      if let total = object["total"] as? NSNumber { amount = .total(total.intValue, streak: id(object["streak"])) }
      var gift = OwnedGift(
        id: id(object["id"]),
        key: Key(
          sender: partID("sender"), receiver: partID("receiver"), gift: partID("gift"), combo: id(object["combo"])),
        display: try display(object), value: (part("gift")?["value"] as? NSNumber)?.doubleValue ?? 0, amount: amount)
      gift.streakMs = (object["streak_ms"] as? NSNumber)?.int32Value
      gift.ends = (object["ends"] as? NSNumber)?.boolValue ?? false
      gift.refresh = (object["refresh"] as? NSNumber)?.boolValue ?? false
      gift.lingerMs = (object["linger_ms"] as? NSNumber)?.intValue ?? 0
      return .gift(gift)
    case "room_closed": return .closed
    case "retract": return .retract(sender: partID("sender"), receiver: partID("receiver"), gift: partID("gift"))
    case "room_settings":
      var own = OwnSettings()
      for (name, value) in (part("settings") ?? [:]).sorted(by: { $0.key < $1.key }) where !(value is NSNull) {
        own.add(try setting(name, value))
      }
      return .settings(own)
    default: throw Unreadable(line: "\(object)")
    }
  }

  private static func display(_ object: [String: Any]) throws -> OwnedDisplay {
    OwnedDisplay(
      sender: try canonical(object["sender"]), receiver: try canonical(object["receiver"]),
      gift: try canonical(object["gift"]))
  }

  private static func setting(_ name: String, _ value: Any) throws -> Setting {
    let integers = { (value as? [NSNumber])?.map(\.intValue) ?? [] }
    switch name {
    case "queue_merge": return .queueMerge(QueueMerge(rawValue: value as! String)!)
    case "queue_order": return .queueOrder(QueueOrder(rawValue: value as! String)!)
    case "milestones": return .milestones(integers())
    case "finals": return .finals((value as! NSNumber).boolValue)
    case "tiers":
      let tiers = (value as! [[String: NSNumber]]).map {
        Tier(
          value: $0["value"]!.doubleValue, lingerMs: $0["linger_ms"]!.intValue, busyLingerMs: $0["busy_linger_ms"]!.intValue)
      }
      return .tiers(tiers)
    default: return .integer(IntegerSetting(rawValue: name)!, (value as! NSNumber).intValue)
    }
  }

  private static func settings(options: [String]) throws -> Settings {
    var settings = Settings()
    for i in stride(from: 0, to: options.count, by: 2) {
      settings.apply(try Setting(name: String(options[i].dropFirst(2).replacing("-", with: "_")), text: options[i + 1]))
    }
    return settings
  }

  private static func said(_ object: [String: Any], _ line: Substring) throws -> Said {
    func integer(_ name: String, in object: [String: Any] = object) throws -> Int {
      guard let number = object[name] as? NSNumber else { throw Unreadable(line: "no \(name) in \(object)") }
      return number.intValue
    }
    let milestone = (object["milestone"] as? NSNumber)?.intValue
    let operation: Said.Operation
    switch object["op"] as! String {
    case "show":
      operation = .show(
        banner: try integer("banner"), count: try integer("count"), base: try integer("base"), milestone: milestone,
        display: try display(object))
    case "update":
      operation = .update(
        banner: try integer("banner"), slot: try integer("slot"), count: try integer("count"), added: try integer("added"),
        milestone: milestone)
    case "move_up": operation = .moveUp(banner: try integer("banner"), slot: try integer("slot"))
    case "dismiss":
      operation = .dismiss(
        banner: try integer("banner"), slot: try integer("slot"), count: try integer("count"),
        reason: DismissReason(rawValue: object["reason"] as! String)!)
    case "skip" where object["banners"] != nil:
      operation = .skipSum(
        banners: try integer("banners"), count: try integer("count"),
        // JSONSerialization is not exact to the last bit.
        value: Double(line.split(separator: #""value":"#)[1].prefix { $0 != "," })!,
        reason: SkipReason(rawValue: object["reason"] as! String)!)
    case "skip":
      operation = .skip(
        banner: try integer("banner"), count: try integer("count"),
        reason: SkipReason(rawValue: object["reason"] as! String)!, display: try display(object))
    case "final":
      operation = .final(
        banner: try integer("banner"), count: try integer("count"),
        reason: FinalReason(rawValue: object["reason"] as! String)!, display: try display(object))
    case "screen":
      operation = .screen(
        try (object["banners"] as! [[String: Any]]).map {
          Said.Shown(
            banner: try integer("banner", in: $0), slot: try integer("slot", in: $0), count: try integer("count", in: $0),
            base: try integer("base", in: $0), display: try display($0))
        })
    default: throw Unreadable(line: "\(object)")
    }
    return Said(
      epoch: Int64(try integer("epoch")), seq: try integer("seq"), at: Int64(try integer("at")), operation: operation)
  }
}

extension Setting {
  /// Creates a setting from the text of a trace or of the command line: `tiers` is `10:4000:900,100:8000:1800`.
  init(name: String, text: String) throws {
    let list = text.split(separator: ",").map(String.init)
    switch name {
    case "queue_merge": self = .queueMerge(QueueMerge(rawValue: text)!)
    case "queue_order": self = .queueOrder(QueueOrder(rawValue: text)!)
    case "milestones": self = .milestones(list.compactMap(Int.init))
    case "finals": self = .finals(text == "true")
    case "tiers":
      self = .tiers(
        list.map {
          let parts = $0.split(separator: ":")
          return Tier(value: Double(parts[0])!, lingerMs: Int(parts[1])!, busyLingerMs: Int(parts[2])!)
        })
    default:
      guard let setting = IntegerSetting(rawValue: name), let value = Int(text) else {
        throw ConformanceStream.Unreadable(line: "\(name) \(text)")
      }
      self = .integer(setting, value)
    }
  }
}
