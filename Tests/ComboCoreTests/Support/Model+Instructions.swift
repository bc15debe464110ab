@testable import ComboCore

extension Model {
  // MARK: - Instructions

  func milestone(_ before: Int, _ count: Int) -> Int? { settings.milestones.filter { $0 > before && $0 <= count }.max() }

  /// Emits an update if the number has grown.
  mutating func update(_ i: Int, at t: Int64) {
    let (before, banner) = (banners[i].shown, banners[i])
    if banner.total == before { return }
    banners[i].shown = banner.total
    banners[i].phase = .counting
    banners[i].deadline = t + Int64(settings.countMs)
    say(
      .update(
        banner: banner.number, slot: banner.slot, count: banner.total, added: banner.total - before,
        milestone: milestone(before, banner.total)), at: t)
  }

  mutating func dismiss(_ i: Int, _ reason: DismissReason, at t: Int64) {
    banners[i].phase = .leaving
    banners[i].isSealed = false
    banners[i].deadline = t + Int64(settings.exitMs)
    say(.dismiss(banner: banners[i].number, slot: banners[i].slot, count: banners[i].total, reason: reason), at: t)
  }

  mutating func saySkip(_ i: Int, _ reason: SkipReason, at t: Int64) {
    let banner = banners[i]
    say(.skip(banner: banner.number, count: banner.total - banner.base, reason: reason, display: banner.display), at: t)
    if settings.finals {
      say(
        .final(
          banner: banner.number, count: banner.total, reason: FinalReason(rawValue: reason.rawValue)!, display: banner.display),
        at: t)
    }
  }

  /// Adds a banner that overflows to the sum of skips.
  mutating func addToSum(_ i: Int, at now: Int64) {
    if sum == nil { sum = (Skipped(), now + Int64(settings.skipMs)) }
    sum!.skipped.add(banners[i])
    fates.skipped(banners[i].number, .overflow, at: now)
    if settings.finals, banners[i].base > 0 {
      say(.final(banner: banners[i].number, count: banners[i].total, reason: .overflow, display: banners[i].display), at: now)
    }
  }

  mutating func saySum(at t: Int64) {
    guard let skipped = sum?.skipped else { return }
    sum = nil
    say(.skipSum(banners: skipped.banners, count: skipped.count, value: skipped.value, reason: .overflow), at: t)
  }

  /// Skips all waiting banners together, when the room is closed.
  mutating func skipTogether(at now: Int64) {
    let waiting = queue.map { banners[$0] }
    if waiting.isEmpty { return }
    var skipped = Skipped()
    for banner in waiting {
      skipped.add(banner)
      fates.skipped(banner.number, .closed, at: now)
    }
    say(.skipSum(banners: skipped.banners, count: skipped.count, value: skipped.value, reason: .closed), at: now)
    banners.removeAll { $0.phase == .queued }
    for banner in waiting where settings.finals && banner.base > 0 {
      say(.final(banner: banner.number, count: banner.total, reason: .closed, display: banner.display), at: now)
    }
  }

  mutating func sayFinal(_ past: Past, at t: Int64) {
    say(.final(banner: past.number, count: past.total, reason: .over, display: past.display), at: t)
  }

  mutating func sayScreen(at t: Int64) {
    let shown = screen.filter { banners[$0].isStaying }.map {
      Said.Shown(
        banner: banners[$0].number, slot: banners[$0].slot, count: banners[$0].shown, base: banners[$0].base,
        display: banners[$0].display)
    }
    say(.screen(shown), at: t)
  }

  mutating func say(_ operation: Said.Operation, at t: Int64) {
    seq += 1
    said.append(Said(epoch: epoch, seq: seq, at: t, operation: operation))
    fates.said(operation, at: t)
  }
}
