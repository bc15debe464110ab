internal import CSimdJSON
package import ComboEdge
internal import ComboWire

extension ClientStatistics {
  /// The clients' last statistics, without unreadable texts.
  package func figures() -> [ClientFigures] {
    all.compactMap { client, text in StatisticsReader(text.bytes)?.figures(of: client) }
  }
}

/// Reads figures from librdkafka's statistics without decoding the rest.
private struct StatisticsReader {
  private let arena = BumpArena()
  private let parser = JSONParser()
  private let text: JSONText

  init?(_ bytes: UnsafeRawBufferPointer) {
    let copy = arena.copy(bytes)
    guard parser.check(copy, depth: 64) == CSJ_FINE else { return nil }
    text = parser.text(of: copy)
  }

  /// Calls `body` with each member's name and value of an object.
  private func forEach(_ object: Int, _ body: (UnsafeRawBufferPointer, Int) -> Void) {
    guard text[object].isObject else { return }
    var index = object + 1
    while index < text.next(object) {
      body(text.inside(index), index + 1)
      index = text.next(index + 1)
    }
  }

  private func number(_ index: Int) -> Double { text[index].isNumber ? text.double(index) : 0 }

  private func isText(_ index: Int, _ word: StaticString) -> Bool { text[index].isString && text.inside(index) == word }

  private func member(_ name: StaticString, of object: Int) -> Double {
    var found = 0.0
    forEach(object) { if $0 == name { found = number($1) } }
    return found
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
      for (word, path) in plain where name == word { figures[keyPath: path] = number(value) }
      if name == "brokers" { forEach(value) { _, broker in add(broker: broker, to: &figures) } }
      if name == "topics" { forEach(value) { _, topic in add(topic: topic, to: &figures) } }
      if name == "cgrp" { figures.rebalances = member("rebalance_cnt", of: value) }
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
      if name == "nodeid" { node = number(value) }
      if name == "source" { isLogical = isText(value, "logical") }
      if name == "state" { isUp = isText(value, "UP") }
      for (word, path) in sums where name == word { figures[keyPath: path] += number(value) }
      if name == "rtt" { figures.roundTripSeconds = max(figures.roundTripSeconds, member("p99", of: value) / 1_000_000) }
      if name == "throttle" { figures.throttleSeconds = max(figures.throttleSeconds, member("p99", of: value) / 1000) }
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
      guard name == "partitions" else { return }
      forEach(value) { _, partition in
        forEach(partition) { name, value in
          if name == "fetchq_cnt" { figures.fetchedRecords += number(value) }
          if name == "fetchq_size" { figures.fetchedBytes += number(value) }
        }
      }
    }
  }
}
