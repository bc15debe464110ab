import ComboEdge
import Testing

@testable import ComboService

@Suite("Requests for schemas")
struct SchemaRequestTests {
  private var requests = SchemaRequests()

  init() { requests.need("7", at: 0) }

  @Test("are made once at a time, and again after longer and longer while there is no answer")
  mutating func backOff() {
    #expect(requests.takeDue(at: 0) == ["7"])
    #expect(requests.takeDue(at: 60_000) == [])
    var now: Int64 = 0
    var delays: [Int64] = []
    for _ in 0..<8 {
      _ = requests.heard(.none("away"), about: "7", at: now)
      let began = now
      while requests.takeDue(at: now) == [] { now += 50 }
      delays.append(now - began)
    }
    #expect(delays == [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000])
  }

  @Test("say why there is no answer at once, when that changes, and once a minute")
  mutating func words() {
    func said(_ reason: String, _ now: Int64) -> Bool {
      requests.heard(.none(reason), about: "7", at: now) == .wait(reason, mustSay: true)
    }
    #expect(said("away", 0))
    #expect(!said("away", 59_999))
    #expect(said("away", 60_000))
    #expect(said("HTTP status 503", 60_001))
  }

  @Test("are given up when there was no such schema for ten seconds on end")
  mutating func patience() {
    #expect(requests.heard(.unknown("not known"), about: "7", at: 0) == .wait("not known", mustSay: false))
    // A registry that is just starting does not answer.
    _ = requests.heard(.none("away"), about: "7", at: 9_000)
    #expect(requests.heard(.unknown("not known"), about: "7", at: 10_000) == .wait("not known", mustSay: false))
    #expect(requests.heard(.unknown("not known"), about: "7", at: 19_999) == .wait("not known", mustSay: false))
    #expect(requests.refusal(of: "7") == nil)
    #expect(requests.heard(.unknown("not known"), about: "7", at: 20_000) == .refuse("not known"))
    #expect(requests.refusal(of: "7") == "not known")
    requests.forgetRefusals()
    #expect(requests.refusal(of: "7") == nil)
  }

  @Test("are given up at once after many were in vain: the ids are made up then")
  mutating func madeUp() {
    for id in ["1", "2", "3"] {
      requests.need(id, at: 0)
      _ = requests.heard(.unusable("no Avro"), about: id, at: 0)
    }
    #expect(requests.heard(.unknown("not known"), about: "7", at: 1) == .refuse("not known"))
    requests.need("8", at: 700_000)
    #expect(requests.heard(.unknown("not known"), about: "8", at: 700_000) == .wait("not known", mustSay: false))
  }

  @Test("are forgotten when nobody waits")
  mutating func nobody() {
    _ = requests.takeDue(at: 0)
    requests.keep(["9"])
    #expect(requests.heard(.schema("s"), about: "7", at: 1) == nil)
    #expect(requests.takeDue(at: 60_000) == [])
  }
}
