internal import ComboCore
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// Compares the gifts that rooms have processed with those in their output.
extension Comparison {
  /// Counts an event that a room has processed.
  func count(_ event: UnsafePointer<Event>, _ own: OwnSettings?, by room: Room, at now: Int64) {
    let proof = proof(of: room)
    if !proof.isKnown { return }
    // A paused room accepts gifts before it emits anything.
    if proof.epoch != room.engine.epoch { begin(room.engine.epoch, proof, seq: 1) }
    switch unsafe event.pointee.kind {
    case .gift:
      learnSettings(proof)
      unsafe proof.recount.add(event.pointee.gift, at: now - shifted, proof.limits!)
      if proof.peak > 0 { check(proof, slots: proof.slots) }
    case .roomSettings:
      learnSettings(proof)
      let before = proof.slots
      applySettings(own ?? OwnSettings(), proof)
      learnSettings(proof)
      if proof.peak > 0 { check(proof, slots: max(before, proof.slots)) }
    case .roomClosed:
      // Steps that were due before the room closed followed its settings.
      learnSettings(proof)
      if proof.peak > 0 { check(proof, slots: proof.slots) }
      applySettings(OwnSettings(), proof)
      proof.recount.forget()
    case .retract: break
    }
  }

  func applySettings(_ own: OwnSettings, _ proof: RoomProof) {
    proof.own = own
    proof.settingsSerial = -1
    if !proof.mayHaveOwn { return }
    leaveOpen(proof)
    proof.isSettling = true
  }

  @inline(__always)
  func learnSettings(_ proof: RoomProof) {
    if proof.settingsSerial == settingsSerial { return }
    proof.settingsSerial = settingsSerial
    let settings = partition!.settings.values.with(proof.own)
    proof.limits = Recount.Limits(settings, partition!.settings.rules)
    proof.slots = settings.slots
    if !settings.finals { proof.emitsFinals = false }
  }

  package func check(_ proof: RoomProof, slots: Int) {
    let peak = proof.peak
    proof.peak = 0
    if peak <= max(slots, proof.own.isEmpty ? self.slots : 0) { return }
    report(.screen, proof, at: partition!.clock) {
      "room \(proof.text), epoch \(proof.epoch ?? 0): \(Counted.text(peak, "banners are")) on screen at once, which has \(Counted.text(slots, "slots")) (\(place))"
    }
  }

  /// Compares the gifts that a room has processed with those in its output.
  func settle(_ proof: RoomProof, isOver: Bool, wasReset: Bool, hasFinalsToCome: Bool = false) {
    guard proof.isWhole, proof.client.isWhole, !proof.isSettled, proof.client.lastAt >= common.from else { return }
    proof.isSettled = true
    let (given, accounted) = (proof.recount.given, proof.client.accounted)
    tally.gifts &+= accounted
    if wasReset || !isOver {
      let left = max(0, given &- accounted)
      if wasReset {
        tally.leftByResets &+= left
      } else {
        tally.openEpochs += 1
        tally.openGifts &+= left
      }
      if accounted <= given { return }
    } else {
      tally.countedEpochs += 1
      // Summed skips name no combos, so that only the number of gifts can be compared.
      if accounted == given, proof.client.summed > 0 || proof.recount.fingerprint == proof.client.fingerprint {
        if !hasFinalsToCome { settleFinals(proof) }
        return
      }
    }
    report(.conservation, proof, at: proof.client.lastAt) {
      "room \(proof.text), epoch \(proof.epoch ?? 0): \(Counted.text(given, "gifts were taken in")), but \(accounted) accounted for"
        + (given == accounted ? ", of other combos" : "") + " (up to \(place))"
    }
  }

  /// Compares the gifts that a room has processed with those of its ended combos: each combo once, with all of its gifts. A
  /// final has summed gifts only if their combo had been seen before.
  private func settleFinals(_ proof: RoomProof) {
    learnSettings(proof)
    let (given, ended) = (proof.recount.given, proof.client.ended)
    if !proof.emitsFinals || ended == given && proof.recount.fingerprint == proof.client.endedFingerprint { return }
    let summed = proof.client.summed
    if summed > 0, ended <= given, ended &+ summed >= given { return }
    report(.conservation, proof, at: proof.client.lastAt) {
      "room \(proof.text), epoch \(proof.epoch ?? 0): \(Counted.text(given, "gifts were taken in")), but the combos that ended had \(ended)"
        + (given == ended ? ", of other combos" : "") + " (up to \(place))"
    }
  }
}
