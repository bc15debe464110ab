import Foundation
import Testing

@testable import ComboCommands

@Suite("The command replay")
struct ReplayCommandTests {
  @Test("exits with 1 after bad lines, a missing file, or a folder, else with 0")
  func exitCodes() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("combo-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let empty = folder.appendingPathComponent("empty").path
    let bad = folder.appendingPathComponent("bad").path
    try Data().write(to: URL(fileURLWithPath: empty))
    try Data("x\n".utf8).write(to: URL(fileURLWithPath: bad))
    #expect(ReplayCommand.run(ReplayOptions(file: empty)) == 0)
    #expect(ReplayCommand.run(ReplayOptions(file: bad)) == 1)
    #expect(ReplayCommand.run(ReplayOptions(file: folder.path)) == 1)
    #expect(ReplayCommand.run(ReplayOptions(file: bad + ".not")) == 1)
  }
}
