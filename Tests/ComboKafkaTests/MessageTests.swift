import CKafka
import ComboWire
import Testing

@testable import ComboKafka

@Suite("A record as librdkafka holds it")
struct MessageTests {
  @Test("can be read beyond its end only as far as its page of memory goes")
  func padding() {
    #expect(Int(KafkaMessage.paddingBytes) >= BumpArena.padding)
    func isPadded(from start: UInt, count: Int) -> Bool {
      var message = rd_kafka_message_t()
      message.payload = UnsafeMutableRawPointer(bitPattern: start)
      message.len = count
      return withUnsafeMutablePointer(to: &message) { KafkaMessage(pointer: $0).isPadded }
    }
    let page: UInt = 7 * 4096
    #expect(isPadded(from: page, count: 100))
    // The last byte that is read is the last of the page, and then the first of the next page.
    #expect(isPadded(from: page + 4096 - 64 - 100, count: 100))
    #expect(!isPadded(from: page + 4096 - 64 - 99, count: 100))
    // The message ends with its page.
    #expect(!isPadded(from: page + 4096 - 100, count: 100))
    // The message ends in the page after the one in which it began.
    #expect(isPadded(from: page + 4000, count: 100))
    #expect(!isPadded(from: page, count: 0) && !isPadded(from: 0, count: 0))
  }
}
