/// Writing and restoring the whole state.
extension Engine {
  /// Writes the whole state, except expired items. An engine restored from it under the same settings of the service continues
  /// exactly as this one would.
  public func write(to writer: inout some SnapshotWriter) { core.write(to: &writer) }

  /// Begins to restore an engine. Call the other `restore…` methods next, in the order of ``SnapshotWriter``, and finally
  /// ``finishRestoring()``.
  /// - Parameters:
  ///   - head: The state other than banners and memories.
  ///   - own: The room's own settings.
  ///   - settings: The service's settings.
  public init(restoring head: EngineHead, own: OwnSettings, settings: EngineSettings) throws(SnapshotFault) {
    self.init(try EngineCore(restoring: head, own: own, settings: settings))
  }

  /// Restores a gift id. Call it with the oldest first.
  public mutating func restoreID(_ id: Bytes, expiry: Int64) throws(SnapshotFault) {
    try change { (core) throws(SnapshotFault) in try unsafe core.restoreID(id, expiry: expiry) }
  }

  /// Restores a running total. Call it with the one set longest ago first.
  public mutating func restoreStreak(_ key: ComboKey, name: Bytes, total: Int, expiry: Int64) throws(SnapshotFault) {
    try change { (core) throws(SnapshotFault) in try unsafe core.restoreStreak(key, name: name, total: total, expiry: expiry) }
  }

  /// Restores the count from which a combo can continue. Call it with the combo that left first first.
  public mutating func restoreHistory(_ key: ComboKey, _ state: HistoryState) throws(SnapshotFault) {
    try change { (core) throws(SnapshotFault) in try core.restoreHistory(key, state) }
  }

  /// Restores a banner. Call it with those on screen first, lowest slot first, then with the waiting ones by ascending number.
  public mutating func restoreBanner(_ key: ComboKey, _ state: BannerState, _ display: Display) throws(SnapshotFault) {
    try change { (core) throws(SnapshotFault) in try core.restoreBanner(key, state, display) }
  }

  /// Checks what can only be checked once everything is restored. The engine is safe to use even without this call.
  public func finishRestoring() throws(SnapshotFault) { try core.finishRestoring() }
}
