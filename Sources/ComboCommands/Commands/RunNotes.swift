internal import ComboCore
internal import ComboKafka
internal import ComboRooms
internal import ComboSystem
internal import ComboWire
internal import Glibc

/// The log lines about its options that `run` writes at its start.
struct RunNotes {
  let options: ServiceOptions
  let log: ServiceLog

  /// - Parameter table: The options with their sources.
  func log(_ table: ConfigTable) {
    let map = table.rows.first { $0.name == "map" }?.value ?? "none"
    let inputs = (options.inputs.names + (options.inputs.pattern.map { [$0.text] } ?? [])).joined(separator: ",")
    log.info(
      """
      combo-consumer \(.version, Version.number) with librdkafka \(.librdkafka, LibrdkafkaProperties.versionText): group \(.group, options.group), \
      instance \(.instance, options.instance ?? Console.hostName), input \(.topic, inputs), map \(.map, map), \
      delivery \(.delivery, options.delivery.rawValue)
      """)
    if let choice = options.settings.idleChoice { log.warning("\(.text, choice.text). To change it: \(.reason, choice.fix)") }
    for (name, nearest) in Self.unknown(Console.variableNames) {
      log.warning("the environment has \(.text, name), which is not an option and is ignored\(.options, Self.hint(nearest))")
    }
    for file in Self.openFiles(options, table) {
      log.warning(
        "\(.file, file) holds a password or a key, and every user of this machine can read it. Restrict it with chmod 600")
    }
  }

  private static func hint(_ nearest: String?) -> String { nearest.map { ". Did you mean \($0)?" } ?? "" }

  /// Writes the warnings about variables to standard error, for commands other than `run`.
  static func warnOfVariables() {
    for (name, nearest) in unknown(Console.variableNames) {
      Console.report("warning: the environment has \(name), which is not an option and is ignored\(hint(nearest))")
    }
  }

  /// Returns variables that look like options but are none, each with the option that may have been meant.
  static func unknown(_ names: [String]) -> [(name: String, nearest: String?)] {
    let known = Command.allCases.flatMap { OptionTable.options(of: $0).map(\.variable) }
    return names.filter { $0.hasPrefix("COMBO_") && !$0.hasPrefix("COMBO_TEST_") && !known.contains($0) }.sorted()
      .map { ($0, Suggestion.nearest(to: $0, among: known)) }
  }

  /// Returns the files with secrets that every user can read.
  static func openFiles(_ options: ServiceOptions, _ table: ConfigTable) -> [String] {
    func named(_ option: String) -> [String] { table.rows.filter { $0.name == option }.compactMap(\.value) }
    var files = ConfigTable.secretFiles.flatMap(named)
    if !options.kafka.secrets.isEmpty { files += named("kafka-file") + named("config") }
    for property in options.kafka {
      switch property.key {
      case "ssl.key.location", "ssl.keystore.location", "sasl.kerberos.keytab": files.append(property.value)
      case BearerToken.property where property.value.hasPrefix("token_file="):
        files.append(String(property.value.dropFirst("token_file=".count)))
      default: break
      }
    }
    return files.filter { file in
      var status = stat()
      return !file.isEmpty && stat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_mode & S_IROTH != 0
    }
  }
}
