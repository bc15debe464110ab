import Testing

@testable import ComboKafka

@Suite("What a broker understands")
struct BrokerVersionsTests {
  private func versions(_ requests: [(Int, String)]) -> BrokerVersions {
    var versions = BrokerVersions()
    versions.take("[thrd:b:9092/bootstrap]: b:9092/bootstrap: Broker API support:")
    for (number, range) in requests {
      versions.take("[thrd:b:9092/bootstrap]: b:9092/bootstrap:   ApiKey Some (\(number)) Versions \(range)")
    }
    return versions
  }

  @Test("tells its version, and whether the service can work with it")
  func kafka() {
    #expect(versions([]).kafka == nil)
    let new = versions([(0, "3..13"), (1, "4..18"), (11, "0..9"), (28, "0..5")])
    #expect(new.kafka == "4.1 or later" && new.hasGroupTransactions && new.hasOldJoin)
    let four = versions([(0, "3..12"), (1, "4..17"), (11, "2..9"), (28, "0..5")])
    #expect(four.kafka == "4.0" && !four.hasOldJoin)
    #expect(versions([(0, "0..9"), (1, "0..15"), (28, "0..3")]).kafka == "3.5 or 3.6")
    let old = versions([(0, "0..8"), (1, "0..11"), (11, "0..5"), (28, "0..2")])
    #expect(old.kafka == "before 2.5" && !old.hasGroupTransactions)
  }

  @Test("is taken from no other line")
  func others() {
    var versions = BrokerVersions()
    for line in [
      "", "Versions", "Versions 0..1", "ApiKey X (a) Versions 0..1", "ApiKey X (1) Versions 2..1", "ApiKey X (1) Versions 1",
      "( Versions 1..2",
    ] {
      versions.take(line)
    }
    #expect(versions == BrokerVersions())
  }
}
