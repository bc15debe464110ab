import ComboCore
import ComboWire
import Testing

@testable import combo_consumer

/// What the output's partitions hold between them: doubles, holes, what was deleted and what was lost.
@Suite("Verifying an output of several partitions, parts of which are gone")
struct VerifyOutputTests {
  @Test("where nothing is left to be compared, nothing is proven", arguments: ["deleted", "made anew", "--from"])
  func nothingCompared(what: String) throws {
    let scene = VerifyScene()
    scene.story()
    var options = Verifier.Options()
    switch what {
    case "deleted": for number in scene.broker.partitions(.output) { cutAll(scene.broker.log(.output, number)) }
    case "made anew":
      for number in scene.broker.partitions(.output) { scene.broker.log(.output, number).makeAnew() }
      for number in scene.broker.partitions(.input) { cutAll(scene.broker.log(.input, number)) }
    default: options.from = .max
    }
    let report = try scene.verify(options)
    #expect(report.faults == [] && report.tally.equal == 0 && !report.isProven, "\(report)")
    #expect(report.summary.contains("NOT proven: nothing "), "\(report.summary)")
  }

  private func cutAll(_ log: SimLog) { log.cut(before: log.end) }

  @Test("a group that has taken something in and said nothing is proven; entries of which nothing is derived are not all")
  func nothingSaid() throws {
    let scene = VerifyScene()
    let instance = scene.scene.start()
    scene.scene.world.put("r1", "no gift")
    scene.scene.settle(instance)
    let report = try scene.verify()
    #expect(report.isProven && report.deadLetters == 1 && report.instructions == 0, "\(report)")
    #expect(report.summary.hasSuffix("each instruction once\n") && !report.summary.contains("as far as"))
  }
}
