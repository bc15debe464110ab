internal import ComboService
internal import ComboWire

/// The page `/metrics`: all figures in Prometheus' text format 0.0.4. Each sample has the group and the input as labels.
struct MetricsPage {
  private let buffer = ByteBuffer(capacity: 64 << 10)
  private let services: [(source: MetricsSource, common: [(String, String)])]

  static func text(
    _ services: [ServedService], http: HTTPCounts, connections: Int, readers: Int, at now: Int64
  ) -> ByteBuffer {
    let page = MetricsPage(
      services: services.map { service in
        let report = service.observatory.report ?? ServiceReport()
        var totals = service.observatory.before
        totals.add(report.totals)
        let source = MetricsSource(
          observatory: service.observatory, report: report, totals: totals, librdkafka: service.identity.librdkafka,
          clients: service.statistics(), http: http, connections: connections, readers: readers, now: now)
        return (source, [("group", service.identity.group), ("input", service.identity.input)])
      })
    for metric in MetricTable.ofService { page.write(metric, of: page.services) }
    for metric in MetricTable.ofServer {
      // The process has one server, for all inputs.
      let common = services.count == 1 ? page.services[0].common : page.services.first.map { [$0.common[0], ("input", "")] }
      if let common { page.write(metric, of: [(page.services[0].source, common)]) }
    }
    return page.buffer
  }

  private func write(_ metric: Metric, of services: [(source: MetricsSource, common: [(String, String)])]) {
    switch metric.values {
    case .samples(let make):
      let samples = services.map { (make($0.source), $0.common) }
      if samples.allSatisfy(\.0.isEmpty), metric.isOptional { return }
      head(metric)
      for (samples, common) in samples { for one in samples { sample(metric.name, common + one.labels, one.value) } }
    case .histogram(let make):
      head(metric)
      for (source, common) in services { write(make(source), metric.name, common) }
    }
  }

  private func head(_ metric: Metric) {
    buffer.append("# HELP \(metric.name) \(metric.help)\n# TYPE \(metric.name) \(metric.kind.rawValue)\n")
  }

  private func write(_ histogram: Histogram, _ name: String, _ common: [(String, String)]) {
    var count = 0
    for (place, bound) in histogram.bounds.enumerated() {
      count += histogram.counts[place]
      sample(name + "_bucket", common + [("le", number(bound))], Double(count))
    }
    count += histogram.counts[histogram.bounds.count]
    sample(name + "_bucket", common + [("le", "+Inf")], Double(count))
    sample(name + "_sum", common, histogram.sum)
    sample(name + "_count", common, Double(count))
  }

  private func number(_ value: Double) -> String { value == value.rounded() ? String(Int(value)) : "\(value)" }

  private func sample(_ name: String, _ labels: [(String, String)], _ value: Double) {
    buffer.append(name)
    for (index, (label, text)) in labels.enumerated() {
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
