internal import ComboEdge
internal import ComboKafka
internal import ComboRooms
internal import ComboService
internal import ComboSystem

/// `reset-clock`: brings back partitions whose time is ahead of the clock.
enum ResetClockCommand {
  static func run(_ options: ServiceOptions) -> Int32 {
    let session = CommandSession(options.logLevel, options.logFormat, hiding: options.kafka.secrets)
    defer { session.log.flush() }
    do throws(EdgeError) {
      let properties = try options.kafkaProperties(log: session.log)
      guard
        let service = try Service.build(options, properties, log: session.log, stop: session.stop, purpose: .bringClocksBack)
      else { return 1 }
      let all = (try? service.edges.reader.partitions(.input).count) ?? 0
      guard let looked = service.takeOverAndLeave(session.stop) else { return 1 }
      _ = Console.tell("\(service.totals.clocksBroughtBack) of \(looked) partitions were set back to this machine's clock.\n")
      if looked < all {
        Console.say(
          "only \(looked) of \(all) partitions were checked: other instances have the rest. Stop them, and run the command again")
        return 1
      }
      return 0
    } catch {
      Console.say(error.message)
      return error.code == .badProperty ? 2 : 1
    }
  }
}
