import Testing

@testable import ComboCore

@Suite("Sums of skips, lingers of gifts, and repetitions that keep alive")
struct ThirdTraces {
  @Test("banners that overflow are reported in one sum, once a skip_ms")
  func sums() throws {
    try check(
      """
      slots=1 max_queue=1 skip_ms=500 screen_ms=0 linger_ms=100 busy_linger_ms=100
      0      > ann rose
      0      < show 1 ann rose 1
      10     > bob rose
      20     > cid rose x3
      30     > dan rose x2
      520    < skip 2 banners 3 $3.0 overflow
      600    < dismiss 1@0 1 idle
      850    < show 3 cid rose 3
      900    > eve rose
      910    > fay rose
      1410   < skip 1 banners 1 $1.0 overflow
      1450   < dismiss 3@0 3 idle
      1700   < show 5 eve rose 1
      2300   < dismiss 5@0 1 idle
      3000   .
      """)
  }

  @Test("a closed room says a pending sum, then all that wait; only what was seen before has a final")
  func closed() throws {
    try check(
      """
      slots=1 max_queue=2 skip_ms=500 screen_ms=0 finals=true linger_ms=100 busy_linger_ms=100
      0      > ann rose
      0      < show 1 ann rose 1
      600    < dismiss 1@0 1 idle
      900    > bob rose
      900    < show 2 bob rose 1
      1000   > ann rose
      1010   > cid rose x5
      1020   > dan rose
      1030   > closed
      1030   < dismiss 2@0 1 closed
      1030   < skip 1 banners 1 $1.0 overflow
      1030   < skip 2 banners 6 $6.0 closed
      1030   < final 3 ann rose 2 closed
      1030   < final 2 bob rose 1 closed
      3000   .
      """)
  }

  @Test("a pending sum keeps a room awake that would be forgotten, and keeps its deadline when skip_ms changes")
  func awake() throws {
    try check(
      """
      slots=1 max_queue=1 skip_ms=90000 screen_ms=0 linger_ms=0 rest_ms=100 reuse_ms=0 dedupe_ms=0 streak_ms=0
      0      > ann rose
      0      < show 1 ann rose 1
      10     > bob rose
      20     > cid rose
      500    < dismiss 1@0 1 idle
      750    < show 2 bob rose 1
      1250   < dismiss 2@0 1 idle
      30000  > own skip_ms=500
      60000  > dan rose
      60000  < show 4 dan rose 1
      60500  < dismiss 4@0 1 idle
      90020  < skip 1 banners 1 $1.0 overflow
      95000  .
      """)
  }

  @Test("a banner stays as long as its gifts ask for, up to max_linger_ms")
  func lingers() throws {
    try check(
      """
      slots=1 linger_ms=100 busy_linger_ms=100 max_linger_ms=1000 screen_ms=0
      0      > ann rose lasts700
      0      < show 1 ann rose 1
      100    > ann rose lasts300
      250    < update 1@0 2 +1
      1200   < dismiss 1@0 2 idle
      2000   > ann rose lasts5000
      2000   < show 2 ann rose 3 base 2
      3500   < dismiss 2@0 3 idle
      9000   .
      """)
  }

  @Test("a repeated id that keeps alive is remembered as if it had come now")
  func ids() throws {
    try check(
      """
      slots=1 dedupe_ms=500 max_ids=2 screen_ms=0
      0      > ann rose #a
      0      < show 1 ann rose 1
      400    > ann rose #a again
      800    > ann rose #a
      1000   > ann rose #a
      1000   < update 1@0 2 +1
      1010   > ann rose #b
      1020   > ann rose #a again
      1030   > ann rose #c
      1040   > ann rose #a
      1050   > ann rose #b
      1250   < update 1@0 5 +3
      4500   < dismiss 1@0 5 idle
      6000   .
      """)
  }

  @Test("a repeated total that keeps alive is remembered as if it had been set now")
  func totals() throws {
    try check(
      """
      slots=1 streak_ms=500 screen_ms=0
      0      > ann rose =5
      0      < show 1 ann rose 5
      400    > ann rose =5 again
      800    > ann rose =6
      800    < update 1@0 6 +1
      4050   < dismiss 1@0 6 idle
      9000   .
      """)
  }
}
