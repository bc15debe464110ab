import Testing

@testable import ComboTestSupport

/// The whole service on real brokers, in this process or as the built program in one of its own.
@Suite("The service on a real broker", .enabled(if: TestKafka.isAvailable, "\(TestKafka.howTo)"))
enum ServiceTests {}
