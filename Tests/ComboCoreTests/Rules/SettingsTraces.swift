import Testing

@Suite("Settings of a room, and its rest")
struct SettingsTraces {
  @Test("settings of the room's own replace those that it had as a whole")
  func own() throws {
    try check(
      """
      slots=1 linger_ms=1000 screen_ms=0
      0      > own slots=2
      0      > ann rose
      0      > bob rose
      0      < show 1 ann rose 1
      0      < move_up 1@1
      0      < show 2 bob rose 1
      100    > own linger_ms=100
      200    > cid rose
      300    > own
      400    > dan rose
      1500   < dismiss 1@1 1 idle
      1500   < dismiss 2@0 1 idle
      1750   < show 3 cid rose 1
      3250   < dismiss 3@0 1 idle
      3500   < show 4 dan rose 1
      5000   < dismiss 4@0 1 idle
      9000   .
      """)
  }

  @Test("settings hold from now on: deadlines that are set stay")
  func deadlinesStay() throws {
    try check(
      """
      linger_ms=1000 screen_ms=0
      0      > ann rose
      0      < show 1 ann rose 1
      400    > own linger_ms=0
      500    < dismiss 1@0 1 idle
      600    > own linger_ms=9000
      2000   .
      """)
  }

  @Test("more slots are filled at once, and a smaller max_queue is kept")
  func slotsAndQueue() throws {
    try check(
      """
      slots=1 screen_ms=0
      0      > ann rose $9
      0      > bob rose
      0      > cid rose $5
      0      > dan rose $4
      0      < show 1 ann rose 1
      10     > own slots=2
      10     < move_up 1@1
      10     < show 2 bob rose 1
      20     > own slots=2 max_queue=1
      20     < skip 4 dan rose 1 overflow
      3500   < dismiss 1@1 1 idle
      3510   < dismiss 2@0 1 idle
      3760   < show 3 cid rose 1
      7260   < dismiss 3@0 1 idle
      9000   .
      """)
  }

  @Test("a banner in a slot that is no more stays there until it leaves")
  func fewerSlots() throws {
    try check(
      """
      slots=3 screen_ms=0 linger_ms=500 busy_linger_ms=500
      0      > ann rose
      0      < show 1 ann rose 1
      300    > bob rose
      300    < move_up 1@1
      300    < show 2 bob rose 1
      600    > cid rose
      600    < move_up 1@2
      600    < move_up 2@1
      600    < show 3 cid rose 1
      700    > own slots=1
      800    > dan rose
      1000   < dismiss 1@2 1 idle
      1300   < dismiss 2@1 1 idle
      1600   < dismiss 3@0 1 idle
      1850   < show 4 dan rose 1
      2850   < dismiss 4@0 1 idle
      3500   .
      """)
  }

  @Test("the room gets a deadline for its screen when it gets a screen_ms, if a slot is held")
  func ownScreen() throws {
    try check(
      """
      screen_ms=0
      0      > ann rose
      0      < show 1 ann rose 1
      100    > own screen_ms=1000
      1100   < screen 1@0 ann rose 1
      2100   < screen 1@0 ann rose 1
      3100   < screen 1@0 ann rose 1
      3500   < dismiss 1@0 1 idle
      3700   > own screen_ms=500
      9000   .
      """)
  }

  @Test("new settings of the service act under the room's own")
  func service() throws {
    try check(
      """
      slots=1 linger_ms=100 busy_linger_ms=100 screen_ms=0
      0      > own slots=2
      0      > ann rose
      0      > bob rose
      0      > cid rose
      0      < show 1 ann rose 1
      0      < move_up 1@1
      0      < show 2 bob rose 1
      100    > service slots=1 linger_ms=1000
      200    > own
      1500   < dismiss 1@1 1 idle
      1500   < dismiss 2@0 1 idle
      1750   < show 3 cid rose 1
      3000   > service slots=3
      3000   > dan rose
      3000   > eve rose
      3000   > fay rose
      3000   < move_up 3@1
      3000   < show 4 dan rose 1
      3000   < move_up 3@2
      3000   < move_up 4@1
      3000   < show 5 eve rose 1
      3100   .
      """)
  }

  @Test("time never runs back")
  func timeBack() throws {
    try check(
      """
      screen_ms=0
      1000   > ann rose
      500    > bob rose
      900    > ann rose
      1000   < show 1 ann rose 1
      1000   < move_up 1@1
      1000   < show 2 bob rose 1
      1250   < update 1@1 2 +1
      1600   > ann rose
      1500   > ann rose
      1600   < update 1@1 3 +1
      1850   < update 1@1 4 +1
      2000   .
      """)
  }

  @Test("after its rest a room begins a new epoch, in which nothing is remembered")
  func rest() throws {
    try check(
      """
      rest_ms=1000 reuse_ms=1000 dedupe_ms=1000 streak_ms=1000 linger_ms=100 screen_ms=0
      0      > ann rose =5/s
      0      < show 1 ann rose 5
      600    < dismiss 1@0 5 idle
      1850   > ann rose =6/s
      1850   < show 2 ann rose 11 base 5
      2450   < dismiss 2@0 11 idle
      3700   > ann rose =7/s
      3700   < show 3 ann rose 18 base 11
      4300   < dismiss 3@0 18 idle
      5551   > ann rose =8/s
      5551   < epoch 5551
      5551   < show 1 ann rose 8
      6000   .
      """)
  }

