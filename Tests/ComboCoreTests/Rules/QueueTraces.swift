import Testing

@Suite("The queue")
struct QueueTraces {
  @Test("above max_queue the lowest value is skipped, of equals the highest number, be it the newest")
  func overflow() throws {
    try check(
      """
      slots=1 max_queue=2 screen_ms=0
      0      > ann rose
      0      < show 1 ann rose 1
      1      > bob rose $3
      2      > cid rose $2
      3      > dan rose $2
      3      < skip 4 dan rose 1 overflow
      4      > eve rose $9
      4      < skip 3 cid rose 1 overflow
      5      > fay rose $1 x3
      5      < skip 6 fay rose 3 overflow
      6      > gil rose $0 x4
      6      < skip 7 gil rose 4 overflow
      3500   < dismiss 1@0 1 idle
      3750   < show 2 bob rose 1
      7250   < dismiss 2@0 1 idle
      7500   < show 5 eve rose 1
      11000  < dismiss 5@0 1 idle
      12000  .
      """)
  }

  @Test("max_queue is applied after free slots are filled and banners that have waited long enough are promoted")
  func overflowAfterFilling() throws {
    try check(
      """
      slots=1 queue_merge=tail queue_order=tier max_queue=3 promote_ms=4000 screen_ms=0 linger_ms=10 busy_linger_ms=10 tiers=5:9000:9000
      0      > zoe rose
      0      < show 1 zoe rose 1
      1      > ann rose $9
      2      > quy rose
      3      > ann rose
      510    < dismiss 1@0 1 turn
      760    < show 2 ann rose 1
      1500   > bob rose $9
      1501   > retract quy
      1501   < skip 3 quy rose 1 retracted
      1502   > dan rose
      4003   > eve rose
      4003   < update 2@0 2 +1
      13253  < dismiss 2@0 2 idle
      13503  < show 5 bob rose 1
      23003  < dismiss 5@0 1 idle
      23253  < show 6 dan rose 1
      23763  < dismiss 6@0 1 idle
      24013  < show 7 eve rose 1
      24523  < dismiss 7@0 1 idle
      30000  .
      """)
  }

  @Test("a gift that joins a waiting banner makes it worth more")
  func overflowAfterJoining() throws {
    try check(
      """
      slots=1 max_queue=2 screen_ms=0 linger_ms=100 busy_linger_ms=100
      0      > ann rose
      0      < show 1 ann rose 1
      1      > bob rose $1
      2      > cid rose $2
      3      > bob rose $5
      4      > dan rose $3
      4      < skip 3 cid rose 1 overflow
      5      > eve rose $4
      5      < skip 4 dan rose 1 overflow
      600    < dismiss 1@0 1 idle
      850    < show 2 bob rose 2
      1450   < dismiss 2@0 2 idle
      1700   < show 5 eve rose 1
      2300   < dismiss 5@0 1 idle
      4000   .
      """)
  }

  @Test("a skip counts the gifts that will never be seen, without its base")
  func skipCount() throws {
    try check(
      """
      slots=1 max_queue=1 screen_ms=0 linger_ms=100 busy_linger_ms=100
      0      > ann rose x30
      0      < show 1 ann rose 30
      600    < dismiss 1@0 30 idle
      900    > bob rose
      900    < show 2 bob rose 1
      950    > ann rose x2
      960    > ann rose x3
      970    > cid rose $9
      970    < skip 3 ann rose 5 overflow
      1500   < dismiss 2@0 1 idle
      1750   < show 4 cid rose 1
      2350   < dismiss 4@0 1 idle
      3000   .
      """)
  }

  @Test("in tier order the highest rank comes next, of equals the lowest number")
  func tierOrder() throws {
    try check(
      """
      slots=1 queue_order=tier tiers=10:500:100,100:500:100 linger_ms=500 busy_linger_ms=100 screen_ms=0
      0      > ann rose
      0      < show 1 ann rose 1
      1      > bob rose
      2      > cid rose $10
      3      > dan rose $100
      4      > eve rose $10
      600    < dismiss 1@0 1 turn
      850    < show 4 dan rose 1
      1850   < dismiss 4@0 1 idle
      2100   < show 3 cid rose 1
      3100   < dismiss 3@0 1 idle
      3350   < show 5 eve rose 1
      4350   < dismiss 5@0 1 idle
      4600   < show 2 bob rose 1
      5600   < dismiss 2@0 1 idle
      8000   .
      """)
  }

  @Test("waiting promotes by one rank for each full promote_ms")
  func promotion() throws {
    try check(
      """
      slots=1 queue_order=tier tiers=10:500:100 promote_ms=1000 linger_ms=500 busy_linger_ms=400
      screen_ms=0 enter_ms=100 count_ms=100 exit_ms=100
      0      > ann rose
      0      < show 1 ann rose 1
      1      > bob rose
      700    > cid rose $10
      700    < dismiss 1@0 1 idle
      790    > dan rose $10
      800    < show 3 cid rose 1
      1500   < dismiss 3@0 1 idle
      1600   < show 2 bob rose 1
      2000   > eve rose $10
      2200   < dismiss 2@0 1 turn
      2300   < show 4 dan rose 1
      3000   < dismiss 4@0 1 idle
      3100   < show 5 eve rose 1
      3800   < dismiss 5@0 1 idle
      8000   .
      """)
  }

  @Test("a banner that waits while its combo is on screen merges when it is next")
  func merge() throws {
    try check(
      """
      slots=1 queue_merge=tail screen_ms=0
      0      > ann rose
      0      < show 1 ann rose 1
      10     > bob rose x2 ~a
      20     > cid rose
      30     > bob rose x5 ~b
      3500   < dismiss 1@0 1 idle
      3750   < show 2 bob~a rose 2
      3900   > own slots=2 screen_ms=600
      3900   < move_up 2@1
      3900   < show 3 cid rose 1
      4000   < update 2@1 7 +5
      4500   < screen 3@0 cid rose 1, 2@1 bob~b rose 7
      4600   .
      """)
  }

  @Test("what merges goes out at once if the banner lingers")
  func mergeWhileLingering() throws {
    try check(
      """
      slots=1 queue_merge=tail screen_ms=0 enter_ms=10 count_ms=10 linger_ms=1000
      0      > ann rose
      0      < show 1 ann rose 1
      1      > cid rose
      2      > dan rose
      3      > cid rose x5 ~b
      1020   < dismiss 1@0 1 idle
      1270   < show 2 cid rose 1
      1500   > retract dan
      1500   < skip 3 dan rose 1 retracted
      1600   > own
      1600   < update 2@0 6 +5
      2610   < dismiss 2@0 6 idle
      4000   .
      """)
  }
}
