internal import ComboCore

/// A decimal number of few digits, with which products are exact.
struct ShortDecimal {
  /// The number without its decimal point.
  var digits: Int64
  /// The number of digits after the decimal point.
  var decimals = 0

  /// Returns the product with a number as it is written, or nil if it has too many digits or another form.
  func times(_ written: Bytes) -> ShortDecimal? {
    let point = written.firstIndex(of: 0x2E) ?? written.endIndex
    let decimals = max(written.count - point - 1, 0)
    var factor: Int64 = 0
    for (index, byte) in written.enumerated() where index != point {
      guard (0x30...0x39).contains(byte), factor <= Self.digitsMax / 10 else { return nil }
      factor = factor * 10 + Int64(byte - 0x30)
    }
    let (product, overflow) = digits.multipliedReportingOverflow(by: factor)
    return overflow || written.isEmpty ? nil : ShortDecimal(digits: product, decimals: self.decimals + decimals)
  }

  /// The nearest double, or nil if the number has too many digits to find it by one division.
  var double: Double? {
    if digits > Self.digitsMax || decimals > 22 { return nil }
    return Double(digits) / (0..<decimals).reduce(1.0) { power, _ in power * 10 }
  }

  /// Up to this number, each integer is a double. So is each power of ten up to the 22nd.
  private static let digitsMax: Int64 = 1 << 53
}
