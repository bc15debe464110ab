internal import ComboCommands

/// The program.
@main
enum ComboConsumer {
  static func main() { Program.main() }
}
