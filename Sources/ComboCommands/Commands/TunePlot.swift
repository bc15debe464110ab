/// A scatter plot of wait against readability, as inline SVG: up and to the left is better.
struct TunePlot {
  /// A combination.
  struct Point {
    var number: Int
    var name: String
    /// The seconds within which nine of ten seen gifts are seen.
    var wait: Double
    /// The seconds for which at least half of the banners are seen.
    var stay: Double
    var isBest: Bool
    var isBase: Bool
  }

  /// An axis, which maps values to positions.
  struct Scale {
    let low: Double
    let high: Double
    let isLogarithmic: Bool
    let from: Double
    let to: Double

    init(_ values: [Double], from: Double, to: Double) {
      let (least, most) = (values.min() ?? 0, values.max() ?? 1)
      isLogarithmic = most > 20 * max(least, 0.05)
      if isLogarithmic {
        low = max(0.05, least) * 0.8
        high = most * 1.25
      } else {
        low = max(0, least - max(0.1, (most - least) * 0.15))
        high = most + max(0.1, (most - least) * 0.15)
      }
      self.from = from
      self.to = to
    }

    func place(_ value: Double) -> Double {
      let value = min(max(value, low), high)
      let share = isLogarithmic ? Self.log(value / low) / Self.log(high / low) : (value - low) / (high - low)
      return from + share * (to - from)
    }

    /// Round values within the axis.
    var ticks: [Double] {
      if isLogarithmic {
        return [0.01, 0.1, 1, 10, 100, 1000, 10_000, 100_000].flatMap { [$0, 2 * $0, 5 * $0] }.filter {
          (low...high).contains($0)
        }
      }
      var step = 0.01
      for candidate in [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 50_000]
      where (high - low) / step > 6 {
        step = candidate
      }
      let first = (low / step).rounded(.up)
      return (0..<7).map { (first + Double($0)) * step }.filter { $0 <= high }
    }

    /// The natural logarithm of a number of at least 1, exact enough for a plot.
    private static func log(_ value: Double) -> Double {
      let exponent = Double(value.exponent)
      let mantissa = value.significand
      // ln m = 2 artanh((m − 1) / (m + 1))
      let x = (mantissa - 1) / (mantissa + 1)
      let square = x * x
      return exponent * 0.693147180559945 + 2 * x
        * (1 + square * (1 / 3.0 + square * (1 / 5.0 + square * (1 / 7.0 + square / 9))))
    }
  }

  enum Size {
    case wide
    /// Fits a narrow window, with readable texts.
    case phone
    /// Fits many plots side by side, without names of axes and with fewer numbers.
    case small
  }

