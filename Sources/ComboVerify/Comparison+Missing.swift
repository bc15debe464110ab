package import ComboCore

/// Decides whether a derived instruction may legitimately be missing from the output.
extension Comparison {
  /// Whether its record may have been deleted from the output: the beginning of one of the room's partitions was deleted, and
  /// that partition has no earlier record.
  package func isDeleted(_ instruction: Instruction, _ proof: RoomProof) -> Bool {
    places(of: proof).contains { partition in
      guard common.places.first[partition] > 0, position.n <= foundSince[partition] else { return false }
      if proof.foundIn.contains(Int32(partition)) { return false }
      return !existedBefore(instruction.epoch, proof, in: Int32(partition))
    }
  }

  /// Whether its record may be in the unread part of the output: the room's last record that was read is not later, or is in
  /// another partition, from which the room has moved.
  func isUnread(_ instruction: Instruction, _ proof: RoomProof) -> Bool {
    if common.places.unread.isEmpty { return false }
    var later: Int32?
    if let last = proof.output?.epochs.last, (last.epoch, last.end) > (instruction.epoch, instruction.seq) {
      later = last.entry(last.end - 1)?.partition
    }
    return places(of: proof).contains { common.places.unread[Int32($0)] != nil && Int32($0) != later }
  }

  private func places(of proof: RoomProof) -> [Int] {
    let places = proof.places ?? common.places.ofRoom(proof.name)
    proof.places = places
    return places
  }

  /// Whether an earlier epoch exists in the partition from its first instruction on, even if it was not derived.
  private func existedBefore(_ epoch: Int64, _ proof: RoomProof, in partition: Int32) -> Bool {
    guard let output = proof.output else { return false }
    for before in output.epochs {
      if before.epoch >= epoch { break }
      if before.entry(1)?.partition == partition { return true }
    }
    return false
  }
}
