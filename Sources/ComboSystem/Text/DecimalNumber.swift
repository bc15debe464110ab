/// Numbers as people and JSON write them.
package enum DecimalNumber {
  /// Returns the value of a text, or nil if it is not a number, or beyond a double. `Double(_:)` would accept `nan` and `0x1p3`
  /// as well.
  package static func value(of text: String) -> Double? {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }) else { return nil }
    return Double(text).flatMap { $0.isFinite ? $0 : nil }
  }
}
