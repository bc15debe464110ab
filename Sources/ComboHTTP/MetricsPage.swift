internal import ComboEdge
internal import ComboRooms
internal import ComboService
internal import ComboSystem
internal import ComboWire

/// The page `/metrics`: all figures in Prometheus' text format 0.0.4. Each sample has the group and the input as labels.
struct MetricsPage {
  private let buffer = ByteBuffer(capacity: 64 << 10)
  /// The labels of every sample.
  private let common: [(String, String)]

  private init(_ identity: ServiceIdentity) { common = [("group", identity.group), ("input", identity.input)] }

  static func text(
    _ observatory: Observatory, _ identity: ServiceIdentity, statistics: [ClientFigures], http: HTTPCounts, connections: Int,
    readers: Int, at now: Int64
  ) -> ByteBuffer {
    let page = MetricsPage(identity)
    let source = MetricsSource(
      observatory, librdkafka: identity.librdkafka, statistics: statistics, http: http, connections: connections,
      readers: readers,
      at: now)
    for metric in MetricTable.all { page.write(metric, of: source) }
    return page.buffer
  }

  private func write(_ metric: Metric, of source: MetricsSource) {
    switch metric.values {
    case .samples(let make):
      let samples = make(source)
      if samples.isEmpty, metric.isOptional { return }
      head(metric)
      for one in samples { sample(metric.name, one.labels, one.value) }
    case .histogram(let make):
      head(metric)
      write(make(source), metric.name)
    }
  }

  private func head(_ metric: Metric) {
    buffer.append("# HELP \(metric.name) \(metric.help)\n# TYPE \(metric.name) \(metric.kind.rawValue)\n")
  }

  private func write(_ histogram: Histogram, _ name: String) {
    var count = 0
    for (place, bound) in histogram.bounds.enumerated() {
      count += histogram.counts[place]
      sample(name + "_bucket", [("le", number(bound))], Double(count))
    }
    count += histogram.counts[histogram.bounds.count]
    sample(name + "_bucket", [("le", "+Inf")], Double(count))
    sample(name + "_sum", [], histogram.sum)
    sample(name + "_count", [], Double(count))
  }

  private func number(_ value: Double) -> String { value == value.rounded() ? String(Int(value)) : "\(value)" }

  private func sample(_ name: String, _ labels: [(String, String)], _ value: Double) {
    buffer.append(name)
    for (index, (label, text)) in (common + labels).enumerated() {
      buffer.append(index == 0 ? UInt8(ascii: "{") : UInt8(ascii: ","))
      buffer.append(label)
      buffer.append("=\"")
      for byte in text.utf8 {
        // Escapes of the text format.
        switch byte {
        case UInt8(ascii: "\\"): buffer.append("\\\\")
        case UInt8(ascii: "\""): buffer.append("\\\"")
        case 0x0A: buffer.append("\\n")
        default: buffer.append(byte)
        }
      }
      buffer.append(UInt8(ascii: "\""))
    }
    buffer.append(UInt8(ascii: "}"))
    buffer.append(UInt8(ascii: " "))
    buffer.append(value)
    buffer.append(UInt8(ascii: "\n"))
  }
}
