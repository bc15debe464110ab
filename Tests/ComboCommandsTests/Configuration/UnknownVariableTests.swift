import Testing

@testable import ComboCommands

@Suite("Variables of the environment")
struct UnknownVariableTests {
  @Test("a variable that is no option is told, with the one that was meant")
  func variables() {
    let unknown = RunNotes.unknown(["PATH", "COMBO_GROUP", "COMBO_GRUOP", "COMBO_XYZZY_PLUGH", "COMBO_TEST_KAFKA"])
    #expect(unknown.map(\.name) == ["COMBO_GRUOP", "COMBO_XYZZY_PLUGH"])
    #expect(unknown.map(\.nearest) == ["COMBO_GROUP", nil])
  }
}
