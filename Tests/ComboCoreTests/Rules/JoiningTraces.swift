import Testing

@Suite("Where a gift goes")
struct JoiningTraces {
  @Test("a gift joins its combo wherever it waits, and the combo keeps its place")
  func anywhere() throws {
    try check(
      """
      slots=1 screen_ms=0
      0      > ann rose
      0      < show 1 ann rose 1
      10     > bob rose
      20     > cid rose
      30     > bob rose x4
      3500   < dismiss 1@0 1 idle
      3750   < show 2 bob rose 5
      7250   < dismiss 2@0 5 idle
      7500   < show 3 cid rose 1
      11000  < dismiss 3@0 1 idle
      12000  .
      """)
  }

  @Test("with tail it joins only the last to have come")
  func tail() throws {
    try check(
      """
      slots=1 queue_merge=tail screen_ms=0
      0      > ann rose
      0      < show 1 ann rose 1
      10     > bob rose
      20     > bob rose
      30     > cid rose
      40     > bob rose
      3500   < dismiss 1@0 1 idle
      3750   < show 2 bob rose 2
      7250   < dismiss 2@0 2 idle
      7500   < show 3 cid rose 1
      11000  < dismiss 3@0 1 idle
      11250  < show 4 bob rose 1
      14000  .
      """)
  }

  @Test("the last means the last to have come, in tier order too")
  func tailInTierOrder() throws {
    try check(
      """
      slots=1 queue_merge=tail queue_order=tier tiers=10:1000:300 screen_ms=0 linger_ms=500
      0      > ann rose
      0      < show 1 ann rose 1
      10     > bob rose $10
      20     > cid rose
      30     > bob rose $10
      40     > cid rose
      750    < dismiss 1@0 1 turn
      1000   < show 2 bob rose 1
      1250   < update 2@0 2 +1
      2500   < dismiss 2@0 2 idle
      2750   < show 3 cid rose 1
      3000   < update 3@0 2 +1
      3750   < dismiss 3@0 2 idle
      8000   .
      """)
  }

  @Test("of several that wait, a gift joins the lowest number")
  func lowestNumber() throws {
    try check(
      """
      slots=1 queue_merge=tail screen_ms=0 linger_ms=500
      0      > ann rose
      0      < show 1 ann rose 1
      10     > bob rose
      20     > cid rose
      30     > bob rose
      40     > own queue_merge=anywhere
      50     > bob rose x5
      1000   < dismiss 1@0 1 idle
      1250   < show 2 bob rose 6
      2250   < dismiss 2@0 6 idle
      2500   < show 3 cid rose 1
      3500   < dismiss 3@0 1 idle
      3750   < show 4 bob rose 1
      4750   < dismiss 4@0 1 idle
      8000   .
      """)
  }

  @Test("another receiver or gift, or no receiver, is another combo")
  func keys() throws {
    try check(
      """
      slots=5 screen_ms=0 linger_ms=100
      0      > ann rose
      0      > ann @host rose
      0      > ann car
      0      > ann @host rose
      0      > ann @dj rose
      0      < show 1 ann rose 1
      0      < move_up 1@1
      0      < show 2 ann @host rose 1
      0      < move_up 1@2
      0      < move_up 2@1
      0      < show 3 ann car 1
      0      < move_up 1@3
      0      < move_up 2@2
      0      < move_up 3@1
      0      < show 4 ann @dj rose 1
      250    < update 2@2 2 +1
      600    < dismiss 1@3 1 idle
      600    < dismiss 2@2 2 idle
      600    < dismiss 3@1 1 idle
      600    < dismiss 4@0 1 idle
      1500   .
      """)
  }

  @Test("a leaving banner is taken over, once, and leaves no history then")
  func takeOver() throws {
    try check(
      """
      slots=3 screen_ms=0 linger_ms=100 exit_ms=500 enter_ms=100 count_ms=100
      0      > ann rose x3
      0      < show 1 ann rose 3
      300    < dismiss 1@0 3 idle
      400    > ann rose
      500    > ann rose
      800    < show 2 ann rose 5 base 3
      1100   < dismiss 2@0 5 idle
      2000   > ann rose
      2000   < show 3 ann rose 6 base 5
      2300   < dismiss 3@0 6 idle
      3000   .
      """)
  }

  @Test("what was taken over is lost with the banner that took it over")
  func takenOverThenSkipped() throws {
    try check(
      """
      slots=1 max_queue=1 screen_ms=0 linger_ms=100 exit_ms=500 enter_ms=100 count_ms=100
      0      > ann rose x3
      0      < show 1 ann rose 3
      300    < dismiss 1@0 3 idle
      400    > ann rose
      450    > cid rose $9
      450    < skip 2 ann rose 1 overflow
      800    < show 3 cid rose 1
      900    > ann rose
      1100   < dismiss 3@0 1 idle
      1600   < show 4 ann rose 1
      1900   < dismiss 4@0 1 idle
      3000   .
      """)
  }

