internal import Glibc

/// Draws ranks by Zipf's law with one look-up, however many there are. This is Walker's alias method: every cell holds one rank's
/// share, filled up by a part of another one's.
struct ZipfTable {
  private struct Cell {
    /// The limit of the low 32 random bits up to which the cell's own rank is drawn.
    var keep: UInt32
    var other: UInt32
  }
  private let cells: [Cell]
  private let count: Int

  /// Creates a table in which rank k, from 0, has a share of 1 / (k + 1)^`exponent`. Takes time and memory proportional to
  /// `count`.
  init(count: Int, exponent: Double) {
    self.count = count
    guard exponent > 0 else {
      cells = []
      return
    }
    var shares = (0..<count).map { pow(Double($0 + 1), -exponent) }
    let mean = shares.reduce(0, +) / Double(count)
    var cells = (0..<count).map { Cell(keep: .max, other: UInt32($0)) }
    var poor: [Int] = [], rich: [Int] = []
    for index in 0..<count {
      shares[index] /= mean
      if shares[index] < 1 { poor.append(index) } else { rich.append(index) }
    }
    while let giver = rich.last, let taker = poor.popLast() {
      cells[taker] = Cell(keep: UInt32(shares[taker] * 4_294_967_295), other: UInt32(giver))
      shares[giver] -= 1 - shares[taker]
      if shares[giver] < 1 {
        rich.removeLast()
        poor.append(giver)
      }
    }
    self.cells = cells
  }

  /// Draws a rank from one random number.
  func draw(_ bits: UInt64) -> Int {
    let index = SplitMix64.scale(bits >> 32, count)
    if cells.isEmpty { return index }
    let cell = cells[index]
    return UInt32(truncatingIfNeeded: bits) <= cell.keep ? index : Int(cell.other)
  }
}
