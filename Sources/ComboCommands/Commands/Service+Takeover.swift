internal import ComboKafka
internal import ComboService
internal import ComboSystem

extension Service {
  /// Takes over all partitions that the group assigns, and leaves the group. The takeovers record the change. Used by commands
  /// that change a group's position.
  /// - Returns: The number of these partitions, or nil if the service was stopped or failed, which it has reported.
  func takeOverAndLeave(_ stop: StopFlag) -> Int? {
    join()
    while isRunning, !hasTakenOver { turn() }
    let count = hasTakenOver ? partitions.owned.count : 0
    let isStopped = stop.isSet
    let code = self.stop()
    // Its clients end with the process.
    _ = Unmanaged.passRetained(self)
    return code != 0 || isStopped ? nil : count
  }
}

extension ServiceOptions {
  /// The reason why a command that must own all partitions does not start.
  func sentence(ofMembers count: Int, _ properties: KafkaProperties) -> String {
    "the group \(group) has \(Counted.text(count, "members")): stop all its instances, and run the command again."
      + " An instance that was killed, or stopped with an --instance name, remains a member until its session times out (\((properties.sessionTimeoutMs + 999) / 1000) s)"
  }
}
