/// The failure of a step of a transaction, which determines what is to be done next.
package struct TransactionFault: Error, Equatable, Sendable {
  package enum Kind: Sendable {
    /// Nothing of this transaction counts. Abort it, return to the last commit, and continue with a new producer.
    case abort
    /// The step did not end in time: it may have happened or not, and may still happen. Create the producer again, which settles
    /// it, then read from the brokers what is committed.
    case indefinite
    /// The producer is unusable. Create it again. If the commit failed like this, its outcome is unknown, as with `indefinite`.
    case fatal
  }

  package let kind: Kind
  package let error: EdgeError

  package init(_ kind: Kind, _ error: EdgeError) {
    self.kind = kind
    self.error = error
  }

  package static func abort(_ error: EdgeError) -> Self { Self(.abort, error) }
  package static func indefinite(_ error: EdgeError) -> Self { Self(.indefinite, error) }
  package static func fatal(_ error: EdgeError) -> Self { Self(.fatal, error) }
  package static func abort(_ reason: String) -> Self { .abort(EdgeError(.other, reason)) }
  package static func indefinite(_ reason: String) -> Self { .indefinite(EdgeError(.other, reason)) }
  package static func fatal(_ reason: String) -> Self { .fatal(EdgeError(.other, reason)) }

  /// The reason, as a sentence.
  package var reason: String { error.message }
  /// Whether another producer with the same id has taken its place.
  package var isFenced: Bool { kind == .fatal && error.code == .fenced }
}
