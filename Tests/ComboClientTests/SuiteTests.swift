import Testing

@testable import ComboClient

@Suite("The client suite")
struct SuiteTests {
  @Test("after each line the verdict and the screen are as expected", arguments: ClientCase.all)
  func agrees(one: ClientCase) {
    var rooms = RoomScreens()
    var room: String?
    for (number, step) in one.steps.enumerated() {
      var verdict = RoomScreen.Verdict.ignore
      if let instruction = DisplayInstruction(step.text) {
        verdict = step.isJoined ? rooms.takeJoined(instruction) : rooms.take(instruction)
        room = instruction.room
      }
      let screen = (room.flatMap { rooms[$0] }?.banners ?? []).map(ShownBanner.init)
      #expect(verdict.rawValue == step.verdict, "line \(number + 1): \(step.text)")
      #expect(screen == step.screen, "line \(number + 1): \(step.text)")
    }
  }

  @Test("there are cases")
  func casesExist() {
    #expect(ClientCase.all.count >= 150)
  }

  @Test("a screen without gaps equals the engine's", arguments: ClientCase.streams)
  func followsEngines(stream: String) throws {
    var rooms = RoomScreens()
    for line in try ClientCase.lines(of: stream) {
      let instruction = try #require(DisplayInstruction(line))
      if case .screen(let there, _) = instruction.operation {
        let before = rooms[instruction.room]?.banners ?? []
        #expect(before.map { [$0.number, $0.slot, $0.count, $0.base] } == there.map { [$0.number, $0.slot, $0.count, $0.base] })
      }
      #expect(rooms.take(instruction) != .wait)
    }
  }

  @Test("bytes changed at random crash nothing", arguments: 0..<20)
  func survives(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let lines = try ClientCase.lines(of: ClientCase.streams[Int(seed) % ClientCase.streams.count]).prefix(200)
    var rooms = RoomScreens()
    for line in lines {
      var bytes = Array(line.utf8)
      for _ in 0...Int.random(in: 0..<3, using: &random) {
        let index = Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: index)
        default: bytes.insert(bytes.randomElement(using: &random)!, at: index)
        }
      }
      if let instruction = DisplayInstruction(bytes) {
        _ = rooms.take(instruction)
        for banner in rooms[instruction.room]!.banners {
          _ = [banner.sender?.name, banner.gift?.text("value"), banner.receiver?.id]
        }
      }
    }
  }
}

/// SplitMix64: the same numbers from the same seed.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
