import ComboEdge
import Testing

@Suite("Headers of the output")
struct OutputHeaderTests {
  private func value(
    _ option: String, room: String = "r:1", _ value: String = #"{"room":"x\",\"op\":\"y","op":"move_up","banner":1}"#
  ) -> String? {
    guard let header = OutputHeader(option) else { return nil }
    var (room, value) = (room, value)
    return room.withUTF8 { key in
      value.withUTF8 { header.header(key: UnsafeRawBufferPointer(key), value: UnsafeRawBufferPointer($0)).value }
    }.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("have the room and the op where the template names them")
  func templates() {
    #expect(value("channel=rooms:{room}") == "rooms:r:1")
    #expect(value("x={op}/{room}{op}") == "move_up/r:1move_up")
    #expect(value("x=plain=text") == "plain=text")
    #expect(value("x=") == "")
    #expect(value("x={op}", "no instruction") == "")
    #expect(OutputHeader("channel=rooms:{room}")?.name == "channel")
  }

  @Test("are refused with another word between braces, a brace without its other, no name, or a control character")
  func refused() {
    let controls = ["a\nb=x", "a=x\n{room}", "a\u{7f}=x", "\t=x"]
    for option in ["", "x", "=y", "x={", "x=}", "x={rooms}", "x={}", "x={room}}", "x=a{op"] + controls {
      #expect(OutputHeader(option) == nil, "\(option)")
    }
  }
}
