import Testing

@testable import ComboCommands

@Suite("Options with units")
struct OptionUnitTests {
  @Test("accept shares and durations as people write them")
  func units() {
    #expect(Option.share("5%") == 0.05)
    #expect(Option.share("0.3") == 0.3)
    #expect(Option.share("100%") == 1)
    #expect(Option.share("-1%") == nil)
    #expect(Option.share("%") == nil)
    #expect(Option.milliseconds("200ms") == 200)
    #expect(Option.milliseconds("2s") == 2000)
    #expect(Option.milliseconds("1m") == 60_000)
    #expect(Option.milliseconds("250") == 250)
    #expect(Option.milliseconds("s") == nil)
    #expect(Option.milliseconds("9999999999999999999s") == nil)
    #expect(Option.milliseconds("9223372036854775807m") == nil)
  }
}
