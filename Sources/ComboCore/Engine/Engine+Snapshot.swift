/// The whole state, out and in again.
extension Engine {
  /// Returns the whole state. An engine restored from it, under the same settings of the service, continues exactly as this
  /// one would. Expired items are left out.
  public func write(to writer: inout some SnapshotWriter) { core.write(to: &writer) }

  /// An engine whose state is being handed in: first this, then the other `restore…` calls, in the order of
  /// ``SnapshotWriter``, and at last ``finishRestoring()``.
  /// - Parameters:
  ///   - head: the state other than banners and memories.
  ///   - own: the room's own settings.
  ///   - settings: the service's.
  public init(restoring head: EngineHead, own: OwnSettings, settings: EngineSettings) throws(SnapshotFault) {
    self.init(try EngineCore(restoring: head, own: own, settings: settings))
  }

  /// A gift id; the oldest first.
  public mutating func restoreID(_ id: Bytes, expiry: Int64) throws(SnapshotFault) {
    try change { (core) throws(SnapshotFault) in try core.restoreID(id, expiry: expiry) }
  }

  /// A running total; the one set longest ago first.
  public mutating func restoreStreak(_ key: ComboKey, name: Bytes, total: Int, expiry: Int64) throws(SnapshotFault) {
    try change { (core) throws(SnapshotFault) in try core.restoreStreak(key, name: name, total: total, expiry: expiry) }
  }

  /// The counts from which combos can continue; the one that was gone first comes first.
  public mutating func restoreHistory(_ key: ComboKey, _ state: HistoryState) throws(SnapshotFault) {
    try change { (core) throws(SnapshotFault) in try core.restoreHistory(key, state) }
  }

  /// A banner: first those on screen, lowest slot first, then those that wait, in the order of their numbers.
  public mutating func restoreBanner(_ key: ComboKey, _ state: BannerState, _ display: Display) throws(SnapshotFault) {
    try change { (core) throws(SnapshotFault) in try core.restoreBanner(key, state, display) }
  }

  /// Looks at what can only be seen once all has been handed in. Without this call the engine is safe to use all the same.
  public func finishRestoring() throws(SnapshotFault) { try core.finishRestoring() }
}
