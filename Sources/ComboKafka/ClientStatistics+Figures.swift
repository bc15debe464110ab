internal import CSimdJSON
package import ComboEdge
internal import Glibc

extension ClientStatistics {
  /// The clients' last statistics, without unreadable texts.
  package func figures() -> [ClientFigures] {
    all.compactMap { client, text in StatisticsReader(text.bytes)?.figures(of: client) }
  }
}

/// Reads figures from librdkafka's statistics without decoding the rest.
private final class StatisticsReader {
  private let parser: UnsafeMutablePointer<csj_parser>
  private let text: UnsafeMutablePointer<UInt8>

  init?(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress, let parser = csj_parser_new() else { return nil }
    self.parser = parser
    text = .allocate(capacity: bytes.count + Int(CSJ_PADDING))
    UnsafeMutableRawPointer(text).copyMemory(from: start, byteCount: bytes.count)
    (text + bytes.count).initialize(repeating: 0, count: Int(CSJ_PADDING))
    guard csj_parse(parser, text, bytes.count, 64) == CSJ_FINE else { return nil }
  }

  deinit {
    csj_parser_free(parser)
    text.deallocate()
  }

  private func token(_ index: Int) -> csj_token { parser.pointee.tokens[index] }

  /// Calls `body` with each member's name and value of an object.
  private func forEach(_ object: Int, _ body: (UnsafeRawBufferPointer, Int) -> Void) {
    guard token(object).kind == UInt8(CSJ_OBJECT) else { return }
    var index = object + 1
    let end = Int(token(object).next)
    while index < end {
      let name = token(index)
      body(UnsafeRawBufferPointer(start: text + Int(name.start) + 1, count: Int(name.length) - 2), index + 1)
      index = Int(token(index + 1).next)
    }
  }

  private func number(_ index: Int) -> Double {
    let token = token(index)
    guard token.kind == UInt8(CSJ_INTEGER) || token.kind == UInt8(CSJ_NUMBER) else { return 0 }
    return csj_double(text + Int(token.start), Int(token.length))
  }

  private func isText(_ index: Int, _ word: StaticString) -> Bool {
    let token = token(index)
    guard token.kind == UInt8(CSJ_STRING), Int(token.length) == word.utf8CodeUnitCount + 2 else { return false }
    return memcmp(text + Int(token.start) + 1, word.utf8Start, word.utf8CodeUnitCount) == 0
  }

  private func member(_ name: StaticString, of object: Int) -> Double {
    var found = 0.0
    forEach(object) { if matches($0, name) { found = number($1) } }
    return found
  }

  private func matches(_ name: UnsafeRawBufferPointer, _ word: StaticString) -> Bool {
    name.count == word.utf8CodeUnitCount && memcmp(name.baseAddress!, word.utf8Start, name.count) == 0
  }

  func figures(of client: String) -> ClientFigures {
    var figures = ClientFigures(client: client)
    let plain: [(StaticString, WritableKeyPath<ClientFigures, Double>)] = [
      ("msg_cnt", \.queueRecords), ("msg_size", \.queueBytes), ("msg_max", \.queueRecordsMax), ("msg_size_max", \.queueBytesMax),
      ("txmsgs", \.recordsSent), ("txmsg_bytes", \.recordBytesSent), ("rxmsgs", \.recordsReceived),
      ("rxmsg_bytes", \.recordBytesReceived), ("tx", \.requests), ("rx", \.responses), ("tx_bytes", \.bytesSent),
      ("rx_bytes", \.bytesReceived), ("replyq", \.operations),
    ]
    forEach(0) { name, value in
      for (word, path) in plain where matches(name, word) { figures[keyPath: path] = number(value) }
      if matches(name, "brokers") { forEach(value) { _, broker in add(broker: broker, to: &figures) } }
      if matches(name, "topics") { forEach(value) { _, topic in add(topic: topic, to: &figures) } }
      if matches(name, "cgrp") { figures.rebalances = member("rebalance_cnt", of: value) }
    }
    return figures
  }

  private func add(broker: Int, to figures: inout ClientFigures) {
    var node = -1.0
    var isLogical = false
    var isUp = false
    let sums: [(StaticString, WritableKeyPath<ClientFigures, Double>)] = [
      ("waitresp_cnt", \.requestsWaiting), ("txerrs", \.requestErrors), ("rxerrs", \.responseErrors),
      ("req_timeouts", \.requestTimeouts), ("connects", \.connects), ("disconnects", \.disconnects),
    ]
    forEach(broker) { name, value in
      if matches(name, "nodeid") { node = number(value) }
      if matches(name, "source") { isLogical = isText(value, "logical") }
      if matches(name, "state") { isUp = isText(value, "UP") }
      for (word, path) in sums where matches(name, word) { figures[keyPath: path] += number(value) }
      if matches(name, "rtt") { figures.roundTripSeconds = max(figures.roundTripSeconds, member("p99", of: value) / 1_000_000) }
      if matches(name, "throttle") { figures.throttleSeconds = max(figures.throttleSeconds, member("p99", of: value) / 1000) }
    }
    // Besides the brokers, the list has bootstrap addresses and the coordinators of group and transactions. A bootstrap address
    // has no number (-1), unless a broker is advertised under exactly that address and shares its entry. A coordinator has the
    // number of its broker.
    if node >= 0, !isLogical {
      figures.brokers += 1
      if isUp { figures.brokersUp += 1 }
    }
  }

  private func add(topic: Int, to figures: inout ClientFigures) {
    forEach(topic) { name, value in
      guard matches(name, "partitions") else { return }
      forEach(value) { _, partition in
        forEach(partition) { name, value in
          if matches(name, "fetchq_cnt") { figures.fetchedRecords += number(value) }
          if matches(name, "fetchq_size") { figures.fetchedBytes += number(value) }
        }
      }
    }
  }
}
