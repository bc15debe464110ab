import Foundation

/// A page of metrics, as Prometheus reads it.
enum MetricsText {
  /// The values by name and labels.
  static func samples(_ text: String) -> [String: Double] {
    var samples: [String: Double] = [:]
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]) else { continue }
      // What each sample bears.
      let name = line[..<space].replacing(/group="[^"]*",input="[^"]*",?/, with: "").replacing("{}", with: "")
      samples[String(name)] = value
    }
    return samples
  }
}
