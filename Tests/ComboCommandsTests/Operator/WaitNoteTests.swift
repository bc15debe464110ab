import Testing

@testable import ComboCommands

@Suite("The note of a wait")
struct WaitNoteTests {
  @Test("is logged at once for another reason, then once a minute")
  func times() {
    var note = WaitNote()
    #expect(note.isDue("a", at: 5) && !note.isDue("a", at: 60_004) && note.isDue("a", at: 60_005) && !note.isDue("a", at: 60_006))
    #expect(note.isDue("b", at: 60_007) && note.isDue("a", at: 60_008))
  }
}
