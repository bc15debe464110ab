extension Comparison {
  /// The state that all partitions share.
  package struct Common {
    package let index: OutputIndex
    package let places: OutputPlaces
    /// The index of dead letters; nil if they are not compared.
    package var letters: DeadLetterIndex?
    /// Whether only this group writes dead letters of this input there.
    package let lettersAreOwn: Bool
    /// The time before which instructions are not compared.
    package let from: Int64

    package init(
      index: OutputIndex, places: OutputPlaces, letters: DeadLetterIndex? = nil, lettersAreOwn: Bool = true, from: Int64
    ) {
      self.letters = letters
      self.lettersAreOwn = lettersAreOwn
      self.index = index
      self.places = places
      self.from = from
    }
  }
}
