/// A query that is repeated in the background, one at a time. Used by the loop's thread.
package struct BackgroundQuery<Answer> {
  /// The function that runs work in the background: ``BackgroundTask/run``, or that of a simulation.
  package typealias Runner = @Sendable (BackgroundTask, @escaping @Sendable () -> Void) -> Void

  private let answers = Mailbox<Answer>()
  private var isRunning = false
  /// When the newest query began, by the monotonic clock.
  private var askedAt = Int64.min / 2

  package init() {}

  /// Returns the answer to the newest query, once.
  package mutating func takeAnswer() -> Answer? {
    guard let answer = answers.takeAll().first else { return nil }
    isRunning = false
    return answer
  }

  /// Returns whether the next query is due: none is running, and the interval is over.
  package func isDue(everyMs: Int64, at now: Int64) -> Bool { !isRunning && now - askedAt >= everyMs }

  /// Makes the next query due as soon as none is running.
  package mutating func askSoon() { askedAt = .min / 2 }

  /// Begins a query.
  package mutating func ask(at now: Int64, _ inBackground: Runner, _ query: @escaping @Sendable () -> Answer) {
    askedAt = now
    isRunning = true
    inBackground(.query) { [answers] in answers.put(query()) }
  }
}
