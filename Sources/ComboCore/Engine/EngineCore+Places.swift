/// The memory that an engine is about to touch, for owners of many engines that prefetch it. Nothing changes, and a wrong guess
/// only costs time.
extension EngineCore {
  /// See ``Engine/prefetchAddresses(of:step:in:)``.
  @inline(__always)
  func addPlaces(of hashes: Gift.Hashes, step: Int, to places: inout Places) {
    if step == 0 {
      if hashes.id != 0 { ids.addPlaces(hashes.id, to: &places) }
      return combos.addPlaces(hashes.combo, to: &places)
    }
    let combo = combos.likely(hashes.combo)
    // While the queue is full, most new banners are not created: see ``isSurplus(_:)``.
    let isMade = queue.likelyLeast == nil
    if step == 1 {
      if combo >= 0 { return unsafe places.addTwo(combos.address(combo)) }
      if isMade, let next = unsafe combos.nextAddress { unsafe places.addTwo(next) }
      return
    }
    // The banner that the gift joins; with `queue_merge` `tail` it may be neither of these.
    let banner = combo < 0 ? -1 : combos[combo].active >= 0 ? combos[combo].active : combos[combo].firstWaiting
    if banner >= 0 { return banners.addPlaces(banner, to: &places) }
    if isMade { banners.addPlacesOfNext(to: &places) }
  }

  /// See ``Engine/prefetchAddresses(step:at:in:)``.
  func addPlaces(step: Int, at now: Int64, to places: inout Places) {
    let isDue = earliestDeadline <= now
    if step == 0 {
      ids.addPlaces(to: &places)
      queue.addPlaces(to: &places)
      if queue.count > 0 { unsafe places.add(banners.address(queue.last) + 64) }
      if !isDue { return }
      for i in 0..<min(screen.count, 4) { unsafe places.addTwo(banners.address(screen[i])) }
      if queue.count > 0 { unsafe places.addTwo(banners.address(queue.first)) }
      if history.first >= 0 { unsafe places.add(combos.address(history.first)) }
    } else {
      if let least = queue.likelyLeast { unsafe places.add(banners.address(least)) }
      if !isDue { return }
      for i in 0..<min(screen.count, 4) { unsafe places.add(combos.address(banners[screen[i]].combo)) }
      if queue.count > 0 { unsafe places.add(combos.address(banners[queue.first].combo)) }
    }
  }
}
