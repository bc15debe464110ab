import ComboCore
import Testing

@testable import ComboRooms

@Suite("The wakeups of a partition's rooms")
struct RoomWakeupsTests {
  @Test("a room that is scheduled again for the same time gets no other note, so that one more entry needs no memory")
  func notes() {
    let room = Array("r".utf8).withUnsafeBytes { Room($0, Engine(at: 0, settings: EngineSettings(Settings()))) }
    var wakeups = RoomWakeups()
    for _ in 0..<3 { wakeups.schedule(room) }
    #expect(wakeups.count == 1 && wakeups.next == room.scheduled)
  }
}
