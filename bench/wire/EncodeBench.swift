import ComboCore
import ComboWire

/// Encodes what engines say, each instruction many times over while its display data is at hand: shows, updates, and all else.
enum EncodeBench {
  private struct Sink: InstructionSink {
    let times: Int
    let room: [UInt8]
    let buffer = ByteBuffer(capacity: 1 << 20)
    /// Shows, updates, others.
    var said = [0, 0, 0]
    var bytes = [0, 0, 0]
    var took = [0.0, 0.0, 0.0]

    mutating func say(_ instruction: Instruction) {
      let kind =
        switch instruction.operation {
        case .show: 0
        case .update: 1
        default: 2
        }
      let began = WireBench.seconds()
      room.withUnsafeBytes { room in
        for _ in 0..<times {
          buffer.removeAll()
          InstructionEncoder.encode(instruction, room: room, into: buffer)
        }
      }
      took[kind] += WireBench.seconds() - began
      said[kind] += 1
      bytes[kind] += buffer.count
    }
  }

  static func run(_ rounds: Int, _ times: Int) {
    var figures: [[Double]] = [[], [], []]
    var sink = sinkAfterRound(times)
    for _ in 0..<rounds {
      sink = sinkAfterRound(times)
      for kind in 0..<3 { figures[kind].append(sink.took[kind] / Double(max(1, sink.said[kind]) * times) * 1e9) }
    }
    for (kind, name) in ["show", "update", "move_up, dismiss and screen"].enumerated() {
      figures[kind].sort()
      print(
        "encode \(name): median \(Int(figures[kind][rounds / 2].rounded())) ns (\(rounds) rounds,",
        "\(Int(figures[kind][0].rounded())) to \(Int(figures[kind][rounds - 1].rounded()))),",
        "\(sink.bytes[kind] / max(1, sink.said[kind])) bytes")
    }
    print("encode: \(sink.said.reduce(0, +)) instructions a time")
  }

  /// 64 rooms, in each some gifts of a few senders.
  private static func sinkAfterRound(_ times: Int) -> Sink {
    let encoded = ByteBuffer(capacity: 64)
    "r1234".utf8.withContiguousStorageIfAvailable { InstructionEncoder.writeRoom(Bytes($0), into: encoded) }
    var sink = Sink(times: times, room: Array(encoded.bytes))
    let settings = EngineSettings(Settings())
    for _ in 0..<64 {
      var engine = Engine(at: 1_732_104_000_000, settings: settings)
      for n in 0..<24 {
        let texts = texts(of: n)
        texts.bytes.withUnsafeBytes { memory in
          var at = 0
          let parts = texts.lengths.map { length in
            defer { at += length }
            return Bytes(rebasing: memory[at..<at + length])
          }
          engine.take(
            Gift(
              id: parts[0], senderID: parts[1], receiverID: parts[2], giftID: parts[3],
              display: Display(sender: parts[4], receiver: parts[5], gift: parts[6]), value: 10, amount: .count(1)),
            at: 1_732_104_000_000 + Int64(n) * 300, to: &sink)
        }
      }
      engine.advance(to: 1_732_104_060_000, to: &sink)
    }
    return sink
  }

  private static func texts(of n: Int) -> (bytes: [UInt8], lengths: [Int]) {
    let sender = "u1234-\(n % 3)"
    let texts = [
      "e-193b2f2a3c0-1-\(n)", sender, "a1234", "rose",
      #"{"id":"\#(sender)","name":"小明","avatar":"https://cdn.example.com/avatar/3f/3fa9c1d27b64e85f_100.webp"}"#,
      #"{"id":"a1234","name":"主播晚风"}"#, #"{"id":"rose","name":"玫瑰","value":10}"#,
    ]
    return (texts.flatMap { Array($0.utf8) }, texts.map(\.utf8.count))
  }
}
