import ComboCore
import ComboMaps
import ComboWire
import Testing

@testable import ComboTestSupport

@Suite("Mapped records that are the same but for their scalars")
struct MapTextShapeTests {
  @Test("lead to the same events, whatever records preceded", arguments: ["bilibili", "kuaishou", "tiktok"])
  func events(name: String) throws {
    let map = try RecordMap(Array(#require(BuiltInMaps.text(name)).utf8), file: name)
    let used = RecordDecoder(map: map)
    var random = SplitMix64(seed: 7)
    var read = 0
    for _ in 0..<300 {
      let gift = { (random: inout SplitMix64) -> String in
        let user = Int.random(in: 1..<5, using: &random), gift = Int.random(in: 1..<4, using: &random)
        return switch name {
        case "bilibili":
          #"{"cmd":"SEND_GIFT","data":{"tid":"\#(random.next())","uid":\#(user),"uname":"u\#(user)","giftId":\#(gift),"#
            + #""num":\#(Int.random(in: 1..<9, using: &random)),"timestamp":1725297211}}"#
        case "kuaishou":
          #"{"mergeKey":"k\#(user)","giftId":\#(gift),"comboCount":\#(gift),"user":{"principalId":"u\#(user)"},"time":1725297211}"#
        default:
          #"{"type":"WebcastGiftMessage","data":{"#
            + #""giftId":\#(gift),"repeatCount":2,"user":{"userId":"\#(user)"},"groupId":"\#(user)"}}"#
        }
      }
      // Alone, or several in an array, of which the walk knows how many there are.
      let count = [1, 1, 1, 2, 3].randomElement(using: &random)!
      let gifts = (0..<count).map { _ in gift(&random) }
      let record = count == 1 ? gifts[0] : #"{"data":[\#(gifts.joined(separator: ","))]}"#
      let decoded = Self.decoded(record, used)
      #expect(decoded == Self.decoded(record, RecordDecoder(map: map)), "\(record)")
      read += decoded.hasPrefix("gift|") ? 1 : 0
    }
    #expect(read > 100)
  }

  private static func decoded(_ record: String, _ decoder: RecordDecoder) -> String {
    let arena = BumpArena()
    var event = Event()
    return Array(record.utf8).withUnsafeBytes { record in
      Array("r".utf8).withUnsafeBytes { key in
        do {
          guard try decoder.decode(record, key: key, into: arena, &event) else { return "dropped: \(decoder.dropReason)" }
          return ([event] + decoder.further).map { ComboTestSupport.text(of: $0) }.joined(separator: "\n")
        } catch {
          return "\(error)"
        }
      }
    }
  }
}
