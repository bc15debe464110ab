/// Gives instructions their rhythm back.
///
/// They come in batches, as the service commits; drawn as they come, a banner would count before it has slid in. So each is held
/// until it is as late, counted from its `at`, as the latest one of the last 5 to 10 s was, but never longer than ``paceMs``
/// beyond the least delay of that time. Later instructions are due at once. Only differences of times count: the service's
/// clock and the viewer's need not agree.
///
/// It has no timer: ask ``nextDue`` when to call ``due(at:)``. Times are the viewer's own, in milliseconds, and must not run
/// back.
public struct Pacer<Element> {
  /// How late instructions came, in a stretch of time.
  private struct Stretch {
    let began: Int64
    var least: Int64
    var most: Int64
  }

  private static var stretchMs: Int64 { 5000 }
  /// At most this many are held if the caller does not ask for due ones.
  private static var heldMax: Int { 1000 }

  /// The maximum wait, in milliseconds; 0: everything is due as it comes.
  public let paceMs: Int
  private var held: [(due: Int64, element: Element)] = []
  private var present: Stretch?
  private var last: Stretch?

  /// Nothing is held.
  public init(paceMs: Int = 500) {
    self.paceMs = max(0, paceMs)
  }

  /// The number of held instructions.
  public var count: Int { held.count }

  /// When the first one is due; nil if none is held.
  public var nextDue: Int64? {
    held.count > Self.heldMax ? .min : held.first?.due
  }

  /// Takes one in, in the order in which they came.
  ///
  /// - Parameters:
  ///   - element: an instruction, say.
  ///   - at: its own time; nil if it has none, which makes it due at once.
  ///   - now: the viewer's time.
  public mutating func hold(_ element: Element, at: Int64?, now: Int64) {
    held.append((at.map { $0 + delay(late: now - $0, now: now) } ?? now, element))
  }

  /// Takes out those that are due, in their order. One that is due waits for those before it.
  public mutating func due(at now: Int64) -> [Element] {
    if held.count > Self.heldMax { return flush() }
    let count = held.firstIndex { $0.due > now } ?? held.count
    defer { held.removeFirst(count) }
    return held[..<count].map(\.element)
  }

  /// Takes out everything: before a `clear` and before a joined screen, which are no steps in time but how things are.
  public mutating func flush() -> [Element] {
    defer { held.removeAll(keepingCapacity: true) }
    return held.map(\.element)
  }

  /// Takes out everything and forgets how late instructions came: another connection may lead to another clock.
  public mutating func reset() -> [Element] {
    present = nil
    return flush()
  }

  private mutating func delay(late: Int64, now: Int64) -> Int64 {
    if present.map({ now - $0.began > Self.stretchMs }) ?? true {
      last = present
      present = Stretch(began: now, least: late, most: late)
    }
    present!.least = min(present!.least, late)
    present!.most = max(present!.most, late)
    let least = min(present!.least, last?.least ?? .max)
    return min(max(present!.most, last?.most ?? .min), least + Int64(paceMs))
  }
}

extension Pacer: Sendable where Element: Sendable {}
