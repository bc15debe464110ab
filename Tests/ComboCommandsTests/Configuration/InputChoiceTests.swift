import ComboMaps
import ComboRooms
import ComboSystem
import Foundation
import Testing

@testable import ComboCommands
@testable import ComboService

@Suite("Several inputs")
struct InputChoiceTests {
  private let choice = InputChoice(names: ["a", "b"], pattern: TopicPattern(text: "^gifts_(eu|us)"))

  @Test("are matched from the name's beginning on, and topics of Kafka and of the service never are")
  func pattern() {
    for name in ["gifts_eu", "gifts_us.1"] { #expect(choice.contains(name), "\(name)") }
    for name in ["my_gifts_eu", "gifts_", "gifts_eu.g.combo-journal", "gifts_eu.g.combo-state", "gifts_eu.g.combo-dead-letter"] {
      #expect(!choice.contains(name), "\(name)")
    }
    #expect(!TopicPattern(text: "^__").matches("__consumer_offsets"))
  }

  @Test("may have maps of their own, with switches")
  func maps() {
    #expect(
      choice.maps(in: "a=tiktok,b=bilibili:guard=gifts,superchat=gifts") == [
        "a": "tiktok", "b": "bilibili:guard=gifts,superchat=gifts",
      ])
    #expect(choice.maps(in: "gifts_eu=./m.json") == ["gifts_eu": "./m.json"])
    #expect(choice.maps(in: "bilibili:guard=gifts,superchat=gifts") == nil)
    #expect(choice.maps(in: "tiktok") == nil)
  }

  @Test("may each have a map, and a map for an unknown input is a fault")
  func stranger() {
    for text in [
      "tiktok", "bilibili:guard=gifts,superchat=gifts", "a=bilibili:guard=gifts,c=gifts", "a=./x=y.json", "./m=1.json",
      "gifts_eu=tiktok", "",
    ] { #expect(choice.mapFault(in: text) == nil, "\(text)") }
    for text in ["c=tiktok", "c=tiktok,a=bilibili", "a=tiktok,c=bilibili", "a=bilibili:guard=gifts,b=tiktok,c=twitch"] {
      #expect(choice.mapFault(in: text)?.hasPrefix(#"names "c", which is none"#) == true, "\(text)")
    }
    #expect(InputChoice(names: ["a"]).mapFault(in: "a=tiktok,c=tiktok")?.hasPrefix(#"names "c", which is not"#) == true)
    #expect(choice.mapFault(in: "a=tiktok,b=tiktok,a=bilibili") == #"gives the input "a" two maps: keep one of them"#)
    #expect(InputChoice().mapFault(in: "c=tiktok") == nil)
    #expect(InputChoice(names: [], pattern: TopicPattern(text: "^")).mapFault(in: "tiktok") == nil)
  }

  @Test(
    "are named in front of their maps also where there is one",
    arguments: ["run", "check", "seek --to-offset 0:1", "reset-clock"])
  func single(command: String) {
    func read(_ map: String) -> ServiceOptions? {
      let words = "\(command) --brokers b --input a --output o --map \(map)".split(separator: " ").map(String.init)
      return switch Invocation.parse(words) {
      case .run(let options), .check(let options), .resetClock(let options): options
      case .seek(let options): options.service
      default: nil
      }
    }
    #expect(read("a=tiktok")?.map?.title == read("tiktok")?.map?.title)
    #expect(read("a=tiktok")?.mapText == "tiktok" && read("a=tiktok")?.map != nil)
    #expect(read("a=tiktok,c=bilibili") == nil && read("a=tiktok,a=bilibili") == nil)
  }

  @Test("are those of the list, and then the topics that match and are not the service's own")
  func all() {
    #expect(
      choice.all(among: ["gifts_us", "a", "gifts_eu", "gifts_eu.out", "c"], but: ["gifts_eu.out"]) == [
        "a", "b", "gifts_eu", "gifts_us",
      ])
  }

