/// Made-up gifts of many rooms, the same for the same mix.
///
/// Rooms have Zipf shares (exponent 1). In each room some senders are active at once, each sending a run of one gift;
/// when a run ends another sender begins one.
struct Mix {
  var name: String
  /// Senders of a room, and how many of them send at once.
  var senders: UInt64
  var active: Int
  /// Kinds of gifts.
  var gifts: UInt64
  /// Gifts of all rooms together in a millisecond of the engines' time.
  var giftsPerMs: Int

  static let rooms = 2000

  /// Few senders at once in a room, as in most.
  static let plain = Mix(name: "plain", senders: 50, active: 2, gifts: 20, giftsPerMs: 100)
  /// Many at once: most gifts join a banner that waits, and many banners never come on screen.
  static let busy = Mix(name: "busy", senders: 2000, active: 20, gifts: 20, giftsPerMs: 50)
}

/// A gift; its texts lie one behind the other: id, sender id, receiver id, gift id, and the display data of these three.
struct GiftRecord {
  var room: Int32 = 0
  var offset: Int32 = 0
  var lengths: (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8) = (0, 0, 0, 0, 0, 0, 0)
  var count: Int16 = 0
  var value: Int32 = 0
  var length: Int {
    Int(lengths.0) + Int(lengths.1) + Int(lengths.2) + Int(lengths.3) + Int(lengths.4) + Int(lengths.5) + Int(lengths.6)
  }
}

/// The gifts of a mix, laid out as the service hands them over: in batches, each room by room, the texts in that order.
struct GiftStream {
  var records: [GiftRecord] = []
  var text: [UInt8] = []
  /// When each is taken in, from 0 on.
  var times: [Int64] = []

  static let batch = 8192

  init(_ mix: Mix, count: Int) {
    var random = SplitMix64(state: 42)
    var shares: [Double] = []
    var sum = 0.0
    for i in 0..<Mix.rooms {
      sum += 1 / Double(i + 1)
      shares.append(sum)
    }
    struct Run { var sender: UInt64 = 0, gift: UInt64 = 0, left: UInt64 = 0 }
    var runs = [Run](repeating: Run(), count: Mix.rooms * mix.active)
    var made: [GiftRecord] = []
    var madeText = Text()
    for n in 0..<count {
      let drawn = Double(random.next() >> 11) / 9_007_199_254_740_992 * sum
      var (low, high) = (0, Mix.rooms - 1)
      while low < high {
        let middle = (low + high) / 2
        if shares[middle] < drawn { low = middle + 1 } else { high = middle }
      }
      let slot = low * mix.active + Int(random.next() % UInt64(mix.active))
      if runs[slot].left == 0 {
        runs[slot] = Run(
          sender: random.next() % mix.senders, gift: random.next() % mix.gifts, left: 1 + random.next() % 15)
      }
      runs[slot].left -= 1
      made.append(madeText.add(n, room: low, sender: runs[slot].sender, gift: runs[slot].gift))
    }
    for start in stride(from: 0, to: count, by: Self.batch) {
      let end = min(start + Self.batch, count)
      for n in (start..<end).sorted(by: { (made[$0].room, $0) < (made[$1].room, $1) }) {
        var record = made[n]
        record.offset = Int32(text.count)
        text.append(contentsOf: madeText.bytes[Int(made[n].offset)..<Int(made[n].offset) + record.length])
        records.append(record)
        times.append(Int64(start / mix.giftsPerMs))
      }
    }
  }
}

/// Texts of gifts, written without strings: there are many.
private struct Text {
  var bytes: [UInt8] = []

  mutating func add(_ n: Int, room: Int, sender: UInt64, gift: UInt64) -> GiftRecord {
    var record = GiftRecord()
    record.room = Int32(room)
    record.offset = Int32(bytes.count)
    record.count = Int16(1 + n % 3)
    record.value = Int32(gift * 10)
    let room = UInt64(room)
    record.lengths.0 = put("e-193b2f2a3c0-2a-", UInt64(n))
    record.lengths.1 = put("u", room, "-", sender)
    record.lengths.2 = put("a", room)
    record.lengths.3 = put("gift", gift)
    record.lengths.4 =
      put("{\"id\":\"u", room, "-", sender) + put("\",\"name\":\"小明", sender)
      + put("\",\"avatar\":\"https://cdn.example.com/avatar/", sender * 7919, "_100.webp\"}")
    record.lengths.5 = put("{\"id\":\"a", room, "\",\"name\":\"主播\"}")
    record.lengths.6 = put("{\"id\":\"gift", gift) + put("\",\"name\":\"玫瑰\",\"value\":", gift * 10, "}")
    return record
  }

  private mutating func put(_ a: StaticString, _ x: UInt64, _ b: StaticString = "", _ y: UInt64? = nil) -> UInt8 {
    let start = bytes.count
    a.withUTF8Buffer { bytes.append(contentsOf: $0) }
    number(x)
    b.withUTF8Buffer { bytes.append(contentsOf: $0) }
    if let y { number(y) }
    return UInt8(bytes.count - start)
  }

  private mutating func number(_ number: UInt64) {
    var power: UInt64 = 1
    while number / power >= 10 { power *= 10 }
    while power > 0 {
      bytes.append(UInt8(48 + number / power % 10))
      power /= 10
    }
  }
}

struct SplitMix64 {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
    return z ^ z >> 31
  }
}