  @Test("after its rest a room remembers nothing, even if earlier settings would have kept it for longer")
  func restAfterLongerMemory() throws {
    try check(
      """
      rest_ms=1000 reuse_ms=0 dedupe_ms=100 streak_ms=100 linger_ms=100 screen_ms=0
      0      > own dedupe_ms=60000 streak_ms=60000
      0      > ann rose =5 #a
      0      < show 1 ann rose 5
      600    < dismiss 1@0 5 idle
      1000   > own
      1849   > ann rose =6 #a
      3000   > ann rose =6 #a
      3000   < epoch 3000
      3000   < show 1 ann rose 6
      3500   .
      """)
  }

  @Test("the rest is the longest of rest_ms, reuse_ms, dedupe_ms and streak_ms")
  func longestRest() throws {
    try check(
      """
      rest_ms=0 reuse_ms=0 dedupe_ms=0 streak_ms=2000 linger_ms=100 screen_ms=0
      0      > ann rose
      0      < show 1 ann rose 1
      600    < dismiss 1@0 1 idle
      2850   > ann rose
      2850   < show 2 ann rose 1
      3450   < dismiss 2@0 1 idle
      5701   > ann rose
      5701   < epoch 5701
      5701   < show 1 ann rose 1
      6000   .
      """)
  }

  @Test("an engine that never had a banner rests from its epoch on")
  func restFromEpoch() throws {
    try check(
      """
      rest_ms=1000 reuse_ms=0 dedupe_ms=0 streak_ms=0 screen_ms=0
      0      > own slots=1
      1000   > own slots=2
      1001   > ann rose
      1001   < show 1 ann rose 1
      1002   > bob rose
      1002   < move_up 1@1
      1002   < show 2 bob rose 1
      1100   .
      """)
  }

  @Test("the room's own settings outlive its rest, and their rest is the room's")
  func ownRest() throws {
    try check(
      """
      rest_ms=1000 reuse_ms=0 dedupe_ms=0 streak_ms=0 linger_ms=100 screen_ms=0
      0      > own rest_ms=3000 slots=1
      0      > ann rose
      0      < show 1 ann rose 1
      600    < dismiss 1@0 1 idle
      3500   > ann rose
      3500   < show 2 ann rose 1
      4100   < dismiss 2@0 1 idle
      6000   > own rest_ms=500 slots=1
      6100   > bob rose
      6100   < epoch 6100
      6100   < show 1 bob rose 1
      6200   > cid rose
      6700   < dismiss 1@0 1 idle
      6950   < show 2 cid rose 1
      7550   < dismiss 2@0 1 idle
      9000   .
      """)
  }

  @Test("room settings for a room that has rested begin a new epoch, too")
  func restAndSettings() throws {
    try check(
      """
      rest_ms=1000 reuse_ms=0 dedupe_ms=0 streak_ms=0 linger_ms=100 screen_ms=0
      0      > ann rose
      0      < show 1 ann rose 1
      600    < dismiss 1@0 1 idle
      3000   > own slots=1
      4000   > ann rose
      4000   < epoch 3000
      4000   < show 1 ann rose 1
      4100   .
      """)
  }

  @Test("closed and retract do not begin a new epoch")
  func restAndClosed() throws {
    try check(
      """
      rest_ms=1000 reuse_ms=0 dedupe_ms=0 streak_ms=0 linger_ms=100 screen_ms=0
      0      > ann rose
      0      < show 1 ann rose 1
      600    < dismiss 1@0 1 idle
      1850   > closed
      1850   > ann rose
      1850   < show 2 ann rose 1
      1900   .
      """)
  }

  @Test("a shift moves the time since when a room is idle")
  func shiftRest() throws {
    try check(
      """
      rest_ms=1000 reuse_ms=0 dedupe_ms=0 streak_ms=0 linger_ms=100 screen_ms=0
      0      > ann rose
      0      < show 1 ann rose 1
      600    < dismiss 1@0 1 idle
      900    > retract bob
      900    > shift 5000
      6850   > ann rose
      6850   < show 2 ann rose 1
      7450   < dismiss 2@0 1 idle
      8701   > ann rose
      8701   < epoch 8701
      8701   < show 1 ann rose 1
      9000   .
      """)
  }

  @Test("a shift moves deadlines, history, ids, totals and what waits")
  func shift() throws {
    try check(
      """
      slots=1 screen_ms=600 linger_ms=100 busy_linger_ms=100 reuse_ms=1000 dedupe_ms=2000 streak_ms=2000
      queue_order=tier tiers=10:100:100 promote_ms=400
      0      > ann rose =3 #a
      0      < show 1 ann rose 3
      10     > bob rose
      300    > cid rose $10
      350    > shift 100000
      100400 > ann rose #a
      100600 < dismiss 1@0 3 turn
      100600 < screen empty
      100850 < show 2 bob rose 1
      100900 > ann rose =4
      101450 < dismiss 2@0 1 turn
      101450 < screen empty
      101700 < show 3 cid rose 1
      102300 < dismiss 3@0 1 idle
      102300 < screen empty
      102550 < show 4 ann rose 4 base 3
      103150 < dismiss 4@0 4 idle
      103150 < screen empty
      105000 .
      """)
  }
}
