internal import ComboSystem
internal import Dispatch
internal import Synchronization

/// Runs tasks on all cores, and returns their results in order. Throws the first error, by number.
/// - Parameter stopsAtError: Whether no task begins any more once one has failed.
func inParallel<R>(_ count: Int, stopsAtError: Bool = false, _ body: (Int) throws -> R) throws -> [R] {
  // The body is only read; each result is created by one thread, and used by this one at the end.
  let results = Mutex(UnsafeTransfer<[Result<R, any Error>?]>(Array(repeating: nil, count: count)))
  let hasFailed = Atomic(false)
  withoutActuallyEscaping(body) { body in
    let body = UnsafeTransfer(body)
    DispatchQueue.concurrentPerform(iterations: count) { i in
      if stopsAtError, hasFailed.load(ordering: .relaxed) { return }
      let result = UnsafeTransfer(Result { try body.value(i) })
      if case .failure = result.value { hasFailed.store(true, ordering: .relaxed) }
      results.withLock { $0.value[i] = result.value }
    }
  }
  let all = results.withLock { UnsafeTransfer($0.value) }.value
  for case .failure(let error)? in all { throw error }
  return try all.map { try $0!.get() }
}
