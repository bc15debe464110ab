import ComboCore
import Testing

@testable import ComboWire

/// Gifts that are followed until their banner has left the screen.
@Suite("A trail of gifts that follows banners")
struct GiftTrailTests {
  private func engine() -> Engine {
    var settings = Settings()
    settings.holdMs = 0
    settings.lingerMs = 10_000
    settings.screenMs = 0
    return Engine(at: 0, settings: EngineSettings(settings))
  }

  private func give(_ trail: GiftTrail, _ engine: inout Engine, at now: Int64) {
    let none = Bytes(start: nil, count: 0)
    Array("u".utf8).withUnsafeBytes { sender in
      Array("g".utf8).withUnsafeBytes { gift in
        Array(#"{"id":"u"}"#.utf8).withUnsafeBytes { display in
          trail.process(
            Gift(
              id: none, senderID: sender, receiverID: none, giftID: gift,
              display: Display(sender: display, receiver: none, gift: display), value: 1, amount: .count(1)), at: now, by: &engine
          )
        }
      }
    }
  }

  private func retract(_ trail: GiftTrail, _ engine: inout Engine, at now: Int64) {
    var sink = trail.sink
    let none = Bytes(start: nil, count: 0)
    Array("u".utf8).withUnsafeBytes {
      engine.retract(Retraction(senderID: $0, receiverID: none, giftID: none), at: now, to: &sink)
    }
  }

  @Test("hands a gift out once its banner has left, with the time at which that was retracted")
  func retracted() {
    let trail = GiftTrail(followsBanners: true)
    var engine = engine()
    give(trail, &engine, at: 0)
    give(trail, &engine, at: 1000)
    var fates: [GiftFate] = []
    trail.removeComplete { fates.append($0) }
    #expect(fates.isEmpty && !trail.isEmpty)
    retract(trail, &engine, at: 2000)
    trail.removeComplete { fates.append($0) }
    #expect(fates.map(\.retractedAt) == [2000, 2000] && trail.isEmpty && !trail.hasLostRetractions)
    let plain = GiftTrail()
    var other = self.engine()
    give(plain, &other, at: 0)
    var count = 0
    plain.removeComplete { _ in count += 1 }
    #expect(count == 1 && plain.isEmpty)
  }

  @Test("keeps no more gifts than its limit for a banner that does not leave, and reports that it lost a retraction")
  func bounded() {
    let trail = GiftTrail(followsBanners: true)
    var engine = engine()
    let all = 2 * GiftTrail.onScreenMax + 10
    var (count, held) = (0, 0)
    for number in 0..<all {
      give(trail, &engine, at: Int64(number) * 300)
      if number % 1000 == 0 {
        trail.removeComplete { _ in count += 1 }
        held = max(held, number + 1 - count)
      }
    }
    #expect(held <= GiftTrail.onScreenMax && count >= all - GiftTrail.onScreenMax, "\(held) held, \(count) of \(all) handed out")
    #expect(!trail.hasLostRetractions)
    retract(trail, &engine, at: Int64(all) * 300)
    trail.removeComplete { _ in count += 1 }
    #expect(count == all && trail.isEmpty && trail.hasLostRetractions)
  }
}
