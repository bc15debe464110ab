@testable import ComboCore

/// A snapshot that owns its bytes, and that tests can change.
struct Snapshot: SnapshotWriter, Equatable {
  struct Entry: Equatable {
    var key: Key
    var name = ""
    var total: Int
    var expiry: Int64
  }
  struct Past: Equatable {
    var key: Key
    var total: Int
    var expiry: Int64
    /// The number of its final's banner, if there will be a final.
    var number: Int?
    var display: OwnedDisplay?
  }
  struct ID: Equatable {
    var id: String
    var expiry: Int64
  }
  struct Banner: Equatable {
    var key: Key
    var state: BannerState
    var display: OwnedDisplay
  }

  var head = EngineHead(epoch: 0, seq: 0, banners: 0, time: 0, idleSince: 0, screenDeadline: nil)
  var own = OwnSettings()
  var ids: [ID] = []
  var streaks: [Entry] = []
  var history: [Past] = []
  var banners: [Banner] = []

  init(_ engine: Engine) { engine.write(to: &self) }

  mutating func head(_ head: EngineHead, own: OwnSettings) {
    self.head = head
    self.own = own
  }

  mutating func id(_ id: Bytes, expiry: Int64) { ids.append(ID(id: String(decoding: id, as: UTF8.self), expiry: expiry)) }

  mutating func streak(_ key: ComboKey, name: Bytes, total: Int, expiry: Int64) {
    streaks.append(Entry(key: Key(key), name: String(decoding: name, as: UTF8.self), total: total, expiry: expiry))
  }

  mutating func history(_ key: ComboKey, _ state: HistoryState) {
    history.append(
      Past(
        key: Key(key), total: state.total, expiry: state.expiry, number: state.final?.banner,
        display: state.final.map { OwnedDisplay($0.display) }))
  }

  mutating func banner(_ key: ComboKey, _ state: BannerState, _ display: Display) {
    banners.append(Banner(key: Key(key), state: state, display: OwnedDisplay(display)))
  }

  /// Returns the restored engine.
  func restored(_ settings: EngineSettings) throws -> Engine {
    var engine = try Engine(restoring: head, own: own, settings: settings)
    for id in ids { try lend([id.id]) { try engine.restoreID($0[0], expiry: id.expiry) } }
    for streak in streaks {
      try lend(streak.key.parts + [streak.name]) {
        try engine.restoreStreak(ComboKey($0), name: $0[4], total: streak.total, expiry: streak.expiry)
      }
    }
    for entry in history {
      let display = entry.display ?? OwnedDisplay(sender: "", receiver: "", gift: "")
      try lend(entry.key.parts + [display.sender, display.receiver, display.gift]) { parts in
        let final = entry.number.map {
          (banner: $0, display: Display(sender: parts[4], receiver: parts[5], gift: parts[6]))
        }
        try engine.restoreHistory(ComboKey(parts), HistoryState(total: entry.total, expiry: entry.expiry, final: final))
      }
    }
    for banner in banners {
      try lend(banner.key.parts + [banner.display.sender, banner.display.receiver, banner.display.gift]) {
        try engine.restoreBanner(
          ComboKey($0), banner.state, Display(sender: $0[4], receiver: $0[5], gift: $0[6]))
      }
    }
    try engine.finishRestoring()
    return engine
  }

  private func lend(_ parts: [String], _ body: ([Bytes]) throws -> Void) throws {
    try parts.borrowed { bytes in Result { try body(bytes) } }.get()
  }
}

extension Key {
  var parts: [String] { [sender, receiver, gift, combo] }

  init(_ key: ComboKey) {
    self.init(
      sender: String(decoding: key.senderID, as: UTF8.self), receiver: String(decoding: key.receiverID, as: UTF8.self),
      gift: String(decoding: key.giftID, as: UTF8.self), combo: String(decoding: key.combo, as: UTF8.self))
  }
}

extension ComboKey {
  init(_ parts: [Bytes]) { self.init(senderID: parts[0], receiverID: parts[1], giftID: parts[2], combo: parts[3]) }
}
