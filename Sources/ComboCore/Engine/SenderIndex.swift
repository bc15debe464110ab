/// The combos of each sender, as chains of combos whose sender ids have the same hash.
final class SenderIndex {
  private struct Link: BitwiseCopyable {
    var hash: UInt32 = 0
    var previous: Int32 = -1
    var next: Int32 = -1
  }

  /// The first combo of each chain, by hash.
  private var first: [UInt32: Int32] = [:]
  private var links: [Link] = []

  func add(_ combo: Int32, _ sender: Bytes) {
    let hash = unsafe KeyHash.fold(KeyHash.hash(sender, KeyHash.seed))
    while links.count <= Int(combo) { links.append(Link()) }
    let next = first[hash] ?? -1
    links[Int(combo)] = Link(hash: hash, previous: -1, next: next)
    if next >= 0 { links[Int(next)].previous = combo }
    first[hash] = combo
  }

  func remove(_ combo: Int32) {
    let link = links[Int(combo)]
    if link.next >= 0 { links[Int(link.next)].previous = link.previous }
    if link.previous >= 0 {
      links[Int(link.previous)].next = link.next
    } else {
      first[link.hash] = link.next >= 0 ? link.next : nil
    }
  }

  /// Calls `body` with each combo of a sender, and possibly with some of other senders.
  func forEach(_ sender: Bytes, _ body: (Int32) -> Void) {
    var combo = unsafe first[KeyHash.fold(KeyHash.hash(sender, KeyHash.seed))] ?? -1
    while combo >= 0 {
      body(combo)
      combo = links[Int(combo)].next
    }
  }
}
