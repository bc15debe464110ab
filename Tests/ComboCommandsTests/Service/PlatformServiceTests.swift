import Testing

extension ServiceTests {
  @Suite("A platform's records through the service")
  struct PlatformServiceTests {
    /// Returns a push with these gifts of room `r`: the users and their running hits.
    private func push(_ feeds: [(user: String, hits: Int)]) -> TestRecord {
      let list = feeds.map { feed in
        #"{"user":{"principalId":"\#(feed.user)"},"giftId":9,"mergeKey":"\#(feed.user)-9-10","batchSize":10,"comboCount":\#(feed.hits)}"#
      }
      return TestRecord(key: "r", #"{"displayWatchingCount":"50+","giftFeeds":[\#(list.joined(separator: ","))]}"#)
    }

    @Test("several gifts of one record count each, also after a crash, and the journal proves it")
    func several() throws {
      let group = try TestGroup(partitions: 1)
      // The instance has a name, so that the next one need not wait until the group has given it up.
      let options = TestGroup.fast + ["--map", "kuaishou", "--instance", "one"]
      let service = try group.process(options)
      // With a repeat out of order, a push without gifts, and one that is bad as a whole: its second gift has no sender.
      try group.produce([
        push([("a", 1), ("b", 1), ("a", 2)]), push([("a", 1)]),
        TestRecord(key: "r", #"{"displayLikeCount":"241","commentFeeds":[{"content":"hi"}]}"#),
        TestRecord(
          key: "r", #"{"giftFeeds":[{"user":{"principalId":"c"},"giftId":9,"mergeKey":"c"},{"giftId":9,"mergeKey":"d"}]}"#),
      ])
      try group.waitUntilSaid(["r": 30], service)
      try service.crash()
      let next = try group.process(options)
      try group.produce([push([("b", 3), ("a", 2)])])
      try group.waitUntilSaid(["r": 50], next)
      try next.stop()
      try group.verify()
    }
  }
}
