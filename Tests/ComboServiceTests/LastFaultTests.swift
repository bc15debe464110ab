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

@Suite("A right to write that is denied to a transaction")
struct DeniedWriteTests {
  @Test("is named until the topic was written to, and by its topic once the others were")
  func named() {
    let error = EdgeError(.notAuthorized, "no right", number: 29)
    var denied = DeniedWrite()
    denied.failed(EdgeError(.timedOut, "slow"), writingTo: [.journal])
    denied.failed(EdgeError(.notAuthorized, "no right on the group", number: 30), writingTo: [.journal])
    #expect(denied.reason == nil)
    denied.failed(error, writingTo: [.journal, .output, .state])
    #expect(denied.reason == "no right")
    denied.committed([.journal, .output])
    #expect(denied.reason == "The right Write is missing on the state topic: no right")
    denied.failed(EdgeError(.timedOut, "slow"), writingTo: [.journal])
    denied.failed(error, writingTo: [.journal, .output, .state])
    denied.committed([.journal])
    #expect(denied.topics == [.state], "\(denied)")
    // Another right.
    denied.failed(error, writingTo: [.journal, .output, .deadLetter])
    denied.committed([.journal])
    #expect(denied.reason == "The right Write is missing on the output topic or the dead-letter topic: no right")
    denied.committed([.output, .deadLetter])
    #expect(denied.reason == nil)
    // The fault itself names the topic.
    denied.failed(EdgeError(.notAuthorized, "no right on it", number: 29, topic: .state), writingTo: [.journal, .output, .state])
    denied.committed([.journal, .output])
    #expect(denied.reason == "no right on it")
    denied.committed([.journal, .state])
    #expect(denied.reason == nil)
    denied.failed(error, writingTo: [.journal])
    denied.forget()
    #expect(denied.reason == nil)
  }
}

@Suite("A right that is denied to the member")
struct DeniedRightTests {
  private let ofInput = EdgeError(.notAuthorized, "no right to read", number: 29)
  private let ofGroup = EdgeError(.notAuthorized, "no right on the group", number: 30)

  @Test("to read the input is named until the input can be read, whatever else works")
  func input() {
    var denied = DeniedRight()
    denied.failed(EdgeError(.timedOut, "slow"), at: 0)
    #expect(denied.reason == nil)
    denied.failed(ofInput, at: 1)
    denied.wasAccepted()
    denied.answered(false, at: 1_000_000)
    #expect(denied.reason == "The right Read or Describe is missing on the input: no right to read")
    denied.answered(true, at: 1_000_001)
    #expect(denied.reason == nil)
  }

  @Test("on the group is named until the group accepts the member, or it was not denied for a while")
  func group() {
    var denied = DeniedRight()
    denied.failed(ofGroup, at: 0)
    denied.answered(true, at: DeniedRight.keptMs - 1)
    #expect(denied.reason == "no right on the group")
    denied.answered(true, at: DeniedRight.keptMs)
    #expect(denied.reason == nil)
    denied.failed(ofGroup, at: 0)
    denied.wasAccepted()
    #expect(denied.reason == nil)
  }
}
