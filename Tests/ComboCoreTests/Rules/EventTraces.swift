import Testing

@Suite("Other events")
struct EventTraces {
  @Test("a closed room clears its screen from the bottom, skips what waits, and forgets everything")
  func closed() throws {
    try check(
      """
      slots=2 max_ids=9
      0      > own slots=3 max_ids=9
      0      > ann rose #a =5
      0      < show 1 ann rose 5
      10     > bob rose #b
      10     < move_up 1@1
      10     < show 2 bob rose 1
      20     > cid rose x2
      20     < move_up 1@2
      20     < move_up 2@1
      20     < show 3 cid rose 2
      30     > dan @host rose x3
      40     > eve rose
      50     > ann rose =7
      60     > closed
      60     < dismiss 3@0 2 closed
      60     < dismiss 2@1 1 closed
      60     < dismiss 1@2 7 closed
      60     < skip 4 dan @host rose 3 closed
      60     < skip 5 eve rose 1 closed
      70     > ann rose #a =7
      310    < show 6 ann rose 7
      500    > dan @host rose
      500    < move_up 6@1
      500    < show 7 dan @host rose 1
      600    > eve rose
      3810   < dismiss 6@1 7 idle
      4000   < dismiss 7@0 1 idle
      4250   < show 8 eve rose 1
      5000   .
      """)
  }

  @Test("no gift continues a banner that a closed room dismisses, or one that was leaving already")
  func closedTakesOver() throws {
    try check(
      """
      linger_ms=0 exit_ms=1000 screen_ms=0
      0      > ann rose x5
      0      < show 1 ann rose 5
      500    < dismiss 1@0 5 idle
      600    > closed
      700    > ann rose
      1500   < show 2 ann rose 1
      2000   < dismiss 2@0 1 idle
      3000   > ann rose
      3000   < show 3 ann rose 2 base 1
      3500   < dismiss 3@0 2 idle
      9000   .
      """)
  }

  @Test("a closed room says its screen while banners leave")
  func closedScreen() throws {
    try check(
      """
      screen_ms=100 exit_ms=250
      0      > ann rose
      0      < show 1 ann rose 1
      50     > closed
      50     < dismiss 1@0 1 closed
      100    < screen empty
      200    < screen empty
      900    .
      """)
  }

  @Test("a retract means all combos that agree with what it names")
  func retract() throws {
    try check(
      """
      slots=3 screen_ms=0 max_queue=9
      0      > ann rose x2
      0      > ann @host rose x3
      0      > bob rose
      0      > ann @host car
      0      > ann car
      0      > bob car
      0      < show 1 ann rose 2
      0      < move_up 1@1
      0      < show 2 ann @host rose 3
      0      < move_up 1@2
      0      < move_up 2@1
      0      < show 3 bob rose 1
      10     > ann rose
      20     > retract ann @host
      20     < dismiss 2@1 3 retracted
      20     < skip 4 ann @host car 1 retracted
      30     > retract ann rose
      30     < dismiss 1@2 3 retracted
      40     > retract ann
      40     < skip 5 ann car 1 retracted
      270    < move_up 3@1
      270    < show 6 bob car 1
      3500   < dismiss 3@1 1 idle
      3770   < dismiss 6@0 1 idle
      9000   .
      """)
  }

  @Test("a retract fills no slot, and forgets the history of those combos alone")
  func retractHistory() throws {
    try check(
      """
      slots=2 screen_ms=0 linger_ms=100 exit_ms=100
      0      > ann rose x2
      0      > bob rose x3
      0      < show 1 ann rose 2
      0      < move_up 1@1
      0      < show 2 bob rose 3
      600    < dismiss 1@1 2 idle
      600    < dismiss 2@0 3 idle
      1000   > retract ann rose
      1100   > ann rose
      1100   > bob rose
      1100   < show 3 ann rose 1
      1100   < move_up 3@1
      1100   < show 4 bob rose 4 base 3
      1700   < dismiss 3@1 1 idle
      1700   < dismiss 4@0 4 idle
      3000   .
      """)
  }

  @Test("what is leaving when it is retracted leaves no history")
  func retractLeaving() throws {
    try check(
      """
      screen_ms=0 linger_ms=0 exit_ms=500
      0      > ann rose x2
      0      < show 1 ann rose 2
      500    < dismiss 1@0 2 idle
      600    > retract ann
      1200   > ann rose
      1200   < show 2 ann rose 1
      1700   < dismiss 2@0 1 idle
      4000   .
      """)
  }

  @Test("a retract keeps ids and running totals")
  func retractMemory() throws {
    try check(
      """
      screen_ms=0 exit_ms=0
      0      > ann rose =5 #a
      0      < show 1 ann rose 5
      100    > retract ann
      100    < dismiss 1@0 5 retracted
      200    > ann rose =6 #b
      200    < show 2 ann rose 1
      300    > ann rose #a
      3700   < dismiss 2@0 1 idle
      4000   .
      """)
  }

  @Test("closed and retract do nothing in a room without an engine")
  func nothingThere() throws {
    try check(
      """
      0      > closed
      10     > retract ann
      20     > ann rose
      20     < show 1 ann rose 1
      100    .
      """)
  }
}
