import Testing

@Suite("The whole screen")
struct ScreenTraces {
  @Test("the screen is said every screen_ms from the first entry on, and not when it is empty")
  func screen() throws {
    try check(
      """
      screen_ms=1000
      0      > ann rose
      0      < show 1 ann rose 1
      500    > bob @host rose x2
      500    < move_up 1@1
      500    < show 2 bob @host rose 2
      600    > bob @host rose
      750    < update 2@0 3 +1
      1000   < screen 2@0 bob @host rose 3, 1@1 ann rose 1
      2000   < screen 2@0 bob @host rose 3, 1@1 ann rose 1
      3000   < screen 2@0 bob @host rose 3, 1@1 ann rose 1
      3500   < dismiss 1@1 1 idle
      4000   < dismiss 2@0 3 idle
      4000   < screen empty
      9000   > ann rose
      9000   < show 3 ann rose 1
      9500   .
      """)
  }

  @Test("it is said after every step of the same time, with the count that is shown")
  func screenAfterSteps() throws {
    try check(
      """
      screen_ms=250 linger_ms=250
      0      > ann rose
      0      < show 1 ann rose 1
      100    > ann rose
      250    < update 1@0 2 +1
      250    < screen 1@0 ann rose 2
      500    < screen 1@0 ann rose 2
      750    < dismiss 1@0 2 idle
      750    < screen empty
      900    > bob rose
      1000   > bob rose
      1000   < show 2 bob rose 1
      1250   < update 2@0 2 +1
      1250   < screen 2@0 bob rose 2
      1300   .
      """)
  }

  @Test("it says no banners while all are leaving")
  func screenOfLeaving() throws {
    try check(
      """
      screen_ms=300 linger_ms=0 exit_ms=700
      0      > ann rose
      0      < show 1 ann rose 1
      300    < screen 1@0 ann rose 1
      500    < dismiss 1@0 1 idle
      600    < screen empty
      900    < screen empty
      2000   .
      """)
  }

  @Test("it is due anew when a banner enters an empty screen, even at the time when the last one is gone")
  func screenAnew() throws {
    try check(
      """
      slots=1 screen_ms=400 linger_ms=100 busy_linger_ms=100 exit_ms=150
      0      > ann rose
      0      < show 1 ann rose 1
      1      > bob rose
      400    < screen 1@0 ann rose 1
      600    < dismiss 1@0 1 idle
      750    < show 2 bob rose 1
      1150   < screen 2@0 bob rose 1
      1350   < dismiss 2@0 1 idle
      2000   .
      """)
  }

  @Test("screen_ms of 0 ends it after the one that is due; another value begins it from then on")
  func screenOff() throws {
    try check(
      """
      screen_ms=400
      0      > ann rose
      0      < show 1 ann rose 1
      100    > own screen_ms=0
      400    < screen 1@0 ann rose 1
      1000   > own screen_ms=600
      1600   < screen 1@0 ann rose 1
      2200   < screen 1@0 ann rose 1
      2800   < screen 1@0 ann rose 1
      3000   .
      """)
  }

  @Test("a client that joins late sees bases and slots")
  func screenBase() throws {
    try check(
      """
      screen_ms=600 linger_ms=400
      0      > ann rose x2
      0      < show 1 ann rose 2
      600    < screen 1@0 ann rose 2
      900    < dismiss 1@0 2 idle
      1200   > ann rose
      1200   < show 2 ann rose 3 base 2
      1300   > bob rose
      1300   < move_up 2@1
      1300   < show 3 bob rose 1
      1800   < screen 3@0 bob rose 1, 2@1 ann rose 3 base 2
      2000   .
      """)
  }
}
