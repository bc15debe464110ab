extension Comparison {
  /// The state that all partitions share.
  package struct Common {
    package let index: OutputIndex
    package let places: OutputPlaces
    /// The index of dead letters, or nil if they are not compared.
    package var letters: DeadLetterIndex?
    /// Whether only this group writes dead letters of this input there.
    package var lettersAreOwn = true
    /// The time before which instructions are not compared.
    package let from: Int64
  }
}