  @Test("have files of options that name dead-letter topics of the service, and one that is not read is noticed")
  func settings() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (file, text) in [
      ("gifts_eu.conf", "dead-letter = gifts_eu_dl\nno-such = 1"), ("gifts_us.txt", "dead-letter = other"), ("a", ""),
      ("gifts_us_later.conf", "[run]\ndead-letter = gifts_us_dl"),
    ] { try Data(text.utf8).write(to: folder.appending(path: file)) }
    var options = ServiceOptions(brokers: "b", input: "gifts_us", output: "gifts_eu_o", group: "g", transactionalID: "t")
    options.inputSettings = InputSettings(folder: folder.path)
    #expect(
      options.ownTopics(options.inputSettings).isSuperset(of: ["gifts_eu_o", "gifts_eu_dl", "gifts_us_dl"])
        && !options.ownTopics(options.inputSettings).contains("other"))
    #expect(options.strayFile == nil)
    options.isOneOfSeveral = true
    #expect(options.strayFile == "gifts_us.txt")
    let settings = try #require(options.inputSettings)
    #expect(settings.strayFile(of: "a") == "a" && settings.strayFile(of: "gifts_eu") == nil)
  }

  @Test("in one output are reported once if two of them have rooms with equal ids")
  func mix() {
    var mix = RoomMix()
    func read(_ key: String, _ input: String) -> String? {
      Array(key.utf8).withUnsafeBytes { key in
        Array(input.utf8).withUnsafeBytes { input in mix.read(key: key, input: input).map { "\($0) \($1)" } }
      }
    }
    for (key, input) in [("a:r", "a"), ("b:r", "b"), ("r", "a"), ("s", "a"), ("b:r", "b")] { #expect(read(key, input) == nil) }
    #expect(read("r", "b") == "a b" && mix.isKnown)
    #expect(read("r", "c") == nil)
  }

  @Test("are shown with their rooms as INPUT:ROOM, whether or not the rooms are called so", arguments: [false, true])
  func relay(arePrefixed: Bool) {
    let front = Observatory(stop: StopFlag())
    let services = ["a": Observatory(stop: StopFlag()), "b": Observatory(stop: StopFlag())]
    for service in services.values { service.publish(ServiceReport()) }
    var relay = RoomRelay(front, arePrefixed: arePrefixed)
    func inside(_ input: String, _ room: String) -> [UInt8] { Array((arePrefixed ? "\(input):\(room)" : room).utf8) }

    #expect(front.ask(.screen(room: Array("b:r:1".utf8), id: 7, watches: true)))
    #expect(front.ask(.screen(room: Array("c:r".utf8), id: 8, watches: false)))
    #expect(front.ask(.screen(room: Array("r".utf8), id: 9, watches: false)))
    relay.turn(services)
    guard case .screen(let room, 7, true, _)? = services["b"]!.takeQueries().first else {
      Issue.record("not asked")
      return
    }
    #expect(room == inside("b", "r:1") && services["a"]!.takeQueries().isEmpty)
    let elsewhere = front.takeNews().compactMap { if case .elsewhere(let id, _) = $0 { id } else { nil } }
    #expect(elsewhere == [8, 9])

    services["b"]!.tell([.screen(id: 7, room: inside("b", "r:1"), record: [1]), .said(room: inside("b", "r:1"), record: [2])])
    relay.turn(services)
    let news = front.takeNews()
    guard news.count == 2, case .screen(7, let shown, [1]) = news[0], case .said(let said, [2]) = news[1] else {
      Issue.record("\(news)")
      return
    }
    #expect(shown == Array("b:r:1".utf8) && said == shown)
  }

  @Test("have one list of rooms, which ends with the last answer, or when an input that was asked is gone")
  func survey() {
    let front = Observatory(stop: StopFlag())
    var services = ["a": Observatory(stop: StopFlag()), "b": Observatory(stop: StopFlag())]
    for service in services.values { service.publish(ServiceReport()) }
    var relay = RoomRelay(front, arePrefixed: false)
    func line(_ room: String, _ rate: Double) -> RoomLine {
      RoomLine(room: Array(room.utf8), epoch: 1, seq: 1, banners: 1, queued: 0, gifts: 1, rate: rate)
    }
    func lines() -> [String]? {
      for case .survey(_, let lines) in front.takeNews() { return lines.map { String(decoding: $0.room, as: UTF8.self) } }
      return nil
    }
    for (id, prefix) in [(1, ""), (2, "b:x")] as [(UInt64, String)] {
      #expect(front.ask(.survey(prefix: Array(prefix.utf8), limit: 2, order: .rate, id: id)))
    }
    relay.turn(services)
    #expect(services["a"]!.takeQueries().count == 1)
    let asked = services["b"]!.takeQueries().compactMap { if case .survey(let prefix, _, _, _, _) = $0 { prefix } else { nil } }
    #expect(asked == [[], Array("x".utf8)])
    services["a"]!.tell([.survey(id: 1, [line("r", 5), line("s", 1)])])
    relay.turn(services)
    #expect(lines() == nil)
    services["b"]!.tell([.survey(id: 1, [line("r", 3)])])
    relay.turn(services)
    #expect(lines() == ["a:r", "b:r"])
    services["b"] = nil
    relay.turn(services)
    #expect(lines() == [])
  }
}
