import Testing

@testable import ComboTestSupport

/// The whole service on real brokers, in this process or as the built program in its own process.
@Suite("The service on a real broker", .enabled(if: TestKafka.isAvailable, "\(TestKafka.howTo)"))
enum ServiceTests {}
