import ComboEdge
import Testing

@Suite("The topic of screens")
struct NewestScreensTests {
  private func change(_ screens: NewestScreens, _ seq: Int, _ fields: String, room: String = "r") -> NewestScreens.Change {
    var (key, value) = (room, #"{"v":1,"room":"\#(room)","epoch":5,"seq":\#(seq),"at":1,"op":\#(fields)}"#)
    return key.withUTF8 { key in
      value.withUTF8 { screens.process(key: UnsafeRawBufferPointer(key), value: UnsafeRawBufferPointer($0)) }
    }
  }

  @Test("gets each screen, and the end of a room's screen once its last banner leaves")
  func ends() {
    let screens = NewestScreens()
    #expect(change(screens, 1, #""show","banner":1,"sender":{"name":"{\\"banner\\":"}"#) == .nothing)
    #expect(change(screens, 2, #""show","banner":2"#) == .nothing)
    #expect(change(screens, 3, #""screen","banners":[{"banner":1},{"banner":2}]"#) == .screen)
    #expect(change(screens, 4, #""dismiss","banner":1"#) == .nothing)
    #expect(change(screens, 5, #""update","banner":2"#) == .nothing)
    #expect(change(screens, 6, #""dismiss","banner":2"#) == .end)
    #expect(change(screens, 7, #""dismiss","banner":2"#) == .nothing)
    #expect(change(screens, 8, #""screen","banners":[]"#) == .end)
  }

  @Test("writes nothing for a room whose beginning it did not receive, until its next screen")
  func unknown() {
    let screens = NewestScreens()
    #expect(change(screens, 1, #""show","banner":1"#) == .nothing)
    screens.forget()
    #expect(change(screens, 2, #""show","banner":2"#) == .nothing)
    #expect(change(screens, 3, #""dismiss","banner":2"#) == .nothing)
    #expect(change(screens, 4, #""screen","banners":[{"banner":1}]"#) == .screen)
    #expect(change(screens, 1, #""show","banner":1"#, room: "another") == .nothing)
    #expect(change(screens, 5, #""dismiss","banner":1"#) == .end)
  }

  @Test("reads instructions only, not display data that looks like one")
  func displayData() {
    let screens = NewestScreens()
    let sender = #""sender":{"id":"u1","frame":[{"banner":3}],"name":"\"[{\\","seq":1,"x":0}"#
    #expect(change(screens, 3, #""screen","banners":[{"banner":1,\#(sender)},{"banner":2,\#(sender)}]"#) == .screen)
    #expect(change(screens, 4, #""show","banner":3,\#(sender)"#) == .nothing)
    for banner in 1...3 {
      #expect(change(screens, 4 + banner, #""dismiss","banner":\#(banner)"#) == (banner == 3 ? .end : .nothing))
    }
  }
}
