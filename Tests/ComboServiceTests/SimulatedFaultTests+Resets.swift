import ComboCore
import ComboEdge
import ComboRooms
import ComboWire
import Testing

@testable import ComboService
@testable import ComboSimulation

extension SimulatedFaultTests {
  /// Runs a service, kills it, does `harm`, and starts it twice.
  /// - Returns: The resets of the first start, and of the second.
  func resets(checkpoints: Bool, _ scene: SimScene, _ harm: () -> Void) -> (Int, Int) {
    if checkpoints { scene.configuration.checkpointGifts = 3 }
    let instance = scene.start()
    for number in 0..<8 {
      scene.gift("r\(number % 3)", sender: "u\(number)")
      scene.turn(instance, 3)
    }
    scene.settle(instance)
    scene.world.kill(instance)
    harm()
    scene.world.expectsErrors = true
    let second = scene.start()
    scene.gift("r0", sender: "again")
    scene.settle(second)
    scene.turn(second, 5)
    scene.world.kill(second)
    let third = scene.start()
    scene.gift("r1", sender: "again")
    scene.settle(third)
    #expect(third.service.totals.restores > 0 && !third.isDead, "\(scene.world.ends)")
    return (second.service.totals.resets, third.service.totals.resets)
  }

  @Test("input that was deleted too early: one reset, counted and in the journal; rooms without a snapshot are not known")
  func cutInput() {
    let scene = SimScene()
    let counts = resets(checkpoints: false, scene) { scene.world.broker.log(.input, 0).cut(before: 6) }
    #expect(counts == (1, 0))
    let reset = scene.entries.compactMap { $0.takeover?.reset }
    #expect(reset.count == 1 && reset[0].offsetsLost == 6, "\(reset)")
    let epochs = scene.lines(.output).filter { $0.contains(#""seq":1,"#) && $0.contains(#""op":"screen","banners":[]"#) }
    // Rooms are known only by their snapshots, of which there are none.
    #expect(epochs.count == 0)
  }

  @Test("a reset under other settings says nothing of the old epochs again")
  func resetUnderOtherSettings() {
    let scene = SimScene()
    scene.configuration.checkpointGifts = 3
    let first = scene.start()
    for _ in 0..<3 { scene.gift() }
    scene.settle(first)
    scene.turn(first, 5)
    // The room's snapshot was written before its banners ended.
    scene.turn(first, 300)
    scene.world.kill(first)
    scene.gift()
    scene.world.broker.log(.input, 0).cut(before: scene.world.broker.log(.input, 0).end)
    scene.world.expectsErrors = true
    scene.configuration.settings.slots = 5
    let second = scene.start()
    for _ in 0..<400 where second.service.totals.resets == 0 { scene.turn(second) }
    scene.gift("r", sender: "again")
    scene.settle(second)
    #expect(second.service.totals.resets == 1 && !second.isDead, "\(scene.world.ends)")
    let lines = scene.lines(.output)
    #expect(lines.contains { $0.contains(#""reason":"idle""#) }, "\(lines)")
    #expect(lines.contains { $0.contains(#""seq":1,"#) && $0.contains(#""op":"screen","banners":[]"#) }, "\(lines)")
    let places = lines.map { $0.prefix(upTo: $0.firstRange(of: #","at":"#)!.lowerBound) }
    #expect(Set(places).count == lines.count, "\(lines.joined(separator: "\n"))")
  }

  @Test("input that was deleted too early: rooms with a snapshot begin a later epoch with an empty screen")
  func cutInputBehindTheCheckpoint() {
    let scene = SimScene()
    scene.configuration.sweepBudget = 1
    let counts = resets(checkpoints: true, scene) {
      scene.gift("r2")
      scene.world.broker.log(.input, 0).cut(before: scene.world.broker.log(.input, 0).end)
    }
    #expect(counts.0 == 1 && counts.1 == 0, "\(counts)")
    let anew = scene.lines(.output).filter { $0.contains(#""seq":1,"#) && $0.contains(#""op":"screen","banners":[]"#) }
    #expect(!anew.isEmpty)
  }

  @Test("input that is deleted under a running service: one reset, and it continues")
  func cutInputUnderTheService() {
    let scene = SimScene()
    let instance = scene.start()
    scene.gift()
    scene.settle(instance)
    for _ in 0..<6 { scene.gift() }
    scene.world.broker.log(.input, 0).cut(before: 4)
    scene.world.expectsErrors = true
    scene.settle(instance)
    #expect(instance.service.totals.resets == 1 && !instance.isDead)
    #expect(scene.entries.compactMap { $0.takeover?.reset?.offsetsLost } == [4])
    #expect(scene.world.broker.offsets[0]?.offset == 7)
  }

  @Test("a partition whose position is uncertain is restored, and the others return to their last commit")
  func positionLost() {
    let scene = SimScene(partitions: 2)
    let instance = scene.start()
    for room in 0..<8 { scene.gift("r\(room)") }
    scene.settle(instance)
    for room in 0..<8 { scene.gift("r\(room)") }
    let before = instance.service.totals
    instance.service.failed(EdgeError(.positionLost, "where it is cannot be made sure of"), partition: 1)
    #expect(instance.service.totals.restores == before.restores + 2)
    #expect(!instance.service.partitions.isActive(1))
    // A failure of a partition that is not active has no effect.
    instance.service.failed(EdgeError(.positionLost, "where it is cannot be made sure of"), partition: 1)
    #expect(instance.service.totals.aborts == before.aborts + 1)
    #expect(scene.finish() == [])
  }

  @Test("only the part of input and journal after the checkpoint is needed")
  func retentionBeforeTheCheckpoint() {
    let scene = SimScene()
    scene.configuration.checkpointGifts = 4
    var instance = scene.start()
    for round in 0..<4 {
      for number in 0..<10 {
        scene.gift("r\(number % 4)", sender: "u\(number % 3)")
        scene.turn(instance, 3)
      }
      scene.settle(instance)
      let checkpoints = scene.world.broker.log(.state, 0).records.filter {
        $0.isCommitted && String(decoding: $0.key!, as: UTF8.self) == #"["checkpoint"]"#
      }
      let checkpoint = checkpoints.last!.value!.withUnsafeBytes { value in
        checkpoints.last!.key!.withUnsafeBytes { key in try? StateDecoder().checkpoint(value, key: key) }
      }!
      scene.world.broker.log(.input, 0).cut(before: checkpoint.input)
      scene.world.broker.log(.journal, 0).cut(before: checkpoint.journal)
      scene.world.broker.log(.state, 0).compact(below: .max, dropsDeletions: true)
      if round % 2 == 0 { scene.world.kill(instance) } else { scene.world.stop(instance) }
      instance = scene.start()
      scene.gift()
      scene.settle(instance)
      #expect(instance.service.totals.resets == 0 && scene.world.complaints == [] && scene.world.ends == [])
    }
  }

  @Test("an input that gains partitions: they are taken in, without a restart")
  func grownInput() {
    let scene = SimScene()
    let (one, other) = (scene.start("a"), scene.start("b"))
    func work(_ turns: Int) {
      for _ in 0..<turns {
        scene.turn(one)
        scene.turn(other)
      }
    }
    for number in 0..<6 { scene.gift("r\(number)") }
    work(60)
    // A room that moves loses what it remembered. Therefore all rest before.
    scene.world.clock.advance(3_000)
    work(60)
    scene.world.broker.grow(to: 3)
    for number in 0..<12 { scene.gift("r\(number)") }
    work(60)
    #expect(scene.world.broker.partitions(.journal).count == 3)
    #expect(scene.finish() == [])
  }

  @Test("a snapshot with a flipped bit: one reset, and the next start is well")
  func brokenSnapshot() {
    let scene = SimScene()
    let counts = resets(checkpoints: true, scene) {
      scene.alter(.state, where: { String(decoding: $0.key!, as: UTF8.self).contains(#""r1""#) && $0.value != nil }) {
        $0.value![$0.value!.count / 2] ^= 1
      }
    }
    #expect(counts == (1, 0))
    #expect(roomsAnew(scene) == ["r0", "r1", "r2"], "the screen of each is cleared, whatever is known of it")
  }

  @Test("a snapshot of which a part is missing: one reset, and the other rooms are known")
  func missingPart() {
    let scene = SimScene()
    // This is less than the size of any snapshot here.
    scene.configuration.partBytes = 100
    scene.configuration.checkpointIntervalMs = 50
    let counts = resets(checkpoints: true, scene) {
      scene.alter(.state, where: { String(decoding: $0.key!, as: UTF8.self).contains(#""r1",0"#) && $0.value != nil }) {
        $0.value = nil
      }
    }
    #expect(counts == (1, 0))
    #expect(roomsAnew(scene) == ["r0", "r1", "r2"])
    let instance = scene.start()
    for _ in 0..<40 {
      scene.world.clock.advance(5000)
      scene.settle(instance)
    }
    var parts: Set<[UInt8]> = []
    for record in scene.world.broker.log(.state, 0).records where record.isCommitted {
      guard let key = record.key, String(decoding: key, as: UTF8.self).hasPrefix(#"["room","r1","#) else { continue }
      if record.value == nil { parts.remove(key) } else { parts.insert(key) }
    }
    #expect(parts == [], "the room has rested, and no part of its snapshots is left")
  }

  /// The rooms that began a new epoch with an empty screen.
  func roomsAnew(_ scene: SimScene) -> Set<String> {
    let anew = scene.lines(.output).filter { $0.contains(#""seq":1,"#) && $0.contains(#""op":"screen","banners":[]"#) }
    return Set(["r0", "r1", "r2"].filter { room in anew.contains { $0.contains(#""room":"\#(room)""#) } })
  }

  @Test("a broken checkpoint is not needed if the journal still has its beginning")
  func brokenCheckpoint() {
    let scene = SimScene()
    let counts = resets(checkpoints: true, scene) {
      scene.alter(.state, where: { String(decoding: $0.key!, as: UTF8.self) == #"["checkpoint"]"# }) { $0.value![20] ^= 1 }
    }
    #expect(counts == (0, 0))
  }

  @Test("a journal whose last entry is broken: one reset, and its numbers continue", arguments: [false, true])
  func brokenJournal(checkpoints: Bool) {
    let scene = SimScene()
    let counts = resets(checkpoints: checkpoints, scene) { scene.alter(.journal, where: { _ in true }) { $0.value![30] ^= 1 } }
    #expect(counts == (1, 0))
    let numbers = scene.entries.map(\.n)
    #expect(Set(numbers).count == numbers.count)
    #expect(numbers.last! == Int64(numbers.count) + 1, "only the broken one is missing")
  }

  /// Starts a service that processes gifts and has nothing more to do.
  func takeGiftsIn(_ scene: SimScene) -> SimInstance {
    let instance = scene.start()
    for _ in 0..<5 {
      scene.gift()
      scene.turn(instance, 4)
    }
    scene.settle(instance)
    return instance
  }

  /// Starts a service that is expected to end by itself.
  func startInVain(_ scene: SimScene) -> SimInstance {
    scene.world.expectsErrors = true
    let next = scene.start()
    for _ in 0..<400 where !next.isDead { scene.turn(next) }
    return next
  }
}
