import Testing

@testable import ComboCore

@Suite("The engine compared with a plain model of the specification")
struct ModelTests {
  /// The number of streams per test case.
  static let streams = 10

  @Test("they say the same, and wake at the same times", arguments: RandomStream.groups(100))
  func sameAsModel(group: Int) {
    for seed in group * Self.streams..<(group + 1) * Self.streams {
      let stream = RandomStream(seed: seed)
      if let difference = Self.difference(stream) {
        Issue.record("seed \(seed): \(difference)")
        return
      }
    }
  }

  @Test("they say the same in a room with hundreds of combos", arguments: RandomStream.groups(6))
  func sameAsModelInCrowds(seed: Int) {
    var random = SplitMix64(seed)
    var stream = RandomStream(seed: seed, events: 0)
    stream.settings.slots = 2
    stream.settings.maxQueue = random.pick([20, 60, 200])
    var now = RandomStream.start
    for n in 0..<500 {
      now += Int64(random.below(30))
      let key = Key(sender: "u\(random.below(100))", receiver: "", gift: "g\(random.below(5))")
      let id = "e\(n - random.below(2) * random.below(80))"
      var gift = OwnedGift(id: id, key: key, tag: "~\(n)", value: random.pick([0, 1, 7]))
      if random.oneIn(3) { gift.amount = .total(1 + n / 10, streak: random.pick(["", "s"])) }
      stream.events.append((now, .gift(gift)))
      if random.oneIn(100) { stream.events.append((now, .retract(sender: key.sender, receiver: "", gift: ""))) }
      if random.oneIn(400) { stream.events.append((now, .closed)) }
      if random.oneIn(300) { stream.events.append((now, .adopt(stream.settings))) }
    }
    if let difference = Self.difference(stream) { Issue.record("seed \(seed): \(difference)") }
  }

  static func difference(_ stream: RandomStream) -> String? {
    guard let first = stream.events.first?.at else { return nil }
    var room = Room(stream.settings)
    room.engine = Engine(at: first, settings: room.settings)
    var model = Model(at: first, stream.settings)
    var compared = 0
    func compare(_ what: @autoclosure () -> String) -> String? {
      if let broken = room.broken { return "\(what()): \(broken)" }
      let new = room.sink.said[compared...]
      if new != model.said[compared...] {
        return "\(what()): \(new) is said, not \(model.said[compared...])"
      }
      compared = model.said.count
      let (deadline, expected) = (room.engine?.nextDeadline, model.nextDeadline)
      if deadline != expected { return "\(what()): next deadline \(deadline ?? -1), not \(expected ?? -1)" }
      return nil
    }
    for (n, (at, event)) in stream.events.enumerated() {
      room.apply(event, at: at)
      model.apply(event, at: at)
      if let difference = compare("event \(n), \(event) at \(at)") { return difference }
    }
    while let deadline = model.nextDeadline {
      room.apply(.advance, at: deadline)
      model.apply(.advance, at: deadline)
      if let difference = compare("advance to \(deadline)") { return difference }
    }
    let rests = model.isIdle && model.own.isEmpty ? max(model.idleSince + Int64(model.settings.rest), model.awakeUntil) : nil
    return room.engine?.restsAfter == rests ? nil : "rests after \(room.engine?.restsAfter ?? -1), not \(rests ?? -1)"
  }
}
