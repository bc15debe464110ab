internal import ComboSystem

/// Combines the values of the command line, the environment and a file.
enum Configuration {
  enum Outcome {
    /// Help was requested, so options were not read.
    case help
    /// The command, which is valid only without faults; every option with its value; all faults.
    case read(Invocation, ConfigTable, faults: [String])
  }

  /// - Parameters:
  ///   - arguments: The arguments after the command.
  ///   - variable: Looks up a variable of the environment.
  ///   - host: This machine's name.
  static func read(
    _ command: Command, _ arguments: [String], environment variable: (String) -> String?, host: String
  ) -> Outcome {
    let parsed = ArgumentParser(command: command).parse(arguments)
    if parsed.wantsHelp { return .help }
    var sources = [parsed.source, OptionSource.environment(OptionTable.options(of: command), variable)]
    var faults = parsed.faults
    if let named = sources.lazy.compactMap({ $0.values["config"]?.last }).first, !named.text.isEmpty {
      switch TextFile.read(named.text, limit: ConfigFile.bytesMax) {
      case .success(let text):
        let file = ConfigFile(text, named: named.text)
        faults += file.faults
        sources.append(file.source(for: command))
      case .failure(let failure): faults.append("\(named.label): \(failure)")
      }
    }
    var reader = OptionReader(command, sources: sources, faults: faults)
    // An operand after an unknown option may be that option's value.
    for extra in parsed.operands.dropFirst(command.operand == nil ? 0 : 1) where parsed.faults.isEmpty {
      let taken = command.operand.map { "takes only one \($0)" } ?? "takes only options"
      reader.fault("\(command.rawValue) \(taken), but \(Sentence.quoted(extra)) was also given")
    }
    var workedOut: [String: String] = [:]
    let invocation: Invocation
    switch command {
    case .run:
      let options = ServiceOptions(&reader, host: host)
      workedOut["dead-letter"] = options.input.isEmpty ? nil : options.deadLetter
      workedOut["transactional-id"] = options.transactionalID
      invocation = .run(options)
    case .serve: invocation = .serve(ServeOptions(&reader))
    case .live: invocation = .live(LiveOptions(&reader))
    case .demo:
      workedOut["finals"] = "true"
      invocation = .demo(DemoOptions(&reader))
    case .replay: invocation = .replay(ReplayOptions(&reader, operands: parsed.operands))
    case .tune: invocation = .tune(TuneOptions(&reader, operands: parsed.operands))
    case .generate: invocation = .generate(GenerateOptions(&reader))
    case .verify: invocation = .verify(VerifyOptions(&reader))
    case .explain: invocation = .explain(ExplainOptions(&reader))
    case .redrive: invocation = .redrive(RedriveOptions(&reader))
    case .watch: invocation = .watch(WatchOptions(&reader, operands: parsed.operands))
    case .map: invocation = .map(MapOptions(&reader, operands: parsed.operands))
    case .seek:
      let options = SeekOptions(&reader, host: host)
      workedOut["dead-letter"] = options.service.input.isEmpty ? nil : options.service.deadLetter
      workedOut["transactional-id"] = options.service.transactionalID
      invocation = .seek(options)
    case .check, .resetClock:
      let options = ServiceOptions(&reader, host: host)
      workedOut["dead-letter"] = options.input.isEmpty ? nil : options.deadLetter
      workedOut["transactional-id"] = options.transactionalID
      invocation = command == .check ? .check(options) : .resetClock(options)
    case .config, .completions, .man: preconditionFailure("it has no options of its own")
    }
    return .read(invocation, ConfigTable(reader, workedOut: workedOut), faults: reader.faults)
  }
}
