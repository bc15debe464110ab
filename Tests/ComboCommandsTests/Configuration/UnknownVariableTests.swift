import Testing

@testable import ComboCommands

@Suite("Variables of the environment")
struct UnknownVariableTests {
  @Test("a variable that is no option is reported, with the one that was meant")
  func variables() {
    let unknown = RunNotes.unknown(["PATH", "COMBO_GROUP", "COMBO_GRUOP", "COMBO_XYZZY_PLUGH", "COMBO_TEST_KAFKA"])
    #expect(unknown.map(\.name) == ["COMBO_GRUOP", "COMBO_XYZZY_PLUGH"])
    #expect(unknown.map(\.nearest) == ["COMBO_GROUP", nil])
  }

  @Test(
    "a name of which only the end is missing, or too much, is meant before another one that looks like it",
    arguments: [("COMBO_LINGER", "COMBO_LINGER_MS"), ("COMBO_GROUPP", "COMBO_GROUP"), ("COMBO_MAX_AGE", "COMBO_MAX_AGE_MS")])
  func beginnings(name: String, meant: String) {
    #expect(RunNotes.unknown([name]).map(\.nearest) == [meant])
  }

  @Test("every command that reads the environment warns of them, also where it refuses its options")
  func commands() throws {
    let topics = ["--brokers", "b:1", "--input", "i", "--output", "o"]
    for command in ["check", "verify", "reset-clock"] {
      #expect(Invocation.parse([command] + topics).warnsOfVariables, "\(command)")
    }
    #expect(Invocation.parse(["verify"]).warnsOfVariables && Invocation.parse(["run", "--shadow"] + topics).warnsOfVariables)
    // `run` warns in its log instead.
    #expect(!Invocation.parse(["run"] + topics).warnsOfVariables && !Invocation.parse(["--version"]).warnsOfVariables)
  }
}
