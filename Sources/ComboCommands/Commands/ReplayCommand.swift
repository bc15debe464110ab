internal import ComboReplay
internal import ComboSystem
internal import Glibc

/// `replay`: reads events as JSON lines and writes instructions as JSON lines, in virtual time.
enum ReplayCommand {
  static func run(_ options: ReplayOptions) -> Int32 {
    guard let input = Console.input(options.file) else { return 1 }
    defer { if options.file != nil { close(input) } }

    var meter = ProgressMeter(of: nil, unit: "lines")
    var outputError: Int32 = 0
    let threads = options.threads > 0 ? options.threads : max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    let write: (UnsafeRawBufferPointer) -> Bool = { bytes in
      if Console.write(bytes, to: STDOUT_FILENO) { return true }
      outputError = errno
      return false
    }
    let report: ([String]) -> Void = { sentences in
      Console.write(sentences.map { "combo-consumer: \($0)\n" }.joined(), to: STDERR_FILENO)
    }
    let summary = ReplayPipeline(
      LineSource(descriptor: input), settings: options.settings, explains: options.explain, map: options.map,
      maxRestedRooms: options.maxRestedRooms, threads: threads, write: write, report: report, progress: { meter.update($0) }
    ).run()
    meter.end(summary.lines)
    if outputError != 0 {
      return Console.fail("cannot write to standard output: \(String(cString: strerror(outputError)))")
    }
    if let failure = summary.failure { return Console.fail("\(options.file ?? "standard input"): \(failure)") }
    if !summary.drops.isEmpty { Console.report(sentence(of: summary.drops)) }
    if summary.badLines > 0 {
      return Console.fail(
        "\(ProgressMeter.grouped(summary.badLines)) of \(Counted.text(summary.lines, "lines")) \(summary.badLines == 1 ? "was" : "were") bad and skipped"
      )
    }
    return 0
  }

  /// Describes the number of dropped records, and the reasons, the most frequent first.
  static func sentence(of drops: [String: Int]) -> String {
    let reasons = drops.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let parts = reasons.map { "\(ProgressMeter.grouped($0.value)) \"\($0.key)\"" }
    return "\(Counted.text(drops.values.reduce(0, +), "records")) dropped: \(parts.joined(separator: ", "))"
  }
}
