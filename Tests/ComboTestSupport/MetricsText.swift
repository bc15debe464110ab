import Foundation

/// A page of metrics, as Prometheus reads it.
enum MetricsText {
  /// Returns the values by name and labels.
  static func samples(_ text: String) -> [String: Double] {
    var samples: [String: Double] = [:]
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]) else { continue }
      // Every sample has these labels.
      let name = line[..<space].replacing(/group="[^"]*",input="[^"]*",?/, with: "").replacing("{}", with: "")
      samples[String(name)] = value
    }
    return samples
  }
}
