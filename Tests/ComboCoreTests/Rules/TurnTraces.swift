import Foundation
import Testing

@testable import ComboCore

@Suite("Turns, finals and names")
struct TurnTraces {
  @Test(
    "two who never stop give up their slots to one worth more: after 11 s in fifo order, after 1.5 s in tier order",
    arguments: QueueOrder.allCases)
  func rocket(order: QueueOrder) {
    var settings = Settings()
    settings.queueOrder = order
    settings.tiers = [Tier(value: 1000, lingerMs: 4000, busyLingerMs: 1000)]
    var room = Room(settings)
    for n in 0..<300 {
      for sender in ["ann", "bob"] { room.apply(.gift(OwnedGift(key: Key(sender: sender))), at: Int64(n * 200)) }
      if n == 5 { room.apply(.gift(OwnedGift(key: Key(sender: "cid", gift: "rocket"), value: 100_000)), at: 1001) }
    }
    let shown = room.sink.said.first {
      if case .show(_, _, _, _, let display) = $0.operation { display.gift == "rocket" } else { false }
    }
    let waited = (shown?.at ?? .max) - 1001
    #expect(waited <= (order == .fifo ? 11_000 : 1500), "it was seen after \(waited) ms")
  }

  /// COMBO_TEST_GIFTS sets the number of gifts, such as 1000000 for a long run.
  @Test("while hold_ms is above 0 the queue never stands still")
  func neverStandsStill() {
    let wanted = ProcessInfo.processInfo.environment["COMBO_TEST_GIFTS"].flatMap(Int.init) ?? 20_000
    var taken = 0
    var seed = 0
    while taken < wanted {
      seed += 1
      var stream = RandomStream(seed: 900_000 + seed, events: 200, shifts: false)
      stream.settings.slots = max(1, stream.settings.slots)
      stream.settings.holdMs = max(1, stream.settings.holdMs)
      // A sum would not show when a banner was skipped.
      stream.settings.skipMs = 0
      // The senders never stop: each gift is sent again, many times, until all that waited has been seen or skipped.
      let gifts = stream.events.compactMap { if case .gift(let gift) = $0.event { gift } else { nil } }
      if gifts.isEmpty { continue }
      let longest =
        ([stream.settings.lingerMs, stream.settings.busyLingerMs, min(Gift.lingerMax, stream.settings.maxLingerMs)]
        + stream.settings.tiers.flatMap { [$0.lingerMs, $0.busyLingerMs] })
        .max()!
      let patience = Int64(
        2 * stream.settings.holdMs + stream.settings.dwellMs + longest + stream.settings.enterMs + 3 * stream.settings.countMs
          + stream.settings.exitMs + 1000)
      var room = Room(stream.settings)
      var (moved, seen, n): (Int64, Int, Int) = (0, 0, 0)
      for at in stride(from: 0 as Int64, to: 4 * patience, by: max(1, Int(patience / 100))) {
        for _ in 0..<3 {
          var gift = gifts[n % gifts.count]
          (gift.id, gift.amount, n) = ("", .count(1), n + 1)
          room.apply(.gift(gift), at: at)
          taken += 1
        }
        let left = room.sink.said.count {
          switch $0.operation {
          case .show, .skip, .skipSum: true
          default: false
          }
        }
        if left > seen || room.engine!.queueDepth == 0 { (seen, moved) = (left, at) }
        if at - moved > patience {
          Issue.record("seed \(900_000 + seed): nothing has moved from \(moved) to \(at) while \(room.engine!.queueDepth) wait")
          return
        }
      }
    }
  }

  @Test("only gifts of one name join, and each name has its history")
  func names() throws {
    try check(
      """
      slots=3 screen_ms=0
      0      > ann rose %p
      0      < show 1 ann rose 1
      1      > ann rose %q
      1      < move_up 1@1
      1      < show 2 ann rose 1
      100    > ann rose %p
      250    < update 1@1 2 +1
      3500   < dismiss 1@1 2 idle
      3501   < dismiss 2@0 1 idle
      5000   > ann rose %p
      5000   < show 3 ann rose 3 base 2
      8500   < dismiss 3@0 3 idle
      20000  .
      """)
  }

  @Test("a final is emitted once, a millisecond after nothing can continue its run")
  func finals() throws {
    try check(
      """
      finals=true screen_ms=0 reuse_ms=1000
      0      > ann rose x2
      0      < show 1 ann rose 2
      3500   < dismiss 1@0 2 idle
      4750   > ann rose
      4750   < show 2 ann rose 3 base 2
      8250   < dismiss 2@0 3 idle
      9501   < final 2 ann rose 3 over
      9600   .
      """)
  }

  @Test("a streak without a name ends when its gift says so; with a name its end means nothing")
  func ends() throws {
    try check(
      """
      slots=2 screen_ms=0
      0      > ann rose =3 ends
      0      < show 1 ann rose 3
      10     > ann rose =2
      20     > bob rose =3/s ends
      20     < move_up 1@1
      20     < show 2 bob rose 3
      30     > bob rose =2/s
      250    < update 1@1 5 +2
      3500   < dismiss 1@1 5 idle
      3520   < dismiss 2@0 3 idle
      9000   .
      """)
  }

  @Test("a total's own time holds a room awake, until it is closed")
  func awake() throws {
    try check(
      """
      rest_ms=1000 reuse_ms=0 dedupe_ms=0 streak_ms=0 screen_ms=0
      0      > ann rose =3/s ms100000
      0      < show 1 ann rose 3
      3500   < dismiss 1@0 3 idle
      50000  > ann rose =4/s
      50000  < show 2 ann rose 1
      53500  < dismiss 2@0 1 idle
      100001 > ann rose =5/s
      100001 < epoch 100001
      100001 < show 1 ann rose 5
      103501 < dismiss 1@0 5 idle
      120000 .
      """)
  }

  @Test("no count goes above what a double holds exactly; a number that has not grown makes no update")
  func limit() throws {
    try check(
      """
      screen_ms=0
      0      > ann rose x9007199254740990
      0      < show 1 ann rose 9007199254740990
      100    > ann rose x5
      250    < update 1@0 9007199254740991 +1
      300    > ann rose x5
      3500   < dismiss 1@0 9007199254740991 idle
      5000   > ann rose
      5000   < show 2 ann rose 9007199254740991 base 9007199254740991
      8500   < dismiss 2@0 9007199254740991 idle
      20000  .
      """)
  }
}
