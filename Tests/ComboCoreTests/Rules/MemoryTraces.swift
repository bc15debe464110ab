import Testing

@Suite("Ids and running totals")
struct MemoryTraces {
  @Test("a gift with an id that is remembered changes nothing, until its time, that moment included")
  func ids() throws {
    try check(
      """
      screen_ms=0 dedupe_ms=1000
      0      > ann rose #a
      0      < show 1 ann rose 1
      500    > ann rose #a
      501    > ann rose #b
      501    < update 1@0 2 +1
      1000   > ann rose #a
      1001   > ann rose #a
      1001   < update 1@0 3 +1
      4251   < dismiss 1@0 3 idle
      6000   .
      """)
  }

  @Test("a gift without id is always another one")
  func noID() throws {
    try check(
      """
      screen_ms=0
      0      > ann rose
      0      > ann rose
      0      < show 1 ann rose 1
      250    < update 1@0 2 +1
      3500   < dismiss 1@0 2 idle
      4000   .
      """)
  }

  @Test("above max_ids the oldest is forgotten")
  func maxIDs() throws {
    try check(
      """
      screen_ms=0 max_ids=2
      0      > ann rose #a
      0      < show 1 ann rose 1
      10     > ann rose #b
      20     > ann rose #c
      30     > ann rose #b
      40     > ann rose #a
      50     > ann rose #b
      250    < update 1@0 5 +4
      3500   < dismiss 1@0 5 idle
      4000   .
      """)
  }

  @Test("the oldest of those still valid is forgotten, not one that has expired behind it")
  func validOnes() throws {
    try check(
      """
      screen_ms=0 max_ids=2 dedupe_ms=1000
      0      > ann rose #a
      0      < show 1 ann rose 1
      10     > own max_ids=2 dedupe_ms=100
      20     > ann rose #b
      250    < update 1@0 2 +1
      300    > ann rose #c
      310    > ann rose #a
      320    > ann rose #b
      330    > ann rose #a
      500    < update 1@0 5 +3
      3750   < dismiss 1@0 5 idle
      4000   .
      """)
  }

  @Test("max_ids of 0 remembers none")
  func noIDs() throws {
    try check(
      """
      screen_ms=0 max_ids=0
      0      > ann rose #a
      0      < show 1 ann rose 1
      10     > ann rose #a
      250    < update 1@0 2 +1
      3500   < dismiss 1@0 2 idle
      4000   .
      """)
  }

  @Test("dedupe_ms of 0 remembers none; what was remembered keeps its time")
  func dedupeOff() throws {
    try check(
      """
      screen_ms=0
      0      > ann rose #a
      0      < show 1 ann rose 1
      100    > own dedupe_ms=0
      200    > ann rose #a
      250    < update 1@0 2 +1
      300    > ann rose #b
      400    > own
      500    > ann rose #a
      500    < update 1@0 3 +1
      600    > ann rose #b
      750    < update 1@0 4 +1
      4000   < dismiss 1@0 4 idle
      9000   .
      """)
  }

  @Test("the id of a late total is remembered, whatever came of the gift")
  func idOfLateTotal() throws {
    try check(
      """
      screen_ms=0
      0      > ann rose =5/s
      0      < show 1 ann rose 5
      10     > ann rose =4/s #a
      20     > ann rose #a
      3500   < dismiss 1@0 5 idle
      4000   .
      """)
  }

  @Test("a total counts what it is above the one before; all of it the first time")
  func totals() throws {
    try check(
      """
      screen_ms=0
      0      > ann rose =3
      0      < show 1 ann rose 3
      1000   > ann rose =3
      2000   > ann rose =5
      2000   < update 1@0 5 +2
      5250   < dismiss 1@0 5 idle
      9000   .
      """)
  }

  @Test("a named streak does not fall; late and repeated totals change nothing")
  func named() throws {
    try check(
      """
      screen_ms=0
      0      > ann rose =3/s
      0      < show 1 ann rose 3
      1000   > ann rose =2/s
      2000   > ann rose =3/s
      3000   > ann rose =4/s
      3000   < update 1@0 4 +1
      3100   > ann rose =1/t
      3250   < update 1@0 5 +1
      6500   < dismiss 1@0 5 idle
      9000   .
      """)
  }

