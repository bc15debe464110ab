internal import Glibc

/// The program.
@main
enum ComboConsumer {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let invocation = Invocation.parse(arguments, environment: Console.variable, host: Console.hostName)
    exit(perform(invocation))
  }

  private static func perform(_ invocation: Invocation) -> Int32 {
    switch invocation {
    case .run(let options): RunCommand.run(options)
    case .demo(let options): DemoCommand.run(options)
    case .replay(let options): ReplayCommand.run(options)
    case .generate(let options): GenerateCommand.run(options)
    case .verify(let options): VerifyCommand.run(options)
    case .tell(let text): Console.tell(text)
    case .refuse(let sentences, let hint): Console.refuse(sentences, hint: hint)
    }
  }
}
