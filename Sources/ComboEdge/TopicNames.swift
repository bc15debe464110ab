/// The names of a group's topics.
package struct TopicNames: Equatable, Sendable {
  package var input: String
  package var output: String
  package var journal: String
  package var state: String
  package var deadLetter: String
  /// The compacted topic with each room's newest screen, or nil if none.
  package var screens: String?

  package init(input: String, output: String, journal: String, state: String, deadLetter: String, screens: String? = nil) {
    self.screens = screens
    self.input = input
    self.output = output
    self.journal = journal
    self.state = state
    self.deadLetter = deadLetter
  }

  /// Creates the names of a group's topics on this input.
  /// - Parameter deadLetter: The dead-letter topic, or nil for the group's own.
  package init(input: String, output: String, group: String, deadLetter: String? = nil, screens: String? = nil) {
    self.init(
      input: input, output: output, journal: "\(input).\(group).combo-journal", state: "\(input).\(group).combo-state",
      deadLetter: deadLetter ?? Self.deadLetter(input: input, group: group), screens: screens)
  }

  /// Returns the name of the group's own topic of bad events.
  package static func deadLetter(input: String, group: String) -> String { "\(input).\(group).combo-dead-letter" }

  /// Whether a topic is, by its name, the journal or the state of some group.
  package static func isForRecovery(_ topic: String) -> Bool {
    topic.hasSuffix(".combo-journal") || topic.hasSuffix(".combo-state")
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
