internal import ComboGenerate
internal import ComboSystem
internal import Glibc

/// `generate`: writes made-up gifts to a file or a topic.
enum GenerateCommand {
  /// The start of virtual time: 2024-11-20 12:00 UTC.
  static let start: Int64 = 1_732_104_000_000
  /// Events per second of virtual time if no rate is given.
  static let virtualRate = 100_000

  static func run(_ options: GenerateOptions) -> Int32 {
    switch options.target {
    case .file(let path):
      guard let path else { return write(options, to: STDOUT_FILENO, named: "standard output") }
      let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
      guard file >= 0 else { return Console.fail("cannot write \(path): \(String(cString: strerror(errno)))") }
      let code = write(options, to: file, named: path)
      return close(file) == 0 ? code : Console.fail("cannot write \(path): \(String(cString: strerror(errno)))")
    case .topic(let topic, let brokers, let kafka):
      return TopicGenerator(options: options, topic: topic, brokers: brokers, kafka: kafka).run()
    }
  }

  /// Returns the number of events to generate: that of --events, or of --seconds at the rate of virtual time if that is less.
  static func count(_ options: GenerateOptions) -> Int {
    let rate = options.rate == 0 ? virtualRate : options.rate
    let bySeconds = options.seconds == 0 ? Double(Int.max) : (options.seconds * Double(rate)).rounded(.up)
    let byEvents = options.events == 0 ? Int.max : options.events
    return bySeconds >= Double(byEvents) ? byEvents : Int(bySeconds)
  }

  /// The generator of a platform's records, if the options ask for one.
  static func platformGenerator(_ options: GenerateOptions, start: Int64, sends: Int, first: Int) -> PlatformGenerator? {
    guard let shape = PlatformShape.all.first(where: { $0.name == options.platform }) else { return nil }
    return PlatformGenerator(
      shape, options.mix, options.faults, start: start, rate: options.rate == 0 ? virtualRate : options.rate, sends: sends,
      first: first, keepsTruth: options.truth != nil)
  }

  /// Writes a platform's records, one per line, in the order of their arrival.
  private static func write(
    _ options: GenerateOptions, _ generator: PlatformGenerator, _ count: Int, to file: Int32, named name: String
  ) -> Int32 {
    var generator = generator
    var truth: TruthFile
    do throws(TruthFile.Failure) {
      truth = try TruthFile(options.truth)
    } catch {
      return Console.fail(error.description)
    }
    var meter = ProgressMeter(of: count == Int.max ? nil : count, unit: "sends")
    defer { meter.end(generator.sends) }
    var lines = ""
    var isDone = false
    while !isDone {
      if let record = generator.next() {
        lines += record.text
        lines += "\n"
      } else {
        isDone = true
      }
      guard lines.utf8.count >= 1 << 18 || isDone else { continue }
      guard Console.write(lines, to: file) else {
        return Console.fail("cannot write to \(name): \(String(cString: strerror(errno)))")
      }
      lines.removeAll(keepingCapacity: true)
      if let failure = truth.add(generator.takeTruth()) { return Console.fail(failure.description) }
      meter.update(generator.sends)
    }
    return 0
  }

  private static func write(_ options: GenerateOptions, to file: Int32, named name: String) -> Int32 {
    if let generator = platformGenerator(options, start: start, sends: count(options), first: 0) {
      return write(options, generator, count(options), to: file, named: name)
    }
    let generator = GiftGenerator(options.mix, prefix: "g\(options.mix.seed)-")
    let rate = Int64(options.rate == 0 ? virtualRate : options.rate)
    let count = count(options)
    let capacity = 1 << 18
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity + GiftGenerator.longest + 1)
    defer { memory.deallocate() }
    var meter = ProgressMeter(of: count == Int.max ? nil : count, unit: "events")
    var used = 0
    var number = 0
    while number < count {
      let ts = start + Int64(number) * 1000 / rate
      used += generator.make(at: ts, to: memory + used).size
      memory[used] = 0x0a
      used += 1
      number += 1
      if used >= capacity || number == count {
        guard Console.write(UnsafeRawBufferPointer(start: memory, count: used), to: file) else {
          meter.end(number)
          return Console.fail("cannot write to \(name): \(String(cString: strerror(errno)))")
        }
        used = 0
        meter.update(number)
      }
    }
    meter.end(number)
    return 0
  }
}
