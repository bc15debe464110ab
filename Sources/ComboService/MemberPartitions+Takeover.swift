internal import ComboEdge
internal import ComboMaps
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// The offset, time, map and settings with which a restored partition continues.
extension MemberPartitions {
  /// Records that an entry counts, and that its output may be visible.
  /// - Parameter offset: The input offset after it.
  func wrote(_ active: ActivePartition, _ n: Int64, upTo offset: Int64) {
    memory.wrote(active.number, .init(n: n, clock: active.clock.last, offset: offset))
  }

  /// Logs, once each, how the map, rules and settings of this instance differ from those of the partition's last owner.
  func tellChanges(from old: Derivation?, to own: Derivation) {
    guard let old else { return }
    let unknown = old.unknownSettings.keys.sorted().joined(separator: ", ")
    if !unknown.isEmpty, toldChanges.insert("unknown \(unknown)").inserted {
      log.warning(
        "the journal has settings that this version does not know, and keeps them: \(.text, unknown). A newer version wrote them")
    }
    if old == own { return }
    if old.rules < own.rules, toldChanges.insert("rules \(own.rules)").inserted {
      log.info(
        "the group upgrades to rules \(.text, "\(own.rules)") of the engine: releases that do not know them can no longer run it"
      )
    }
    if old.mapping != own.mapping, !RecordMap.differInSchemas(old.mapping ?? "", own.mapping ?? ""),
      toldChanges.insert("map \(old.mapping ?? "")").inserted
    {
      let (before, now) = (old.mapWords, own.mapWords)
      log.warning(
        """
        the group ran \(.text, before) until now, and this instance runs \(.map, before == now ? "with another one of that name" : now). If that \
        is not intended, correct --map
        """)
    }
    let changes = own.changes(from: old).joined(separator: ", ")
    if !changes.isEmpty, toldChanges.insert(changes).inserted { log.info("settings changed: \(.text, changes)") }
    if old.namesInput, !own.namesInput, toldChanges.insert("no input").inserted {
      log.warning(
        """
        the group's instructions named their input until now, and those of this instance do not: if other inputs share the output, their \
        viewers see these banners too, and verify cannot tell them apart. Give --name-input, or --input with all inputs
        """)
    }
  }

  /// Adds the schemas that the last owner had, so that none is ever lost.
  func learn(from derivation: Derivation?) {
    guard let mapping = derivation?.mapping, configuration.map?.readsSchemasByID == true, mapping != learned
    else { return }
    learned = mapping
    do throws(MapFaults) {
      try learn(RecordMap.schemas(of: mapping))
    } catch {
      log.warning("the schemas of the last owner's map cannot be taken over: \(.reason, error.faults[0].description)")
    }
  }

  /// Moves a partition forward in the input, as an operator requested. Skipped records are as lost as deleted ones, and the same
  /// rules hold: all rooms begin a new epoch, and the takeover entry records how many were skipped.
  func seek(_ partition: Partition, to target: Int64, _ reset: JournalEntry.Reset?) -> JournalEntry.Reset? {
    let from = partition.offset
    let isNew = partition.n == 0
    guard isNew || target > from else { return reset }
    partition.stand(at: partition.n, clock: partition.clock, offset: target, last: nil, shifted: partition.shifted)
    counts.movedBySeek += 1
    if isNew {
      log.info("new: partition \(.partition, partition.number) begins at offset \(.offset, target), as requested by seek")
      return reset
    }
    let skipped = target - from
    log.warning(
      """
      RESET: partition \(.partition, partition.number) skips \(.count, skipped) offsets, up to \(.offset, target), \
      as requested by seek; all its rooms begin a new epoch
      """)
    return JournalEntry.Reset(
      reason: "an operator skipped offsets \(from) to \(target - 1)", offsetsLost: skipped + (reset?.offsetsLost ?? 0))
  }

  /// Returns by how much the time of a restored partition moves at its takeover; nil if it cannot be taken over now, which is
  /// logged.
  func shift(of restored: RestoredPartition) -> Int64? {
    let partition = restored.partition
    let ahead = partition.clock - edges.time.wallMs()
    if partition.n == 0 { return 0 }
    if configuration.purpose == .bringClocksBack, ahead > Self.broughtBackMs { return -ahead }
    if let max = edges.clockTrial?.aheadMaxMs, ahead > max {
      log.error(
        """
        the time of partition \(.partition, partition.number) is \(.ms, ahead) ms ahead of this machine's clock, and the output accepts no more \
        than \(.limit, max) ms: the partition waits. To bring its time back, stop all instances of the group and run combo-consumer reset-clock \
        with the options of run: its rooms begin a new epoch
        """)
      return nil
    }
    return Swift.max(0, -ahead)
  }

  /// The largest lead that is left as it is.
  package static let broughtBackMs: Int64 = 5000
}