  @Test("of several that leave, the one with the highest number is taken over")
  func severalLeaving() throws {
    try check(
      """
      slots=2 queue_merge=tail tiers=10:200:200 enter_ms=10 count_ms=10 linger_ms=100 busy_linger_ms=100
      exit_ms=1000 screen_ms=0
      0      > ann rose
      0      > bob rose
      0      < show 1 ann rose 1
      0      < move_up 1@1
      0      < show 2 bob rose 1
      1      > eve rose x2
      2      > fay rose $10
      3      > gil rose
      4      > eve rose x7
      120    < dismiss 1@1 1 idle
      120    < dismiss 2@0 1 idle
      1120   < show 3 eve rose 2
      1120   < move_up 3@1
      1120   < show 4 fay rose 1
      1240   < dismiss 3@1 2 idle
      1300   > own exit_ms=10
      1340   < dismiss 4@0 1 idle
      1350   < show 5 gil rose 1
      1470   < dismiss 5@0 1 idle
      1480   < show 6 eve rose 7
      1490   > own
      1600   < dismiss 6@0 7 idle
      1700   > eve rose
      2600   < show 7 eve rose 8 base 7
      2720   < dismiss 7@0 8 idle
      4000   .
      """)
  }

  @Test("a banner continues the count of a history until that expires, that moment included, and uses it up")
  func history() throws {
    try check(
      """
      screen_ms=0 linger_ms=100 reuse_ms=1000
      0      > ann rose x3
      0      < show 1 ann rose 3
      600    < dismiss 1@0 3 idle
      1850   > ann rose
      1850   > bob rose
      1850   < show 2 ann rose 4 base 3
      1850   < move_up 2@1
      1850   < show 3 bob rose 1
      2450   < dismiss 2@1 4 idle
      2450   < dismiss 3@0 1 idle
      4000   > own
      4551   > ann rose
      4551   > bob rose
      4551   < show 4 ann rose 1
      4551   < move_up 4@1
      4551   < show 5 bob rose 1
      5151   < dismiss 4@1 1 idle
      5151   < dismiss 5@0 1 idle
      9000   .
      """)
  }

  @Test("a banner that waits has used up the history when it is created, and a skip loses it")
  func historyUsedUp() throws {
    try check(
      """
      slots=1 max_queue=1 screen_ms=0 linger_ms=100 busy_linger_ms=100
      0      > ann rose x3
      0      < show 1 ann rose 3
      600    < dismiss 1@0 3 idle
      1000   > bob rose
      1000   < show 2 bob rose 1
      1100   > ann rose
      1200   > cid rose $5
      1200   < skip 3 ann rose 1 overflow
      1600   < dismiss 2@0 1 idle
      1850   < show 4 cid rose 1
      2450   < dismiss 4@0 1 idle
      3500   > ann rose
      3500   < show 5 ann rose 1
      4100   < dismiss 5@0 1 idle
      6000   .
      """)
  }

  @Test("a later history of the combo replaces the older one")
  func historyReplaced() throws {
    try check(
      """
      slots=1 queue_merge=tail screen_ms=0 enter_ms=10 count_ms=10 linger_ms=100 busy_linger_ms=100
      exit_ms=50
      0      > ann rose
      0      < show 1 ann rose 1
      1      > bob rose x2
      2      > cid rose
      3      > bob rose x7
      120    < dismiss 1@0 1 idle
      170    < show 2 bob rose 2
      290    < dismiss 2@0 2 idle
      340    < show 3 cid rose 1
      460    < dismiss 3@0 1 idle
      510    < show 4 bob rose 7
      630    < dismiss 4@0 7 idle
      1000   > bob rose
      1000   < show 5 bob rose 8 base 7
      1120   < dismiss 5@0 8 idle
      2000   .
      """)
  }

  @Test("the reuse_ms at the moment when a banner is gone applies")
  func reuseThen() throws {
    try check(
      """
      screen_ms=0 linger_ms=100 reuse_ms=1000
      0      > ann rose x3
      0      < show 1 ann rose 3
      600    < dismiss 1@0 3 idle
      900    > own reuse_ms=0
      1800   > ann rose
      1800   < show 2 ann rose 4 base 3
      2400   < dismiss 2@0 4 idle
      2600   > ann rose
      2650   < show 3 ann rose 5 base 4
      3250   < dismiss 3@0 5 idle
      9000   .
      """)
  }
}