  static func svg(_ points: [Point], title: String, size: Size) -> String {
    let isSmall = size == .small
    let (width, height) = size == .wide ? (760.0, 420.0) : size == .phone ? (350.0, 330.0) : (320.0, 210.0)
    let (left, right, top, bottom) = isSmall ? (42.0, 14.0, 14.0, 30.0) : (50.0, 20.0, 34.0, 56.0)
    let ticksMax = size == .wide ? 9 : 5
    let x = Scale(points.map(\.wait), from: left, to: width - right)
    let y = Scale(points.map(\.stay), from: height - bottom, to: top)
    var svg =
      "<svg class=\"\(size)\" viewBox=\"0 0 \(number(width)) \(number(height))\" role=\"img\" aria-label=\"\(TunePage.escaped(title))\">"
    svg += "<title>\(TunePage.escaped(title))</title>"
    for tick in thinned(x.ticks, ticksMax) {
      let place = number(x.place(tick))
      svg += "<line class=\"grid\" x1=\"\(place)\" x2=\"\(place)\" y1=\"\(number(top))\" y2=\"\(number(height - bottom))\"/>"
      svg +=
        "<text class=\"tick\" x=\"\(place)\" y=\"\(number(height - bottom + 16))\" text-anchor=\"middle\">\(label(tick))</text>"
    }
    for tick in thinned(y.ticks, ticksMax) {
      let place = y.place(tick)
      svg +=
        "<line class=\"grid\" x1=\"\(number(left))\" x2=\"\(number(width - right))\" y1=\"\(number(place))\" y2=\"\(number(place))\"/>"
      svg += "<text class=\"tick\" x=\"\(number(left - 6))\" y=\"\(number(place + 4))\" text-anchor=\"end\">\(label(tick))</text>"
    }
    if !isSmall {
      svg +=
        "<text class=\"axis\" x=\"\(number((left + width - right) / 2))\" y=\"\(number(height - 10))\" text-anchor=\"middle\">"
      svg += "seconds until nine of ten gifts are seen\(x.isLogarithmic ? ", log" : "")</text>"
      svg +=
        "<text class=\"axis\" x=\"6\" y=\"16\">seconds that a banner is seen (median)\(y.isLogarithmic ? ", log" : "")</text>"
      svg += "<text class=\"hint\" x=\"\(number(left + 6))\" y=\"\(number(top + 16))\">↖ better</text>"
    }
    // The best point is drawn above the others.
    var taken: [(x: Double, y: Double)] = []
    for point in points.sorted(by: { (rank($0), $1.number) < (rank($1), $0.number) }) {
      let (px, py) = (x.place(point.wait), y.place(point.stay))
      let kind = point.isBest ? "best" : "other"
      svg +=
        "<g class=\"\(kind)\"><title>\(TunePage.escaped("\(point.number): \(point.name): \(label(point.wait)) s, \(label(point.stay)) s"))</title>"
      if point.isBase {
        svg += "<rect x=\"\(number(px - 6))\" y=\"\(number(py - 6))\" width=\"12\" height=\"12\"/>"
      } else {
        svg += "<circle cx=\"\(number(px))\" cy=\"\(number(py))\" r=\"\(isSmall ? 5 : 6.5)\"/>"
      }
      svg += "</g>"
      taken.append((px, py))
    }
    // Numbers are drawn where there is room, the best first.
    var labels: [(x: Double, y: Double)] = []
    for point in points.sorted(by: { (rank($1), $0.number) < (rank($0), $1.number) }) {
      if isSmall, !point.isBest, !point.isBase { continue }
      let (px, py) = (x.place(point.wait), y.place(point.stay))
      let places = [(px + 10, py - 7), (px + 10, py + 15), (px - 10, py - 7), (px - 10, py + 15)]
      guard
        let place = places.first(where: { place in
          !labels.contains { abs($0.x - place.0) < 20 && abs($0.y - place.1) < 13 } && place.0 < width - 8 && place.0 > left
            && !taken.contains { abs($0.x - place.0) < 8 && abs($0.y - (place.1 - 4)) < 8 }
        })
      else { continue }
      labels.append(place)
      let anchor = place.0 < px ? "end" : "start"
      svg += "<text class=\"\(point.isBest ? "label bestlabel" : "label")\" x=\"\(number(place.0))\" y=\"\(number(place.1))\""
      svg += " text-anchor=\"\(anchor)\">\(point.number)</text>"
    }
    return svg + "</svg>"
  }

  private static func rank(_ point: Point) -> Int { (point.isBest ? 2 : 0) + (point.isBase ? 1 : 0) }

  private static func thinned(_ ticks: [Double], _ most: Int) -> [Double] {
    ticks.count <= most ? ticks : ticks.enumerated().filter { $0.offset % ((ticks.count + most - 1) / most) == 0 }.map(\.element)
  }

  private static func number(_ value: Double) -> String { TuneReport.fixed(value, 1) }

  /// Formats a number without trailing zeros.
  private static func label(_ value: Double) -> String {
    var text = TuneReport.fixed(value, value < 10 ? 2 : value < 100 ? 1 : 0)
    while text.contains("."), text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text
  }
}
