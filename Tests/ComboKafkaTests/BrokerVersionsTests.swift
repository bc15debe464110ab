import Testing

@testable import ComboKafka
@testable import ComboTestSupport

@Suite("The protocol versions of a broker")
struct BrokerVersionsTests {
  private func versions(_ requests: [(Int, String)]) -> BrokerVersions {
    var versions = BrokerVersions()
    versions.read("[thrd:b:9092/bootstrap]: b:9092/bootstrap: Broker API support:")
    for (number, range) in requests {
      versions.read("[thrd:b:9092/bootstrap]: b:9092/bootstrap:   ApiKey Some (\(number)) Versions \(range)")
    }
    return versions
  }

  @Test("shows its version, and whether the service can work with it")
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

  @Test("names the requests of transactions that a broker does not support")
  func transactions() throws {
    let all = [(0, "0..13"), (22, "0..5"), (24, "0..5"), (25, "0..4"), (26, "0..4"), (28, "0..5")]
    #expect(versions(all).missingTransactions == [])
    #expect(versions(all.filter { ![22, 26].contains($0.0) }).missingTransactions == ["InitProducerId", "EndTxn"])
  }

  @Test("is asked of the broker: one that leaves out transactions is found")
  func withoutTransactions() throws {
    let cluster = try MockCluster(log: .none)
    #expect(try BrokerVersions.ask(cluster.brokers, as: cluster.properties(), withinMs: 10_000).missingTransactions == [])
    for request: Int16 in [22, 24, 25, 26, 28] { cluster.leaveOut(request: request) }
    let found = try BrokerVersions.ask(cluster.brokers, as: cluster.properties(), withinMs: 10_000)
    #expect(found.missingTransactions.count == 5 && found.kafka != nil)
  }

  @Test("is taken from no other line")
  func others() {
    var versions = BrokerVersions()
    for line in [
      "", "Versions", "Versions 0..1", "ApiKey X (a) Versions 0..1", "ApiKey X (1) Versions 2..1", "ApiKey X (1) Versions 1",
      "( Versions 1..2",
    ] {
      versions.read(line)
    }
    #expect(versions == BrokerVersions())
  }
}
