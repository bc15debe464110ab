internal import ComboService
internal import ComboSystem

extension Service {
  /// Takes over all partitions that the group gives it, which writes down what it was made for, and leaves the group again: what commands
  /// do that change where a group stands.
  /// - Returns: the number of those partitions; nil: it was stopped, or it failed, which it has reported.
  func takeOverAndLeave(_ stop: StopFlag) -> Int? {
    join()
    while isRunning, !hasTakenOver { turn() }
    let count = hasTakenOver ? ownedCount : 0
    let isStopped = stop.isSet
    let code = self.stop()
    // Its clients go with the process.
    _ = Unmanaged.passRetained(self)
    return code != 0 || isStopped ? nil : count
  }
}

extension ServiceOptions {
  /// Why a command that takes partitions over, and leaves, does not begin.
  func sentence(ofMembers count: Int) -> String {
    "the group \(group) has \(Counted.text(count, "members")): stop all its instances, and run the command again."
      + " An instance that was killed, or stopped with an --instance name, remains a member until its session times out (10 s)"
  }
}
