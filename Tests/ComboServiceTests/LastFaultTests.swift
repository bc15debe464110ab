import ComboEdge
import Testing

@testable import ComboService

@Suite("The fault that readiness names")
struct LastFaultTests {
  @Test("is a right that was denied, not what follows from that, until it has not been denied for a while")
  func denied() {
    var last = LastFault()
    last.failed(.abort("slow"), at: 0)
    #expect(last.reason == "slow")
    last.failed(.abort(EdgeError(.notAuthorized, "no right")), at: 1)
    last.failed(.fatal("wrong state"), at: 2)
    #expect(last.reason == "no right")
    last.failed(.abort(EdgeError(.notAuthorized, "no other right")), at: 5_000)
    last.failed(.abort("wrong state"), at: 5_000 + LastFault.deniedMs - 1)
    #expect(last.reason == "no other right")
    last.failed(.abort("slow"), at: 5_000 + LastFault.deniedMs)
    #expect(last.reason == "slow")
  }
}
