import Testing

@Suite("A banner's life")
struct LifeTraces {
  @Test("a banner enters, counts, lingers, leaves and is gone")
  func life() throws {
    try check(
      """
      0      > ann @host rose x3
      0      < show 1 ann @host rose 3
      3500   < dismiss 1@0 3 idle
      4000   .
      """)
  }

  @Test("gifts wait for the end of the entry and of each count, and go out at once while it lingers")
  func updates() throws {
    try check(
      """
      screen_ms=0
      0      > ann rose
      0      < show 1 ann rose 1
      100    > ann rose
      249    > ann rose x2
      250    < update 1@0 4 +3
      251    > ann rose
      499    > ann rose ~later
      500    < update 1@0 6 +2
      1500   > ann rose x5
      1500   < update 1@0 11 +5
      1749   > ann rose
      1750   > ann rose
      1750   < update 1@0 12 +1
      2000   < update 1@0 13 +1
      5250   < dismiss 1@0 13 idle
      9000   .
      """)
  }

  @Test("a banner shows the display data of the gift that last joined it")
  func display() throws {
    try check(
      """
      slots=1 screen_ms=400
      0      > ann rose ~1
      0      > bob rose ~2
      0      < show 1 ann~1 rose 1
      100    > ann rose ~3
      200    > bob rose ~4
      250    < update 1@0 2 +1
      400    < screen 1@0 ann~3 rose 2
      700    > bob rose ~5
      800    < screen 1@0 ann~3 rose 2
      1200   < screen 1@0 ann~3 rose 2
      1600   < screen 1@0 ann~3 rose 2
      2000   < screen 1@0 ann~3 rose 2
      2400   < screen 1@0 ann~3 rose 2
      2800   < screen 1@0 ann~3 rose 2
      3200   < screen 1@0 ann~3 rose 2
      3500   < dismiss 1@0 2 idle
      3600   < screen empty
      3750   < show 2 bob~5 rose 3
      4150   < screen 2@0 bob~5 rose 3
      4550   < screen 2@0 bob~5 rose 3
      4950   < screen 2@0 bob~5 rose 3
      5000   .
      """)
  }

  @Test("of equal deadlines the lowest number takes its step first")
  func ties() throws {
    try check(
      """
      slots=3 screen_ms=0 linger_ms=500
      0      > ann rose
      0      > bob rose
      0      > cid rose
      0      < show 1 ann rose 1
      0      < move_up 1@1
      0      < show 2 bob rose 1
      0      < move_up 1@2
      0      < move_up 2@1
      0      < show 3 cid rose 1
      1000   < dismiss 1@2 1 idle
      1000   < dismiss 2@1 1 idle
      1000   < dismiss 3@0 1 idle
      1300   .
      """)
  }

  @Test("durations of nothing let a banner come and go in a moment")
  func zero() throws {
    try check(
      """
      enter_ms=0 count_ms=0 linger_ms=0 exit_ms=0
      0      > ann rose
      0      > ann rose
      0      < show 1 ann rose 1
      0      < dismiss 1@0 1 idle
      0      < show 2 ann rose 2 base 1
      0      < dismiss 2@0 2 idle
      5      > ann rose
      5      < show 3 ann rose 3 base 2
      5      < dismiss 3@0 3 idle
      10     .
      """)
  }

  @Test("with a count_ms of 0 each step of the same time follows the one before")
  func zeroCount() throws {
    try check(
      """
      count_ms=0 linger_ms=100
      0      > ann rose
      0      < show 1 ann rose 1
      100    > ann rose
      250    < update 1@0 2 +1
      300    > ann rose
      300    > ann rose
      300    < update 1@0 3 +1
      300    < update 1@0 4 +1
      400    < dismiss 1@0 4 idle
      1000   .
      """)
  }

  @Test("a room is busy while more than busy_threshold banners wait, when the linger begins")
  func busy() throws {
    try check(
      """
      slots=1 busy_threshold=1 linger_ms=1000 busy_linger_ms=100 enter_ms=100 count_ms=100 exit_ms=100
      screen_ms=0
      0      > ann rose
      0      > bob rose
      0      > cid rose
      0      < show 1 ann rose 1
      250    > dan rose
      300    < dismiss 1@0 1 busy
      400    < show 2 bob rose 1
      700    < dismiss 2@0 1 busy
      800    < show 3 cid rose 1
      2000   < dismiss 3@0 1 idle
      2100   < show 4 dan rose 1
      3300   < dismiss 4@0 1 idle
      8000   .
      """)
  }

