import ComboCore
import ComboEdge
import ComboRooms
import ComboService
import ComboWire
import Testing

@testable import ComboSimulation
@testable import ComboVerify

extension VerifyReachTests {
  @Test("a room that has its own settings from before is not a fault where it is derived without them")
  func ownSettings() throws {
    let scene = VerifyScene()
    let first = scene.scene.start()
    scene.scene.world.put("r1", #"{"type":"room_settings","settings":{"linger_ms":250}}"#)
    scene.burst(first)
    scene.scene.world.kill(first)
    let second = scene.scene.start()
    scene.burst(second)
    scene.rest(second)
    scene.burst(second)
    scene.scene.world.put("r1", #"{"type":"room_closed"}"#)
    scene.rest(second)
    scene.burst(second)
    scene.rest(second)
    #expect(try scene.verify().faults == [])
    let takeover = try scene.takeovers()[1]
    takeover.log.cut(before: takeover.record.offset)
    let report = try scene.verify()
    #expect(report.faults == [] && report.unprovenRooms == 3, "\(report.faults)")
  }

  @Test(
    "a room whose own settings are from before counts from its first epoch after they are gone",
    arguments: ["closed once it would have rested", "closed in the middle", "given others in the middle"], [250, 2_000])
  func ownSettingsGone(how: String, linger: Int) throws {
    let scene = VerifyScene()
    let first = scene.scene.start()
    scene.scene.world.put("r1", #"{"type":"room_settings","settings":{"linger_ms":\#(linger),"screen_ms":\#(linger - 10)}}"#)
    scene.burst(first)
    scene.scene.world.kill(first)
    let second = scene.scene.start()
    scene.rest(second)
    scene.burst(second)
    if how.hasSuffix("rested") {
      scene.rest(second)
      scene.scene.world.put("r1", #"{"type":"room_closed"}"#)
    } else {
      let next = how.hasPrefix("closed") ? #"{"type":"room_closed"}"# : #"{"type":"room_settings","settings":{}}"#
      scene.scene.world.put("r1", next)
    }
    scene.burst(second)
    scene.rest(second)
    scene.burst(second)
    scene.rest(second)
    #expect(try scene.verify().faults == [])
    let takeover = try scene.takeovers()[1]
    takeover.log.cut(before: takeover.record.offset)
    let report = try scene.verify()
    #expect(report.faults == [] && report.isProven, "\(report.faults)")
    #expect(report.tally.equal + report.unprovenInstructions == report.instructions)
    // The room is compared again.
    scene.spoil("r1")
    #expect(try scene.verify().findings.count(.bytes) == 1)
  }

  @Test(
    "where the journal reaches back no further than the checkpoint, the snapshots bring the rooms in", arguments: [false, true])
  func checkpoint(isCut: Bool) throws {
    let scene = VerifyScene()
    scene.scene.configuration.checkpointGifts = 20
    let instance = scene.scene.start()
    scene.burst(instance, gifts: 40)
    let checkpoint = try #require(try scene.checkpoint())
    scene.burst(instance, gifts: 20)
    scene.rest(instance)
    let newest = try #require(try scene.checkpoint())
    #expect(newest.n >= checkpoint.n)
    if isCut {
      scene.broker.log(.journal, 0).cut(before: newest.journal)
      scene.broker.log(.input, 0).cut(before: newest.input)
    }
    let report = try scene.verify(Verifier.Options(fromCheckpoint: !isCut))
    #expect(report.faults == [] && report.isProven && report.resets == 0, "\(report.faults)")
    #expect(report.unprovenInstructions > 0 && report.tally.equal > 0)
    scene.spoil("r0")
    #expect(try scene.verify(Verifier.Options(fromCheckpoint: !isCut)).findings.count(.bytes) == 1)
  }

  @Test(
    "what a room says between the checkpoint and a newer snapshot of it is not provable, whether it rests by then or not",
    arguments: [30, 90])
  func newerSnapshot(rooms: Int) throws {
    let scene = VerifyScene()
    // Each commit writes one room, so that the last one is written after its last instruction, or after it has rested.
    scene.scene.configuration.sweepBudget = 1
    let first = scene.scene.start()
    scene.scene.gift("awake")
    scene.scene.settle(first)
    scene.scene.world.kill(first)
    scene.scene.configuration.checkpointGifts = 40 + rooms + 1
    let second = scene.scene.start()
    for _ in 0..<40 {
      scene.scene.gift("awake")
      scene.scene.world.clock.advance(40)
      scene.scene.turn(second, 3)
    }
    for number in 0..<rooms { scene.scene.gift("r\(number)") }
    scene.scene.gift("last")
    scene.scene.settle(second)
    for _ in 0..<1000 {
      if try scene.checkpoint() != nil { break }
      scene.scene.turn(second, 3)
    }
    scene.scene.settle(second)
    scene.rest(second)
    let takeover = try scene.takeovers()[1]
    takeover.log.cut(before: takeover.record.offset)
    let checkpoint = try #require(try scene.checkpoint())
    let snapshot = try #require(try scene.snapshot("last"))
    #expect(snapshot.n > checkpoint.n && snapshot.isRested == (rooms > 80), "\(snapshot), \(checkpoint.n)")
    let report = try scene.verify()
    #expect(report.faults == [] && report.isProven, "\(report.faults)")
    #expect(report.tally.equal + report.unprovenInstructions == report.instructions)
  }

  @Test("instructions of a room that woke exactly at the checkpoint are not provable")
  func wokeAtCheckpoint() throws {
    let scene = VerifyScene()
    scene.scene.configuration.checkpointGifts = 2
    let instance = scene.scene.start()
    scene.scene.gift("r0")
    scene.scene.settle(instance)
    scene.rest(instance)
    scene.scene.world.clock.moves = 0
    scene.scene.gift("new")
    for _ in 0..<100 {
      if try scene.checkpoint() != nil { break }
      scene.scene.world.clock.advance(20)
      scene.scene.turn(instance)
    }
    let checkpoint = try #require(try scene.checkpoint())
    let emitted = try #require(scene.output("new").first).text
    #expect(emitted.contains(#""epoch":\#(checkpoint.clock),"seq":1,"#), "\(emitted), \(checkpoint.clock)")
    #expect(try scene.snapshot("new")?.n == checkpoint.n)
    scene.rest(instance)
    let report = try scene.verify(Verifier.Options(fromCheckpoint: true))
    #expect(report.faults == [] && report.isProven, "\(report.faults)")
    #expect(report.tally.equal + report.unprovenInstructions == report.instructions)
  }

  @Test("with nothing after the checkpoint, --from-checkpoint has nothing to compare, and says so")
  func nothingAfter() throws {
    let scene = VerifyScene()
    scene.scene.configuration.checkpointGifts = 1
    let instance = scene.scene.start()
    var report = VerifyReport()
    for _ in 0..<20 where report.entriesBeforeCheckpoint == 0 || report.tally.equal > 0 {
      scene.burst(instance, gifts: 1)
      scene.rest(instance)
      report = try scene.verify(Verifier.Options(fromCheckpoint: true))
    }
    #expect(report.faults == [] && !report.isProven && report.tally.equal == 0, "\(report.faults)")
    #expect(report.summary.contains("NOT proven: nothing was compared, because no instruction follows the checkpoint"))
    #expect(try scene.verify().isProven)
  }

  @Test("without a checkpoint --from-checkpoint gives no proof")
  func noCheckpoint() throws {
    let scene = VerifyScene()
    scene.story()
    let report = try scene.verify(Verifier.Options(fromCheckpoint: true))
    #expect(!report.isProven && report.first(.source).contains("there is no checkpoint to begin from"), "\(report.faults)")
  }
}
