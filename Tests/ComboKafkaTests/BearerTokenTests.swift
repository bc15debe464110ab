import ComboEdge
import ComboSystem
import Foundation
import Testing

@testable import ComboKafka

@Suite("Bearer tokens out of a file")
struct BearerTokenTests {
  private func token(_ payload: String) -> String {
    "e30."
      + Data(payload.utf8).base64EncodedString().replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "") + ".c2ln"
  }

  @Test("name their client and their expiry; others are passed on and requested again soon")
  func claims() throws {
    let web = token(#"{"sub":"小明?>","exp":2000.5}"#)
    #expect(
      BearerToken.parse(" \(web)\n", now: 1_000_000)
        == .success(BearerToken(text: web, principal: "小明?>", expiresAtMs: 2_000_500)))
    for opaque in [
      "secret", "a.b", "a.b.c", "e30.!!!.x", token("[]"), token("{"), token(#"{"exp":"soon"}"#), token(#"{"exp":1e99}"#),
    ] {
      #expect(
        BearerToken.parse(opaque, now: 5) == .success(BearerToken(text: opaque, principal: "bearer", expiresAtMs: 60_005)))
    }
  }

  @Test("that are none, or have expired, are refused with a sentence that does not hold them")
  func faults() throws {
    for bad in ["", " \n", "two words", "a\u{1}b", "naïve", "a\nb"] {
      guard case .failure(let failure) = BearerToken.parse(bad, now: 0) else {
        Issue.record("\(bad) was taken")
        continue
      }
      #expect(failure.description.hasPrefix("must hold a token"))
    }
    let old = token(#"{"sub":"a","exp":100}"#)
    guard case .failure(let failure) = BearerToken.parse(old, now: 160_000) else {
      Issue.record("it was taken")
      return
    }
    #expect(failure.description == "holds a token that expired 60 s ago: the program that renews it must write a new one")
    guard case .failure(let missing) = BearerToken.read("/nowhere", now: 0) else {
      Issue.record("it was read")
      return
    }
    #expect(missing.description.hasPrefix("cannot open the file of sasl.oauthbearer.config: "))
  }

  @Test("are asked for where a login by OAUTHBEARER is, and only there")
  func property() throws {
    func file(_ overrides: (String, String)...) throws -> String? {
      try KafkaProperties(
        brokers: "h:1", overrides: overrides.map { .init(key: $0.0, value: $0.1) }, log: .none
      ).tokenFile
    }
    #expect(try file() == nil)
    #expect(try file(("sasl.mechanism", "PLAIN"), ("sasl.oauthbearer.config", "x")) == nil)
    #expect(try file(("sasl.mechanisms", "oauthbearer"), ("sasl.oauthbearer.config", "token_file=/a=b")) == "/a=b")
    for config in ["", "principal=me", "token_file="] {
      let fault = #expect(throws: EdgeError.self) {
        _ = try file(("sasl.mechanism", "OAUTHBEARER"), ("sasl.oauthbearer.config", config))
      }
      #expect(fault?.message.contains("sasl.oauthbearer.config=token_file=FILE") == true)
    }
  }
}
