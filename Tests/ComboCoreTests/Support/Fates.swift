@testable import ComboCore

/// The fates of a room's gifts, as the ``Model`` finds them.
struct Fates {
  struct Fate {
    var epoch: Int64
    var at: Int64
    var gift: OwnedGift
    var n = 0
    var became = ""
    var banner: Int?
    var base = 0
    var seenAt: Int64?
    var seenBy = ""
    var seenIn: Int?
    var skippedAt: Int64?
    var skipped = ""
  }

  var all: [Fate] = []
  /// The indices of each banner's gifts that have not been seen.
  private var unseen: [Int: [Int]] = [:]

  mutating func begin(_ gift: OwnedGift, epoch: Int64, at: Int64) -> Int {
    all.append(Fate(epoch: epoch, at: at, gift: gift))
    return all.count - 1
  }

  mutating func joined(_ fate: Int, _ banner: Int, _ n: Int, _ became: String) {
    all[fate].n = n
    all[fate].became = became
    all[fate].banner = banner
    unseen[banner, default: []].append(fate)
  }

  mutating func merged(_ banner: Int, into other: Int) {
    unseen[other, default: []] += unseen.removeValue(forKey: banner) ?? []
  }

  mutating func said(_ operation: Said.Operation, at: Int64) {
    switch operation {
    case .show(let banner, _, _, _, _): seen(banner, "show", at)
    case .update(let banner, _, _, _, _): seen(banner, "update", at)
    case .dismiss(let banner, _, _, _): seen(banner, "dismiss", at)
    case .skip(let banner, _, let reason, _): skipped(banner, reason, at: at)
    case .moveUp, .skipSum, .final, .screen: break
    }
  }

  mutating func skipped(_ banner: Int, _ reason: SkipReason, at: Int64) {
    for fate in unseen.removeValue(forKey: banner) ?? [] {
      all[fate].skippedAt = at
      all[fate].skipped = reason.rawValue
    }
  }

  private mutating func seen(_ banner: Int, _ by: String, _ at: Int64) {
    for fate in unseen.removeValue(forKey: banner) ?? [] {
      all[fate].seenAt = at
      all[fate].seenBy = by
      if all[fate].banner != banner { all[fate].seenIn = banner }
    }
  }
}

extension Fates.Fate {
  /// Returns the fate as an object whose values are texts.
  func object(room: String) -> [String: String] {
    var object = [
      "room": room, "epoch": "\(epoch)", "at": "\(at)", "sender": gift.key.sender, "gift": gift.key.gift, "n": "\(n)",
      "became": became,
    ]
    if !gift.id.isEmpty { object["id"] = gift.id }
    if !gift.key.receiver.isEmpty { object["receiver"] = gift.key.receiver }
    if !gift.key.combo.isEmpty { object["combo"] = gift.key.combo }
    if let banner { object["banner"] = "\(banner)" }
    if base > 0 { object["base"] = "\(base)" }
    if let seenAt {
      object["seen_at"] = "\(seenAt)"
      object["seen_by"] = seenBy
      object["wait_ms"] = "\(seenAt - at)"
    }
    if let seenIn { object["seen_in"] = "\(seenIn)" }
    if let skippedAt {
      object["skipped_at"] = "\(skippedAt)"
      object["skipped"] = skipped
    }
    return object
  }
}
