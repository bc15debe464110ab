internal import ComboSystem
internal import Glibc

/// The program, from its arguments to its exit code.
package enum Program {
  /// Runs the command line, and ends the process.
  package static func main() -> Never {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let invocation = Invocation.parse(arguments, environment: Console.variable, host: Console.hostName)
    if invocation.warnsOfVariables { RunNotes.warnOfVariables() }
    let code = perform(invocation)
    // A result that could not be printed is a failure. Commands that print only progress may continue.
    if code == 0, Console.hasLostOutput, invocation.answers {
      end(Console.fail("cannot write to standard output: the disk is full, or the reader has gone away"))
    }
    end(code)
  }

  /// Ends the process. Unlike `exit`, this does not destroy static objects, which detached threads, such as a journal read that a
  /// stop has cancelled, may still use.
  private static func end(_ code: Int32) -> Never {
    LineWriter.standardOutput.drain()
    LineWriter.standardError.drain()
    fflush(nil)
    _exit(code)
  }

  /// Reads the options again.
  /// - Parameter input: The one of several inputs for which they are read, or nil for all.
  @Sendable
  private static func read(_ command: Command, input: String?) -> Configuration.Outcome {
    Configuration.read(
      command, Array(CommandLine.arguments.dropFirst(2)), environment: Console.variable, host: Console.hostName, input: input)
  }

  /// Performs a command for each of several inputs, one after the other.
  /// - Returns: The largest exit code.
  private static func each(_ inputs: [String], of command: Command) -> Int32 {
    var code: Int32 = 0
    var failed: [String] = []
    var isText = true
    for input in inputs {
      guard case .read(let invocation, _, let faults) = read(command, input: input) else { continue }
      var own: Int32 = 0
      switch invocation {
      case .verify(let options):
        _ = Console.print("input \(input)\n")
        own = VerifyCommand.run(options, isOneOfSeveral: true)
      case .check(let options):
        isText = options.topicFormat == nil
        if isText { _ = Console.print("input \(input)\n") }
        // Options that all inputs have in common were checked before.
        if faults.isEmpty {
          own = CheckCommand.run(options)
        } else if isText {
          own = CheckCommand.refuse(faults, options.inputSettings?.folder)
        } else {
          own = Console.refuse(faults, hint: "combo-consumer check --help")
        }
      default: preconditionFailure("\(command.rawValue) has one input")
      }
      if own != 0 { failed.append(input) }
      code = max(code, own)
    }
    if isText, inputs.count > 1 {
      let names = failed.isEmpty ? "" : ": \(failed.joined(separator: ", "))"
      _ = Console.print("\(failed.isEmpty ? "none" : "\(failed.count)") of the \(inputs.count) inputs failed\(names)\n")
    }
    return code
  }

  private static func perform(_ invocation: Invocation) -> Int32 {
    switch invocation {
    case .run(let options):
      RunCommand.run(options) { read(.run, input: $0) }
    case .serve(let options): ServeCommand.run(options)
    case .live(let options): LiveCommand.run(options)
    case .demo(let options): DemoCommand.run(options)
    case .replay(let options): ReplayCommand.run(options)
    case .tune(let options): TuneCommand.run(options)
    case .generate(let options): GenerateCommand.run(options)
    case .verify(let options):
      options.source.inputs.count > 1 ? each(options.source.inputs, of: .verify) : VerifyCommand.run(options)
    case .explain(let options): ExplainCommand.run(options)
    case .redrive(let options): RedriveCommand.run(options)
    case .watch(let options): WatchCommand.run(options)
    case .check(let options):
      options.inputs.isSingle ? CheckCommand.run(options) : CheckCommand.inputs(options).map { each($0, of: .check) } ?? 1
    case .seek(let options): SeekCommand.run(options)
    case .resetClock(let options): ResetClockCommand.run(options)
    case .map(let options): MapCommand.run(options)
    case .print(let text): Console.print(text)
    case .show(let text, let faults, let hint):
      faults.isEmpty ? Console.print(text) : (Console.print(text), Console.refuse(faults, hint: hint)).1
    case .refuse(let sentences, let hint): Console.refuse(sentences, hint: hint)
    }
  }
}
