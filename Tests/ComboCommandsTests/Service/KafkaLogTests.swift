import ComboKafka
import ComboSystem
import Testing

@testable import ComboCommands
@testable import ComboTestSupport

@Suite("A log line of librdkafka's")
struct KafkaLogTests {
  @Test("never contains a password, whoever writes it")
  func secrets() {
    let lines = LoggedLines()
    let log = ServiceLog(.debug) { lines.add($0) }
    log.hide(["hunter22", "c", "pa\"ss\\word"])
    log.ofKafka.write(.error, "SASL", "login of combo with hunter22 failed: pa\"ss\\word")
    log.format = .json
    log.ofKafka.write(.info, "SASL", "pa\"ss\\word hunter22hunter22 c")
    #expect(lines.messages[0] == "error kafka: login of combo with ****** failed: ****** [SASL]")
    #expect(lines.all[1].hasSuffix(#""text":"****** ************ c","facility":"SASL"}"#), "\(lines.all[1])")
  }

  @Test("is written like other lines, with its level")
  func kafka() {
    let lines = LoggedLines()
    let log = ServiceLog(.info) { lines.add($0) }
    for level in [KafkaLog.Level.emergency, .error, .warning, .notice, .info, .debug] {
      log.ofKafka.write(level, "F", "t\(level)")
    }
    #expect(
      lines.messages == [
        "error kafka: temergency [F]", "error kafka: terror [F]", "warning kafka: twarning [F]", "info kafka: tnotice [F]",
        "info kafka: tinfo [F]",
      ])
  }
}
