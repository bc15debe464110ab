import ComboCore
import ComboEdge
import ComboLog
import ComboRooms
import ComboSystem
import ComboVerify
import Testing

@testable import ComboCommands

/// Input that is meant to block a partition: a small amount that makes rooms emit as much as they can.
@Suite("Rooms that are made to cost as much as they can")
struct AttackTests {
  private static func settings(_ room: String, _ settings: String) -> String {
    #"{"type":"room_settings","room":"\#(room)","settings":{\#(settings)}}"#
  }

  /// Returns a gift with this amount of display data.
  private static func gift(_ room: String, _ sender: Int, bytes: Int) -> String {
    #"{"room":"\#(room)","sender":{"id":"u\#(sender)","x":"\#(String(repeating: "x", count: bytes))"},"gift":{"id":"g","value":1}}"#
  }

  /// Waits until a sender's gift is shown in a room.
  private func awaitShow(_ scene: LogScene, _ room: String, sender: String) throws {
    let deadline = Deadline(afterMs: 60_000)
    while !deadline.isOver {
      let rings = scene.stage.file.committed.rings
      if try scene.records(.output).contains(where: {
        $0.contains(#""room":"\#(room)""#) && $0.contains(#""op":"show""#) && $0.contains(#""id":"\#(sender)""#)
      }) {
        return
      }
      scene.stage.file.committed.wait(after: rings, maxMs: 500)
    }
    Issue.record("the gift of \(sender) in \(room) is not shown")
  }

  /// Runs the attack, a gift of another sender, a restart, and another gift. Returns the log.
  private func withstands(
    _ attack: [String], bad: Int, _ configuration: ServiceConfiguration = LogScene.configuration()
  ) throws -> [String] {
    let scene = try LogScene()
    var log: [String] = []
    for round in 1...2 {
      let service = scene.start(configuration)
      if round == 1 { try scene.give(attack) }
      try scene.give([LogScene.gift("other", round, sender: round)])
      try scene.settle()
      try awaitShow(scene, "other", sender: "u\(round)")
      service.stop.set()
      #expect(try service.end() == 0, "\(service.log)")
      log += service.log
    }
    #expect(try scene.records(.deadLetter).count == bad)
    let report = try scene.verify()
    #expect(report.isProven, "\(report.summary)")
    return log
  }

  @Test("a room cannot set a hundred slots, a screen each millisecond and lingers of a day: its settings are one bad event")
  func formerAttack() throws {
    let attack =
      [Self.settings("r", #""slots":100,"screen_ms":1,"linger_ms":86400000,"busy_linger_ms":86400000,"hold_ms":0"#)]
      + (0..<100).map { Self.gift("r", $0, bytes: 8000) }
    let log = try withstands(attack, bad: 1)
    #expect(!log.contains { $0.contains("behind") }, "\(log)")
  }

  @Test("the most that a room may set for itself, in twenty rooms at once, holds nobody up")
  func worstRooms() throws {
    let attack = (0..<20).flatMap { room in
      [
        Self.settings(
          "r\(room)", #""slots":10,"screen_ms":500,"linger_ms":60000,"busy_linger_ms":60000,"dwell_ms":60000,"hold_ms":0"#)
      ]
        + (0..<10).map { Self.gift("r\(room)", $0, bytes: 16_000) }
    }
    _ = try withstands(attack, bad: 0)
  }

  @Test("an operator's own settings, with which a room emits more than can be written, stop neither gifts nor the service")
  func operatorsSettings() throws {
    var configuration = LogScene.configuration()
    configuration.settings.slots = 100
    configuration.settings.screenMs = 1
    configuration.settings.lingerMs = 86_400_000
    configuration.settings.busyLingerMs = 86_400_000
    _ = try withstands((0..<100).map { Self.gift("r", $0, bytes: 1000) }, bad: 0, configuration)
  }
}
