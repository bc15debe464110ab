internal import ComboIntake
internal import ComboKafka
internal import ComboSystem
internal import Glibc

/// Every option of a command with its value and its source. `config` prints it, and a reload compares it with the previous one.
struct ConfigTable: Equatable, Sendable {
  /// A line of the table.
  struct Row: Equatable, Sendable {
    let name: String
    /// The value in the form that the option accepts, or nil if there is none.
    let value: String?
    /// The source, such as `--slots`, `COMBO_SLOTS` or `combo.conf:4`, or else `default`, `computed` or `not set`.
    let origin: String
    let isSecret: Bool

    static let computed = "computed"
    /// Whether the value follows from others.
    var isComputed: Bool { origin == Self.computed }
  }

  let command: Command
  private(set) var rows: [Row]

  static let mask = "******"
  /// The options that name a file with nothing but a secret.
  static let secretFiles = ["http-token-file", "schema-registry-auth-file"]

  /// - Parameter workedOut: Default values that follow from others.
  init(_ reader: OptionReader, workedOut: [String: String]) {
    command = reader.command
    rows = []
    for option in OptionTable.options(of: reader.command) {
      let given = reader.values(of: option)
      if given.isEmpty {
        let computed = workedOut[option.name]
        let origin = computed != nil ? Row.computed : option.fallback == nil ? "not set" : "default"
        rows.append(Row(name: option.name, value: computed ?? option.fallback, origin: origin, isSecret: false))
      }
      for value in given {
        // A value that is not a valid property may be a password with something missing before it.
        let isProperty = if case .property = option.kind { true } else { false }
        let property = isProperty ? KafkaProperty(value.text) : nil
        let isLogin =
          option.name == "from"
          ? IntakeSource.mayHaveLogin(value.text)
          : ["brokers", "http-origin", "schema-registry"].contains(option.name) && value.text.contains("@")
        // If no file has that name, the value may be the secret itself.
        let isPasted = Self.secretFiles.contains(option.name) && access(value.text, F_OK) != 0
        let isSecret = isLogin || isPasted || isProperty && property.map { $0.isSecret || !$0.isKnown } ?? true
        rows.append(Row(name: option.name, value: value.text, origin: value.origin, isSecret: isSecret))
      }
    }
  }

  /// The table as `config` prints it.
  var text: String {
    let cells = rows.map { row in (row.name, shown(row), row.origin) }
    let nameWidth = cells.map { DisplayWidth.columns(of: $0.0) }.max() ?? 0
    // A single long value does not push all origins to the right.
    let valueWidth = min(48, cells.map { DisplayWidth.columns(of: $0.1) }.max() ?? 0)
    func padded(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: max(0, width - DisplayWidth.columns(of: text)))
    }
    return cells.map { "\(padded($0.0, nameWidth))  \(padded($0.1, valueWidth))  \($0.2)\n" }.joined()
  }

  private func shown(_ row: Row) -> String {
    guard let value = row.value else { return "-" }
    if !row.isSecret { return DisplayWidth.harmless(value) }
    return (row.name == "kafka" ? KafkaProperty(value) : nil).map { "\($0.key)=\(Self.mask)" } ?? Self.mask
  }

  /// Returns the names of options whose values differ from those in `other`, in the order of the table. Values that follow from
  /// others in both are left out.
  func differences(from other: ConfigTable) -> [String] {
    func values(_ table: ConfigTable, _ name: String) -> [String?] { table.rows.filter { $0.name == name }.map(\.value) }
    var names: [String] = []
    let computed = Set(other.rows.filter(\.isComputed).map(\.name))
    for row in rows where !names.contains(row.name) && !(row.isComputed && computed.contains(row.name)) {
      if values(self, row.name) != values(other, row.name) { names.append(row.name) }
    }
    return names
  }
}
