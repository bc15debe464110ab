import ComboGenerate

extension PlatformFaults {
  /// Some faults of every kind.
  static let allKinds: PlatformFaults = {
    var faults = PlatformFaults()
    faults.duplicates = 0.05
    faults.reorderMs = 200
    faults.lostEnds = 0.3
    faults.lateTotals = 0.1
    return faults
  }()
}
