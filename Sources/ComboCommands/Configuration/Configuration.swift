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
  ///   - input: The one of several inputs for which the options are read, or nil for all.
  static func read(
    _ command: Command, _ arguments: [String], environment variable: (String) -> String?, host: String, input: String? = nil
  ) -> Outcome {
    let parsed = ArgumentParser(command: command).parse(arguments)
    if parsed.requestsHelp { return .help }
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
    if let input, let folder = sources.lazy.compactMap({ $0.values["input-settings"]?.last }).first {
      let own = settings(of: input, in: folder.text)
      faults += own.faults
      sources.insert(own.source, at: 0)
    }
    var reader = OptionReader(command, sources: sources, input: input, faults: faults)
    // An operand after an unknown option may be that option's value.
    for extra in parsed.operands.dropFirst(command.operand == nil ? 0 : 1) where parsed.faults.isEmpty {
      let accepted = command.operand.map { "takes only one \($0)" } ?? "takes only options"
      reader.fault("\(command.rawValue) \(accepted), but \(Sentence.quoted(extra)) was also given")
    }
    var workedOut: [String: String] = [:]
    /// Works out the values that follow from the options of one input.
    func workOut(_ options: ServiceOptions) -> ServiceOptions {
      if options.inputs.isSingle || input != nil {
        workedOut["dead-letter"] = options.input.isEmpty ? nil : options.deadLetter
        workedOut["transactional-id"] = options.transactionalID
      }
      return options
    }
    let invocation: Invocation
    switch command {
    case .run: invocation = .run(workOut(ServiceOptions(&reader, host: host)))
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
      _ = workOut(options.service)
      invocation = .seek(options)
    case .check: invocation = .check(workOut(ServiceOptions(&reader, host: host)))
    case .resetClock: invocation = .resetClock(workOut(ServiceOptions(&reader, host: host)))
    case .config, .completions, .man: preconditionFailure("it has no options of its own")
    }
    return .read(invocation, ConfigTable(reader, workedOut: workedOut), faults: reader.faults)
  }

  /// The options that an input may have for itself, besides the combo settings.
  private static let ofInput: Set<String> = [
    "map", "schemas", "schema-registry", "schema-registry-auth-file", "schema-registry-ca", "framing", "from", "delivery",
    "dead-letter", "commit-interval-ms", "checkpoint-gifts", "checkpoint-interval-ms", "max-own-settings", "max-age-ms",
    "room-from-body", "room-settings",
  ]

  /// Reads an input's own file of options, if the folder has one.
  private static func settings(of input: String, in folder: String) -> (source: OptionSource, faults: [String]) {
    let path = "\(folder)/\(input).conf"
    guard let files = SchemaFolder.names(in: folder, ending: ".conf") else {
      return (OptionSource(), [InputSettings.noFolder(folder)])
    }
    if !files.contains("\(input).conf") { return (OptionSource(), []) }
    switch TextFile.read(path, limit: ConfigFile.bytesMax) {
    case .failure(let failure): return (OptionSource(), ["--input-settings: \(failure)"])
    case .success(let text):
      let file = ConfigFile(text, named: path, of: .run)
      let options = OptionTable.options(of: .run)
      let foreign = file.entries.filter { entry in
        !ofInput.contains(entry.name) && !options.contains { $0.name == entry.name && $0.section == .combo }
      }
      return (
        file.source(for: .run),
        file.faults + foreign.map { "\(path):\($0.line): \($0.name) is an option of the whole process, not of one input" }
      )
    }
  }
}
