/// The names of a group's topics.
package struct TopicNames: Equatable, Sendable {
  package var input: String
  package var output: String
  package var journal: String
  package var state: String
  package var deadLetter: String
  /// A compacted topic with each room's newest screen; nil: none.
  package var screens: String?

  package init(input: String, output: String, journal: String, state: String, deadLetter: String, screens: String? = nil) {
    self.screens = screens
    self.input = input
    self.output = output
    self.journal = journal
    self.state = state
    self.deadLetter = deadLetter
  }

  package subscript(topic: Topic) -> String {
    switch topic {
    case .input: input
    case .output: output
    case .journal: journal
    case .state: state
    case .deadLetter: deadLetter
    }
  }
}
