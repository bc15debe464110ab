package import ComboCore
package import ComboRooms
package import ComboWire

/// Compares the derivation of one partition with the output room by room, and counts the gifts independently. Used by one thread;
/// only reads the index.
package final class Comparison: InstructionTarget {
  /// The position of the derivation.
  struct Position {
    var n: Int64 = 0
    var journalOffset: Int64 = -1
    var inputOffset: Int64 = -1
    /// The last entry whose output must be in the topic.
    var saidTo = Int64.max
    var isAtLeastOnce = false
    var isReset = false
    /// The maximum time for which a room may be awake without an instruction or an event: the life of its last banner, and its
    /// rest.
    var silenceMax: Int64 = 0
  }

  private let number: Int32
  let common: Common
  /// The partition of the run in progress, read while rooms emit.
  package var partition: Partition? { didSet { byIndex = [] } }
  var position = Position()
  /// Whether all rooms that are awake are known.
  private(set) var isAllKnown = false
  /// The partition's time since which all are known, or `.max` if they are not. Epochs that begin later must all be derived.
  private(set) var knownSince = Int64.max

  private var rooms: [RoomKey: RoomProof] = [:]
  private var byIndex: [RoomProof?] = []
  private(set) var claims: [Claim] = []
  package private(set) var findings = Findings()
  package var tally = Counts()
  /// Rooms that were awake while their state was unknown.
  private(set) var everUnknown: Set<RoomKey> = []
  /// The number of a room's instructions that differ, derived with settings that it may not have had.
  private(set) var doubtful: [RoomKey: Int] = [:]
  /// The number of the entry of the first instruction found in each partition of the output. The output of later entries was
  /// written later, so it cannot have been deleted.
  private(set) var foundSince: [Int64]
  /// Unknown rooms with their own settings, which remain during a rest.
  var mayHaveOwn: Set<RoomKey> = []

  var settingsSerial = 0
  package var slots = 0
  private var crowded: [RoomProof] = []
  private var emitted: [RoomProof] = []
  /// The differences in a reset. They count only if the rooms are those of the service at that time.
  private var ofReset = Findings()

  package init(_ number: Int32, _ common: Common) {
    self.number = number
    self.common = common
    foundSince = Array(repeating: .max, count: common.places.first.count)
  }

  // MARK: - Knowledge about rooms

  /// Marks all rooms that are awake as known from here on.
  func markAllKnown(since clock: Int64) {
    if isAllKnown { return }
    isAllKnown = true
    knownSince = clock
    for proof in rooms.values {
      proof.isKnown = true
      settleDoubts(proof)
    }
  }

  /// Marks all rooms as unknown from here on.
  func markNoneKnown(at clock: Int64, shifted: Int64) {
    isAllKnown = false
    knownSince = .max
    for proof in rooms.values {
      proof.isKnown = false
      proof.isWhole = false
      proof.epoch = nil
      proof.lastSeen = (clock, shifted)
    }
    start = (clock, shifted)
  }

  private var start: (clock: Int64, shifted: Int64) = (.min, 0)

  /// Adopts a room with a snapshot, which is known from now on, or from the snapshot's entry on. Its earlier instructions are not
  /// derived.
  func adopt(_ room: Room) {
    let proof = proof(of: room)
    let isSilent = room.silentUpTo >= 0
    if isSilent { leaveOpen(proof) }
    let epoch = room.isGhost ? nil : room.engine.epoch
    let isNew = !proof.isKnown || proof.epoch != epoch || isSilent
    proof.isKnown = true
    proof.own = room.engine.own
    proof.settingsSerial = -1
    if !isNew { return }
    proof.epoch = epoch
    proof.outputEpoch = epoch.flatMap { proof.output?.epoch($0) }
    proof.claim = nil
    proof.client = ScreenClient(isWhole: false)
    proof.isWhole = false
  }

  /// Accepts instructions after the claimed ones although they are not derived, and counts the differences under doubtful
  /// settings as unknown.
  func leaveOpen(_ proof: RoomProof) {
    if let claim = proof.claim { claims[claim].isEndKnown = false }
    for claim in proof.doubtedClaims { claims[claim].isEndKnown = false }
    proof.doubtedClaims = []
    let differing = proof.doubts.count(.bytes)
    if differing > 0 { doubtful[proof.key, default: 0] += differing }
    proof.doubts = Findings()
  }

  private func proof(_ name: Bytes) -> RoomProof {
    let key = unsafe RoomKey(name)
    if let known = rooms[key] { return known }
    let proof = unsafe RoomProof([UInt8](name), key, output: common.index.rooms[key], isKnown: isAllKnown, lastSeen: start)
    rooms[key] = proof
    return proof
  }

  @inline(__always)
  func proof(of room: Room) -> RoomProof {
    let index = Int(room.index)
    if index >= 0, index < byIndex.count, let known = byIndex[index], unsafe known.name.elementsEqual(room.id) { return known }
    let found = unsafe proof(room.id)
    if index >= 0 {
      while byIndex.count <= index { byIndex.append(nil) }
      byIndex[index] = found
    }
    return found
  }

  /// Returns whether the room may process an event. It may not while it is awake in an unknown state.
  func admits(_ event: UnsafePointer<Event>, _ own: OwnSettings?, at now: Int64) -> Bool {
    if isAllKnown { return true }
    let proof = unsafe proof(event.pointee.room)
    if proof.isKnown {
      // The room may still be awake in the service, as it does not rest with its own settings.
      if proof.mayHaveOwn, unsafe event.pointee.kind == .roomClosed, unsafe partition?.table.find(event.pointee.room) == nil {
        applySettings(OwnSettings(), proof)
      }
      return true
    }
    let mayAwaken: Bool
    switch unsafe event.pointee.kind {
    case .gift: mayAwaken = !mayHaveOwn.contains(proof.key)
    case .roomSettings: mayAwaken = true  // what it had before does not matter any more
    case .roomClosed, .retract: mayAwaken = false
    }
    if mayAwaken, hasRested(proof, at: now) {
      proof.isKnown = true
      proof.mayHaveOwn = true
      proof.isSettling = false
      proof.epoch = nil
      proof.own = OwnSettings()
      proof.settingsSerial = -1
      proof.recount = Recount()
      return true
    }
    if unsafe event.pointee.kind == .roomClosed || own?.isEmpty == true { mayHaveOwn.remove(proof.key) }
    if own?.isEmpty == false { mayHaveOwn.insert(proof.key) }
    everUnknown.insert(proof.key)
    proof.lastSeen = (now, shifted)
    return false
  }

  var shifted: Int64 { partition?.shifted ?? 0 }

  /// Whether the output begins an epoch of the room now, after a silence in which it must have rested.
  private func hasRested(_ proof: RoomProof, at now: Int64) -> Bool {
    guard let output = proof.output, let begun = output.epoch(now), begun.firstSeq == 1 else { return false }
    let since = now - shifted
    if since - (proof.lastSeen.clock - proof.lastSeen.shifted) <= position.silenceMax { return false }
    // Shifts lengthen a silence that began before them. Where they are not subtracted, the condition is stricter.
    guard let before = output.epochs.last(where: { $0.epoch < now }) else { return true }
    return now - before.lastAt - (shifted - proof.lastSeen.shifted) > position.silenceMax
  }

  // MARK: - Instructions

  package func said(_ record: Bytes, _ instruction: Instruction, by room: Room) {
    let proof = proof(of: room)
    if !proof.isKnown { return }
    if proof.epoch != instruction.epoch { begin(instruction.epoch, proof, seq: instruction.seq) }
    unsafe draw(record, instruction, proof)
    unsafe compare(record, instruction, proof)
  }

  func begin(_ epoch: Int64, _ proof: RoomProof, seq: Int) {
    if proof.epoch != nil { settle(proof, isOver: true, wasReset: position.isReset) }
    if !position.isReset { proof.recount.forget() }
    proof.epoch = epoch
    proof.outputEpoch = proof.output?.epoch(epoch)
    // Both the derivation and the output begin with the known settings only.
    if proof.isSettling, seq == 1, proof.outputEpoch?.firstSeq == 1 { settleDoubts(proof) }
    proof.claim = nil
    proof.client = ScreenClient(isWhole: seq == 1)
    proof.recount.begin()
    proof.isWhole = seq == 1
    proof.emitsFinals = true
    proof.settingsSerial = -1
    proof.isSettled = false
    if position.isReset { emitted.append(proof) }
  }

  private func draw(_ record: Bytes, _ instruction: Instruction, _ proof: RoomProof) {
    guard let text = unsafe InstructionText(record), text.seq == instruction.seq else {
      unsafe differs(.screen, proof, instruction, record) { "what is derived cannot be read as an instruction" }
      return
    }
    // Its faults are reported for the output's own record, which is the same.
    _ = proof.client.draw(text)
    if case .show = instruction.operation, proof.client.isKnown {
      let count = proof.client.banners.count
      if count > slots || count > proof.slots {
        if proof.peak == 0 { crowded.append(proof) }
        proof.peak = max(proof.peak, count)
      }
    }
  }

  @inline(__always)
  private func compare(_ record: Bytes, _ instruction: Instruction, _ proof: RoomProof) {
    let seq = instruction.seq
    let isCompared = instruction.at >= common.from
    guard let epoch = proof.outputEpoch, let entry = epoch.entry(seq) else {
      if isCompared { unsafe missing(record, instruction, proof) } else { tally.skipped += 1 }
      return
    }
    if let claim = proof.claim, claims[claim].upTo + 1 == seq {
      claims[claim].upTo = seq
    } else {
      proof.claim = claims.count
      if proof.mayHaveOwn { proof.doubtedClaims.append(claims.count) }
      claims.append(Claim(epoch: epoch, partition: number, from: seq, upTo: seq))
    }
    found(proof, in: entry.partition)
    if !isCompared {
      tally.skipped += 1
      return
    }
    if unsafe entry.hash != VerifyHash.one(record) || entry.otherHash != VerifyHash.other(record) {
      unsafe differs(.bytes, proof, instruction, record) { "the output differs (\(Place(entry)))" }
      return
    }
    tally.equal += 1
    if !position.isAtLeastOnce, !epoch.repetitions.isEmpty, let again = epoch.repetition(seq) {
      unsafe differs(.sequence, proof, instruction, record) {
        again.isLate
          ? "it comes after later ones (\(again.place))" : "it was written twice (\(Place(entry)), then \(again.place))"
      }
    }
  }

  @inline(__always)
  private func found(_ proof: RoomProof, in partition: Int32) {
    if proof.foundIn.last == partition { return }
    proof.foundIn.append(partition)
    foundSince[Int(partition)] = min(foundSince[Int(partition)], position.n)
  }

  private func missing(_ record: Bytes, _ instruction: Instruction, _ proof: RoomProof) {
    if position.n > position.saidTo {
      tally.pending += 1
      return
    }
    if isUnread(instruction, proof) {
      tally.unread += 1
      return
    }
    if isDeleted(instruction, proof) {
      tally.deleted += 1
      return
    }
    unsafe differs(.missing, proof, instruction, record) {
      guard let output = proof.output else { return "the output has nothing of this room" }
      guard let epoch = proof.outputEpoch else { return "partition \(output.partition) of the output has nothing of this epoch" }
      let before = epoch.entry(instruction.seq - 1).map { ", where it should follow \(Place($0))" }
      return "it is missing in the output\(before ?? ", partition \(output.partition)")"
    }
  }

  private func differs(
    _ kind: Findings.Kind, _ proof: RoomProof, _ instruction: Instruction, _ record: Bytes, _ how: () -> String
  ) {
    report(kind, proof, at: instruction.at) {
      unsafe "room \(proof.text), epoch \(instruction.epoch), seq \(instruction.seq): \(how()). Derived \(place): "
        + String(decoding: record.prefix(400), as: UTF8.self)
    }
  }

  package func report(_ kind: Findings.Kind, _ proof: RoomProof, at: Int64, _ sentence: () -> String) {
    if position.isReset {
      ofReset.add(kind, sentence(), at: at)
    } else if proof.mayHaveOwn {
      proof.doubts.add(kind, sentence(), at: at)
    } else {
      findings.add(kind, sentence(), at: at)
    }
  }

  package var place: String {
    "in input partition \(number) at offset \(position.inputOffset), entry \(position.n) (journal offset \(position.journalOffset))"
  }

  /// Counts the differences of a room that may have had its own settings. It is assumed to have had none, unless it received
  /// others since.
  private func settleDoubts(_ proof: RoomProof) {
    if proof.isSettling { leaveOpen(proof) }
    findings.merge(proof.doubts)
    proof.doubts = Findings()
    proof.doubtedClaims = []
    proof.mayHaveOwn = false
    proof.isSettling = false
  }

  // MARK: - Entries

  /// Prepares for running an entry.
  package func begin(_ entry: JournalEntry, journalOffset: Int64) {
    position.n = entry.n
    position.journalOffset = journalOffset
    guard let takeover = entry.takeover else {
      position.isAtLeastOnce = entry.term != nil
      return
    }
    // An entry with `said_to` follows at-least-once delivery. Its output is written by the next owner, with that owner's
    // delivery.
    position.isAtLeastOnce = takeover.delivery == .atLeastOnce || entry.saidTo != nil
    position.isReset = takeover.reset != nil
    settle(takeover.derivation.settings)
  }

  /// Applies the settings of the derivation from now on.
  func settle(_ settings: Settings) {
    // In the entry that changes them, banners that were shown under the old settings may still be there.
    slots = max(slots, settings.slots)
    settingsSerial += 1
    position.silenceMax = settings.silenceMax
  }

  /// Completes an entry that was run.
  /// - Parameter isSame: Whether the rooms equal those of the journal.
  package func end(_ recorded: JournalEntry, isSame: Bool) {
    for proof in crowded where proof.peak > 0 {
      learnSettings(proof)
      check(proof, slots: proof.slots)
    }
    crowded.removeAll()
    slots = partition!.settings.values.slots
    if position.isReset {
      position.isReset = false
      if isSame { findings.merge(ofReset) }
      ofReset = Findings()
      // Rooms that were not awake during the reset have no memory.
      let awake = Set(emitted.map(\.key))
      for proof in rooms.values where !awake.contains(proof.key) { proof.recount.forget() }
      emitted = []
    }
    if isSame { markAllKnown(since: recorded.clock) }
  }

  /// Completes the run.
  /// - Parameter failed: Whether it ended early, at an entry that differs from the journal or cannot be derived.
  package func finish(failed: Bool) {
    for proof in rooms.values {
      settleDoubts(proof)
      if failed || !proof.isKnown || proof.epoch == nil { continue }
      var isOver = true
      var hasFinalsToCome = false
      if let room = unsafe proof.name.withUnsafeBytes({ unsafe partition?.table.find($0) }) {
        isOver = room.engine.isIdle && !room.engine.hasPendingSkips
        hasFinalsToCome = room.engine.nextDeadline != nil
      }
      settle(proof, isOver: isOver, wasReset: false, hasFinalsToCome: hasFinalsToCome)
    }
  }
}
