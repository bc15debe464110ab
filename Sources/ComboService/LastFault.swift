internal import ComboEdge

/// The fault that readiness names while transactions fail.
struct LastFault {
  private(set) var reason: String?
  private var deniedAt: Int64?

  /// The time for which other faults are taken for consequences of a right that was denied: the next transactions begin with
  /// what the failed one has left. Longer than the pause between two attempts.
  static let deniedMs: Int64 = 15_000

  mutating func failed(_ fault: TransactionFault, at now: Int64) {
    if fault.error.code == .notAuthorized {
      deniedAt = now
    } else if let deniedAt, now - deniedAt < Self.deniedMs {
      return
    }
    reason = fault.reason
  }
}
