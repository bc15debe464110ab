import Testing

@testable import ComboClient

@Suite("The banner pool")
struct BannerPoolTests {
  private let room = "r1"

  private func instruction(_ seq: Int64, _ operation: DisplayInstruction.Operation, epoch: Int64 = 1) -> DisplayInstruction {
    DisplayInstruction(room: room, epoch: epoch, seq: seq, at: nil, operation: operation)
  }

  private func show(_ seq: Int64, _ number: Int, count: Int = 1, base: Int = 0, epoch: Int64 = 1, milestone: Int? = nil)
    -> DisplayInstruction
  {
    instruction(seq, .show(RoomBanner(number: number, slot: 0, count: count, base: base), milestone: milestone), epoch: epoch)
  }

  @Test(
    "over streams of engines there are never more views than slots and one, and each banner is on one of them",
    arguments: ClientCase.streams)
  func streams(stream: String) throws {
    var screens: [String: (RoomScreen, BannerPool)] = [:]
    for line in try ClientCase.lines(of: stream) {
      let instruction = try #require(DisplayInstruction(line))
      var (screen, pool) = screens[instruction.room] ?? (RoomScreen(), BannerPool(slots: 1))
      _ = screen.take(instruction)
      pool.follow(screen, after: instruction, now: instruction.at!)
      screens[instruction.room] = (screen, pool)
      #expect(pool.views.count <= pool.slots + 1)
      let there = pool.views.filter { $0.banner != nil && $0.leftAt == nil }.map { $0.banner! }
      #expect(there.sorted { $0.slot < $1.slot } == screen.banners)
      #expect(pool.views.map(\.id) == Array(0..<pool.views.count))
    }
    for (screen, _) in screens.values { #expect(screen.banners.isEmpty) }
  }

  @Test("views are reused: thousands of banners pass over two slots on three of them")
  func reuse() {
    var screen = RoomScreen()
    var pool = BannerPool(slots: 2)
    var seq: Int64 = 0
    for number in 1...3000 {
      let now = Int64(number) * 10
      for one in [show(seq + 1, number), instruction(seq + 2, .dismiss(banner: number, count: 1, reason: "busy"))] {
        _ = screen.take(one)
        pool.follow(screen, after: one, now: now)
      }
      seq += 2
    }
    #expect(pool.views.count == 3)
    pool.sweep(now: 60_000)
    #expect(pool.views.allSatisfy { $0.banner == nil })
  }

  @Test(
    "a number stands at its count from the first frame on, runs up on an update, and is there at once on a screen or a dismiss")
  func numbers() {
    var screen = RoomScreen()
    var pool = BannerPool()
    func apply(_ one: DisplayInstruction, at now: Int64) {
      _ = screen.take(one)
      pool.follow(screen, after: one, now: now)
    }
    apply(show(1, 1, count: 10, base: 10), at: 0)
    #expect(pool.views[0].number(at: 0) == 10)
    apply(instruction(2, .update(banner: 1, slot: 0, count: 110, milestone: 100)), at: 1000)
    #expect(pool.views[0].number(at: 1000) == 10)
    #expect((11..<110).contains(pool.views[0].number(at: 1100)))
    #expect(pool.views[0].number(at: 1250) == 110)
    #expect(pool.views[0].milestone == 100 && pool.views[0].milestoneAt == 1000)
    apply(instruction(3, .screen([RoomBanner(number: 1, slot: 0, count: 120)], RoomTimes())), at: 2000)
    #expect(pool.views[0].number(at: 2000) == 120)
    apply(instruction(4, .dismiss(banner: 1, count: 130, reason: "closed")), at: 3000)
    #expect(pool.views[0].number(at: 3000) == 130)
    #expect(pool.views[0].phase(at: 3000) == .leaving)
    #expect(pool.views[0].presence(at: 3000) == 1 && pool.views[0].presence(at: 3250) == 0)
  }

  @Test("a view is freed once its banner has slid out, and not before")
  func slidesOut() {
    var screen = RoomScreen()
    var pool = BannerPool(motion: BannerMotion(exitMs: 250))
    for one in [show(1, 1), instruction(2, .dismiss(banner: 1, count: 1, reason: "busy"))] {
      _ = screen.take(one)
      pool.follow(screen, after: one, now: one.seq * 1000)
    }
    pool.sweep(now: 2249)
    #expect(pool.views.map { $0.banner?.number } == [1])
    pool.sweep(now: 2250)
    #expect(pool.views.map { $0.banner?.number } == [nil])
  }

  @Test("a banner of another epoch is another one, though it has the same number")
  func epochs() {
    var screen = RoomScreen()
    var pool = BannerPool()
    for one in [show(1, 1, count: 5), show(1, 1, count: 2, epoch: 2)] {
      _ = screen.take(one)
      pool.follow(screen, after: one, now: one.epoch)
    }
    #expect(pool.views.map { $0.leftAt != nil } == [true, false])
    #expect(pool.views[1].number(at: 2) == 2)
  }

  @Test("a screen that agrees leaves what moves as it was, and one with the room's times sets them")
  func screens() {
    var screen = RoomScreen()
    var pool = BannerPool()
    func apply(_ one: DisplayInstruction, at now: Int64) {
      _ = screen.take(one)
      pool.follow(screen, after: one, now: now)
    }
    apply(show(1, 1), at: 0)
    apply(instruction(2, .update(banner: 1, slot: 0, count: 101, milestone: nil)), at: 1000)
    let before = pool.views[0].number(at: 1100)
    apply(
      instruction(
        3, .screen([RoomBanner(number: 1, slot: 0, count: 101)], RoomTimes(slots: 5, enterMs: 0, countMs: 1000, exitMs: 10))),
      at: 1100)
    #expect(pool.views[0].phase(at: 1100) == .counting)
    #expect(pool.views[0].number(at: 1100) <= before && pool.views[0].number(at: 2000) == 101)
    #expect(pool.slots == 5 && pool.motion == BannerMotion(enterMs: 0, countMs: 1000, exitMs: 10))
    pool.clear(now: 3000)
    #expect(pool.isMoving(at: 3005))
    pool.sweep(now: 3010)
    #expect(!pool.isMoving(at: 3010))
  }
}
