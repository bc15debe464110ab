package import ComboCore
internal import ComboRooms

/// The loop's view of observers: watched rooms, queries, answers. Used by the loop's thread only; rooms read only their own flag.
///
/// Without watchers, an instruction costs one check of that flag.
package final class WatchedRooms {
  /// The exchange with observers; nil if none.
  package let observatory: Observatory?
  /// The instructions of watched rooms in the open transaction.
  let captured = HeldBack()

  private struct Watched {
    /// The moment before which it had no watchers.
    let since: Int
    /// The monotonic time since which its partition has not been this member's.
    var lostAt: Int64?
    /// The moment at or after which its watchers need a screen. Until then they get nothing, because they may have missed
    /// instructions, or have them already.
    var screenDue: Int?
    /// The moment of its last news.
    var toldAt = 0
  }

  /// An answer that may have to wait for earlier instructions.
  package struct Answer {
    package let news: News
    /// The moment at which it was true.
    package let at: Int
  }

  private var rooms: [[UInt8]: Watched] = [:]
  /// The same rooms, as partitions see them.
  private let list = WatchList()
  /// The current moment. It advances with answers, news, and new partitions.
  private(set) var moment = 0
  /// Queries without an answer yet.
  var queries: [Query] = []
  /// Work that does not wait for records.
  package var surveys: [RoomSurvey] = []
  var reportedAt = Int64.min / 2
  /// The number of partitions of the input, as the brokers last reported it; nil while unknown.
  package internal(set) var partitionCount: Int?

  package init(_ observatory: Observatory?) { self.observatory = observatory }

  package func watches(_ id: Bytes) -> Bool { unsafe list.contains(id) }

  /// Returns the partition where a watched room was last seen.
  package func partition(of room: [UInt8]) -> Int32? { list.place(of: room) }

  package func watch(_ room: [UInt8], in partition: Int32?) {
    if rooms[room] == nil { rooms[room] = Watched(since: moment) }
    list.set(room, in: partition)
  }

  package func unwatch(_ room: [UInt8]) {
    rooms[room] = nil
    list.remove(room)
  }

  /// Drops queries whose caller has gone away. While a partition is restored, or commits are stalled, there would be ever more of
  /// them. As no work was done for them, no news is needed.
  func forgetLate(at now: Int64) {
    queries.removeAll { query in
      guard case .screen(_, _, _, let until) = query else { return false }
      return until <= now
    }
  }

  /// Whether the answer that a room sleeps comes too late. Where the room would wake is not known for sure, as its producer may
  /// place keys in a way of its own: it may have woken in another partition, and emitted something, before the answer. The query
  /// is then repeated, as the room is awake by now.
  private func isLate(_ answer: Answer) -> Bool {
    guard case .asleep(_, let room) = answer.news, let watched = rooms[room], watched.toldAt > answer.at else { return false }
    askAgain([answer])
    return true
  }

  /// Repeats the queries of late answers, or of a discarded transaction. They have no time limit, as the room may be watched by
  /// now, and the caller must get the answer to end that.
  func askAgain(_ answers: [Answer]) {
    for answer in answers {
      switch answer.news {
      case .screen(let id, let room, _), .asleep(let id, let room):
        queries.append(.screen(room: room, id: id, watches: rooms[room] != nil))
      case .said, .unknown, .elsewhere, .notYet, .survey, .restarted, .overrun: break
      }
    }
  }

  // MARK: - Assignment

  /// Called when a partition is read from now on. The watchers of its rooms get new screens: another instance may have had the
  /// rooms meanwhile, or it is unknown whether the last commit counted.
  func began(_ active: ActivePartition, _ quiet: borrowing Quiescence) {
    if observatory == nil { return }
    active.partition.watchList = list
    moment += 1
    for id in rooms.keys {
      let room = unsafe id.withUnsafeBytes { unsafe active.partition.table.find($0) }
      room?.watch(true, quiet)
      if room != nil { list.set(id, in: active.number) }
      if list.place(of: id) == active.number {
        rooms[id]!.screenDue = moment
        queries.append(.screen(room: id, id: 0, watches: true))
      }
    }
  }

  package func ended(_ active: ActivePartition) { active.partition.watchList = nil }

  /// Returns the rooms whose partition has not been this member's for some seconds, and stops watching them.
  func lostRooms(at now: Int64, isOwned: ([UInt8], Int32?) -> Bool) -> [[UInt8]] {
    var lostRooms: [[UInt8]] = []
    for (id, watched) in rooms {
      if isOwned(id, list.place(of: id)) {
        rooms[id]!.lostAt = nil
      } else if let since = watched.lostAt {
        if now - since >= Self.lostMs { lostRooms.append(id) }
      } else {
        rooms[id]!.lostAt = now
      }
    }
    for id in lostRooms { unwatch(id) }
    return lostRooms
  }

  /// How long a partition may be missing. A rebalance may take partitions away and give them back.
  private static let lostMs: Int64 = 10_000

  // MARK: - Sending

  package func answer(_ news: News) -> Answer {
    moment += 1
    return Answer(news: news, at: moment)
  }

  package func tell(_ answers: [Answer]) {
    let answers = answers.filter { !isLate($0) }
    if answers.isEmpty { return }
    for answer in answers {
      switch answer.news {
      case .screen(0, let room, _), .asleep(0, let room):
        guard var watched = rooms[room] else { break }
        watched.toldAt = max(watched.toldAt, answer.at)
        if let due = watched.screenDue, answer.at >= due { watched.screenDue = nil }
        rooms[room] = watched
      default: break
      }
    }
    observatory?.tell(answers.map(\.news))
  }

  /// Sends durable instructions to the watchers that have the screen before them.
  /// - Parameter at: The moment at which they were emitted, at the latest.
  package func tell(spoken: [News], at: Int) {
    if spoken.isEmpty { return }
    observatory?.tell(
      spoken.filter { news in
        guard case .said(let room, _) = news, let watched = rooms[room], at >= watched.since else { return false }
        moment += 1
        rooms[room]!.toldAt = moment
        return watched.screenDue == nil
      })
  }

  /// Sends the captured instructions, which are committed.
  /// - Parameter unwatched: Called with rooms that have no watchers any more.
  func tellCaptured(_ unwatched: (Bytes) -> Void) {
    if captured.isEmpty { return }
    var spoken: [News] = []
    unsafe captured.handOut { _, key, value, _, _ in
      guard let key = unsafe key, let value = unsafe value else { return }
      if unsafe watches(key) {
        unsafe spoken.append(.said(room: [UInt8](key), record: [UInt8](value)))
      } else {
        unsafe unwatched(key)
      }
    }
    captured.removeAll()
    tell(spoken: spoken, at: moment)
  }
}
