import ComboCore
import Testing

@testable import ComboCommands
@testable import ComboTestSupport

@Suite("The reference in the docs")
struct ReferenceTests {
  @Test("has each setting of the engine with its default, its ranges and its help")
  func settings() throws {
    let rows = SettingName.all.map { setting in
      var ranges = ["", ""]
      if case .integer(let name) = setting {
        ranges = [name.range, name.roomRange].map { "\(Self.grouped($0.lowerBound))–\(Self.grouped($0.upperBound))" }
        if name.roomMayDisable { ranges[1] = "0, " + ranges[1] }
      }
      let fallback = SettingName.text(of: Settings()[setting])
      return [setting.text, fallback, ranges[0], ranges[1], setting.help].joined(separator: "\t")
    }
    try GeneratedPart.expect("docs/schemas/settings.tsv", is: ["setting\tdefault\trange\trange for a room\tmeaning"] + rows)
  }

  @Test("has the help of each command")
  func help() throws {
    let commands = Command.allCases.map { (title: "\($0.rawValue) --help", text: Help.text(of: $0)) }
    try GeneratedPart.expect(snapshot: "help.txt", is: [("--help", Help.overview)] + commands)
  }

  /// Returns a number with commas between groups of three digits.
  private static func grouped(_ number: Int) -> String {
    let digits = String(number)
    return String(
      digits.enumerated().flatMap { index, digit in
        index > 0 && (digits.count - index).isMultiple(of: 3) ? [",", digit] : [digit]
      })
  }
}
