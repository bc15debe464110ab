/// Restores the rhythm of instructions.
///
/// They arrive in batches, as the service commits; drawn immediately, a banner would count before it has slid in. Each is
/// therefore held until its delay, relative to its `at`, equals the largest delay of the last 5 to 10 s, but at most ``paceMs``
/// more than the smallest one of that time. Later instructions are due at once. Only time differences matter: the clocks of
/// service and viewer need not agree.
///
/// It has no timer: call ``due(at:)`` at ``nextDue``. Times are the viewer's own, in milliseconds, and must not decrease.
public struct Pacer<Element> {
  /// The delays of instructions in a period of time.
  private struct Stretch {
    let began: Int64
    var least: Int64
    var most: Int64
  }

  private static var stretchMs: Int64 { 5000 }
  /// The maximum number held if the caller does not request those that are due.
  private static var heldMax: Int { 1000 }

  /// The maximum wait, in milliseconds; with 0, everything is due at once.
  public let paceMs: Int
  private var held: [(due: Int64, element: Element)] = []
  private var present: Stretch?
  private var last: Stretch?

  /// Creates an empty pacer.
  public init(paceMs: Int = 500) {
    self.paceMs = max(0, paceMs)
  }

  /// The number of held instructions.
  public var count: Int { held.count }

  /// The time at which the first one is due, or nil if none is held.
  public var nextDue: Int64? {
    held.count > Self.heldMax ? .min : held.first?.due
  }

  /// Adds an instruction. Call it in the order of arrival.
  ///
  /// - Parameters:
  ///   - element: The instruction or any other value.
  ///   - at: Its own time, or nil if it has none, which makes it due at once.
  ///   - now: The viewer's time.
  public mutating func hold(_ element: Element, at: Int64?, now: Int64) {
    held.append((at.map { $0 + delay(late: now - $0, now: now) } ?? now, element))
  }

  /// Removes and returns those that are due, in order. One that is due waits for those before it.
  public mutating func due(at now: Int64) -> [Element] {
    if held.count > Self.heldMax { return flush() }
    let count = held.firstIndex { $0.due > now } ?? held.count
    defer { held.removeFirst(count) }
    return held[..<count].map(\.element)
  }

  /// Removes and returns everything: before a `clear` and before a joined screen, which are not steps in time but a new state.
  public mutating func flush() -> [Element] {
    defer { held.removeAll(keepingCapacity: true) }
    return held.map(\.element)
  }

  /// Removes and returns everything, and forgets the delays: another connection may have another clock.
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
