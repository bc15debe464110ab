internal import ComboRooms

/// The two batches of the loop: one is filled while the rooms process the other one. Used by the loop's thread only.
final class Batches {
  private let both = [Batch(), Batch()]
  /// The index of the batch that is being filled.
  private(set) var index = 0

  var filling: Batch { both[index] }
  var other: Batch { both[1 - index] }

  /// Fills the other batch from now on, once its rooms are done.
  func swap() {
    index = 1 - index
    filling.wait()
  }

  /// Waits until no room is running.
  /// - Returns: The proof, which only the loop can get: no other thread has the batches.
  @discardableResult
  func quiesce() -> Quiescence { Quiescence(after: both) }
}