  @Test("a streak without a name begins anew with a lower total")
  func unnamed() throws {
    try check(
      """
      screen_ms=0
      0      > ann rose =3
      0      < show 1 ann rose 3
      1000   > ann rose =2
      1000   < update 1@0 5 +2
      1500   > ann rose =3
      1500   < update 1@0 6 +1
      4750   < dismiss 1@0 6 idle
      9000   .
      """)
  }

  @Test("the streak of a combo is its own, named or not")
  func ofACombo() throws {
    try check(
      """
      slots=4 screen_ms=0
      0      > ann rose =3
      0      > ann car =3
      0      > ann @host rose =3
      0      > ann rose =3/s
      0      < show 1 ann rose 3
      0      < move_up 1@1
      0      < show 2 ann car 3
      0      < move_up 1@2
      0      < move_up 2@1
      0      < show 3 ann @host rose 3
      250    < update 1@2 6 +3
      3500   < dismiss 1@2 6 idle
      3500   < dismiss 2@1 3 idle
      3500   < dismiss 3@0 3 idle
      9000   .
      """)
  }

  @Test("a total is remembered until its time, that moment included, and a repetition does not prolong it")
  func streakExpiry() throws {
    try check(
      """
      screen_ms=0 streak_ms=1000 linger_ms=5000
      0      > ann rose =3
      0      < show 1 ann rose 3
      600    > ann rose =3
      1000   > ann rose =4
      1000   < update 1@0 4 +1
      2001   > ann rose =5
      2001   < update 1@0 9 +5
      7251   < dismiss 1@0 9 idle
      9000   .
      """)
  }

  @Test("above max_streaks the one that was set longest ago is forgotten")
  func maxStreaks() throws {
    try check(
      """
      slots=4 screen_ms=0 max_streaks=2
      0      > ann rose =3
      0      < show 1 ann rose 3
      10     > bob rose =3
      10     < move_up 1@1
      10     < show 2 bob rose 3
      20     > ann rose =4
      30     > cid rose =3
      30     < move_up 1@2
      30     < move_up 2@1
      30     < show 3 cid rose 3
      40     > ann rose =5
      50     > bob rose =4
      250    < update 1@2 5 +2
      260    < update 2@1 7 +4
      3500   < dismiss 1@2 5 idle
      3510   < dismiss 2@1 7 idle
      3530   < dismiss 3@0 3 idle
      9000   .
      """)
  }

  @Test("max_streaks of 0 remembers none")
  func noStreaks() throws {
    try check(
      """
      screen_ms=0 max_streaks=0
      0      > ann rose =3
      0      < show 1 ann rose 3
      1000   > ann rose =3
      1000   < update 1@0 6 +3
      4250   < dismiss 1@0 6 idle
      9000   .
      """)
  }

  @Test("a lower max_streaks is applied when a total is remembered")
  func fewerStreaks() throws {
    try check(
      """
      slots=4 screen_ms=0 linger_ms=9000
      0      > ann rose =3
      0      > bob rose =3
      0      > cid rose =3
      0      < show 1 ann rose 3
      0      < move_up 1@1
      0      < show 2 bob rose 3
      0      < move_up 1@2
      0      < move_up 2@1
      0      < show 3 cid rose 3
      10     > own max_streaks=2
      20     > cid rose =3
      30     > cid rose =4
      40     > ann rose =4
      250    < update 1@2 7 +4
      250    < update 3@0 4 +1
      9000   .
      """)
  }

  @Test("what a gift adds to its streak counts, wherever it goes")
  func streakOverflow() throws {
    try check(
      """
      slots=1 max_queue=1 screen_ms=0
      0      > ann rose
      0      < show 1 ann rose 1
      1      > bob rose $9
      2      > cid rose =5
      2      < skip 3 cid rose 5 overflow
      3      > cid rose =7 $9
      3      < skip 2 bob rose 1 overflow
      3500   < dismiss 1@0 1 idle
      3750   < show 4 cid rose 2
      7250   < dismiss 4@0 2 idle
      9000   .
      """)
  }
}
