import ComboCore
import ComboReplay
import Foundation

/// Replays bytes.
enum TestReplay {
  /// Returns a source of bytes in pieces of at most `step`.
  static func source(_ input: Data, step: Int = .max, isWaiting: @escaping () -> Bool = { false }) -> LineSource {
    var place = 0
    return LineSource(
      read: { memory in
        let count = min(step, memory.count, input.count - place)
        input.withUnsafeBytes { memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[place..<place + count])) }
        place += count
        return count
      }, isWaiting: isWaiting)
  }

  static func replay(
    _ input: Data, settings: Settings = Settings(), maxRestedRooms: Int = 65_536, threads: Int = 2, chunkBytes: Int = 1 << 19,
    sweepLines: Int = ReplayPipeline.sweepLines, step: Int = .max
  ) -> (output: Data, reports: [String], summary: ReplayPipeline.Summary) {
    var output = Data()
    var reports: [String] = []
    let pipeline = ReplayPipeline(
      source(input, step: step), settings: settings, maxRestedRooms: maxRestedRooms, threads: threads, chunkBytes: chunkBytes,
      sweepLines: sweepLines,
      write: { bytes in
        output.append(contentsOf: bytes)
        return true
      }, report: { reports += $0 })
    let summary = pipeline.run()
    return (output, reports, summary)
  }

  /// Returns what became of the gifts.
  static func explain(
    _ input: Data, settings: Settings = Settings(), maxRestedRooms: Int = 65_536, chunkBytes: Int = 1 << 19,
    sweepLines: Int = 131_072
  ) -> Data {
    var output = Data()
    let replay = ReplayPipeline(
      source(input), settings: settings, explains: true, maxRestedRooms: maxRestedRooms, threads: 2, chunkBytes: chunkBytes,
      sweepLines: sweepLines,
      write: { bytes in
        output.append(contentsOf: bytes)
        return true
      }, report: { _ in })
    _ = replay.run()
    return output
  }
}
