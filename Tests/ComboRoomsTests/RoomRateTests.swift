import Testing

@testable import ComboRooms

@Suite("A room's rate")
struct RoomRateTests {
  @Test("is that of about the last ten seconds: all of the present period, and the rest of the one before")
  func rate() {
    var rate = RoomRate()
    func perSecond(at seconds: Int64) -> Double { rate.perSecond(at: seconds * 1000) }
    #expect(rate.gifts == 0 && perSecond(at: 0) == 0)
    rate.count(4, in: RoomRate.period(at: 0))
    rate.count(6, in: RoomRate.period(at: 9999))
    #expect(perSecond(at: 0) == 1 && perSecond(at: 9) == 1)
    rate.count(20, in: RoomRate.period(at: 10_000))
    #expect([10, 15, 20, 25, 30].map(perSecond) == [3, 2.5, 2, 1, 0])
    // There were no gifts in the period before.
    rate.count(5, in: RoomRate.period(at: 30_000))
    #expect(perSecond(at: 30) == 0.5)
  }
}