  @Test("a tier has lingers of its own, short and long; below the first tier those of the room apply")
  func tiers() throws {
    try check(
      """
      slots=3 tiers=10:1000:300,100:2000:600 linger_ms=500 busy_linger_ms=200 busy_threshold=0 screen_ms=0
      0      > ann rose $9.5
      0      > bob rose $10
      0      > cid rose $50 x2
      0      < show 1 ann rose 1
      0      < move_up 1@1
      0      < show 2 bob rose 1
      0      < move_up 1@2
      0      < move_up 2@1
      0      < show 3 cid rose 2
      1000   < dismiss 1@2 1 idle
      1500   < dismiss 2@1 1 idle
      2500   < dismiss 3@0 2 idle
      5000   > ann rose $9
      5000   > bob rose $10
      5000   > cid rose $100
      5000   > dan rose
      5000   < show 4 ann rose 2 base 1
      5000   < move_up 4@1
      5000   < show 5 bob rose 2 base 1
      5000   < move_up 4@2
      5000   < move_up 5@1
      5000   < show 6 cid rose 3 base 2
      5700   < dismiss 4@2 2 busy
      5800   < dismiss 5@1 2 busy
      6050   < move_up 6@1
      6050   < show 7 dan rose 1
      6100   < dismiss 6@1 3 busy
      7050   < dismiss 7@0 1 idle
      20000  .
      """)
  }

  @Test("the value of a banner is what was merged into it, not what it took over")
  func value() throws {
    try check(
      """
      slots=1 tiers=10:1000:300 linger_ms=500 screen_ms=0
      0      > ann rose $9
      0      < show 1 ann rose 1
      1000   < dismiss 1@0 1 idle
      2000   > ann rose $9
      2000   < show 2 ann rose 2 base 1
      2100   > ann rose $1
      2250   < update 2@0 3 +1
      3500   < dismiss 2@0 3 idle
      9000   .
      """)
  }

  @Test("in tier order one of a higher tier that waits cuts a linger short, and then takes a turn; one of a higher rank does not")
  func higherTierWaits() throws {
    try check(
      """
      slots=1 queue_order=tier tiers=10:1000:300 linger_ms=2000 busy_linger_ms=100 promote_ms=1
      screen_ms=0
      0      > ann rose
      0      < show 1 ann rose 1
      1      > bob rose
      600    > cid rose $10
      700    < dismiss 1@0 1 busy
      950    < show 2 bob rose 1
      1550   < dismiss 2@0 1 turn
      1800   < show 3 cid rose 1
      3300   < dismiss 3@0 1 idle
      9000   .
      """)
  }

  @Test("in fifo order it does not")
  func higherTierWaitsInFifo() throws {
    try check(
      """
      slots=1 tiers=10:1000:300 linger_ms=2000 busy_linger_ms=100 screen_ms=0
      0      > ann rose
      0      < show 1 ann rose 1
      1      > bob rose
      300    > cid rose $10
      2500   < dismiss 1@0 1 idle
      2750   < show 2 bob rose 1
      5250   < dismiss 2@0 1 idle
      5500   < show 3 cid rose 1
      7000   < dismiss 3@0 1 idle
      9000   .
      """)
  }

  @Test("a move up comes before the show, the highest first, and delays nothing")
  func moveUp() throws {
    try check(
      """
      slots=3 screen_ms=0
      0      > ann rose
      0      < show 1 ann rose 1
      100    > bob rose
      100    < move_up 1@1
      100    < show 2 bob rose 1
      200    > cid rose
      200    < move_up 1@2
      200    < move_up 2@1
      200    < show 3 cid rose 1
      300    > ann rose
      500    < update 1@2 2 +1
      3600   < dismiss 2@1 1 idle
      3700   < dismiss 3@0 1 idle
      3750   < dismiss 1@2 2 idle
      4500   .
      """)
  }

  @Test("nobody is pushed while it slides out, though a slot above is free")
  func nobodyPushed() throws {
    try check(
      """
      slots=3 linger_ms=500 exit_ms=400 screen_ms=0
      0      > ann rose
      0      < show 1 ann rose 1
      300    > bob rose
      300    < move_up 1@1
      300    < show 2 bob rose 1
      900    > ann rose
      900    < update 1@1 2 +1
      1300   < dismiss 2@0 1 idle
      1400   > cid rose
      1650   < dismiss 1@1 2 idle
      1700   < show 3 cid rose 1
      2700   < dismiss 3@0 1 idle
      3000   .
      """)
  }

  @Test("a milestone is the largest passed: above base in a show, above the count before in an update")
  func milestones() throws {
    try check(
      """
      milestones=2,5,10 screen_ms=0
      0      > ann rose
      0      < show 1 ann rose 1
      100    > ann rose
      250    < update 1@0 2 +1 milestone 2
      600    > ann rose x8
      600    < update 1@0 10 +8 milestone 10
      1200   > ann rose
      1200   < update 1@0 11 +1
      4450   < dismiss 1@0 11 idle
      5000   > ann rose x3
      5000   < show 2 ann rose 14 base 11
      6000   > bob rose x9
      6000   < move_up 2@1
      6000   < show 3 bob rose 9 milestone 5
      8500   < dismiss 2@1 14 idle
      9500   < dismiss 3@0 9 idle
      9999   .
      """)
  }
}
