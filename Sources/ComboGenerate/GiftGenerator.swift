internal import Glibc

/// Generates gift events: the same seed generates the same ones. An event takes some hundred nanoseconds and no allocation.
///
/// Must not be used by several threads at once.
@safe package final class GiftGenerator {
  package enum Kind: Sendable {
    case gift, total, again, retract, close, bad
  }

  /// The numbers of events so far.
  package struct Counts: Equatable, Sendable {
    package var events = 0
    package var giftRecords = 0
    /// The sum of their counts.
    package var gifts = 0
    package var totals = 0
    package var repeats = 0
    package var retracts = 0
    package var closes = 0
    package var bad = 0
    package var bytes = 0
  }

  /// The rest of a run in which a sender sends one kind of gift several times.
  private struct Run {
    var sender: UInt32 = 0
    var gift: UInt16 = 0
    var left: UInt16 = 0
    /// The number of its streak, or 0 if each gift is a separate record.
    var streak: UInt64 = 0
    var total: UInt32 = 0
    /// The number of its combo, or 0 if the combo has no name.
    var combo: UInt32 = 0

    /// The highest bit marks a streak without a name, whose last total has `ends`.
    static let marksEnd: UInt64 = 1 << 63
  }

  /// The length of the longest event, which must fit into the memory for ``make(at:to:)``.
  package static let longest = 20_480
  /// The number of recent events from which repeats are drawn, and the longest of them.
  private static let recentCount = 64
  private static let recentLongest = 1024

  private let mix: GiftMix
  private var random: SplitMix64
  private let rooms: ZipfTable
  private let viewers = WordTable(GiftWords.viewers)
  private let hosts = WordTable(GiftWords.hosts)
  /// The whole `"gift":{…}` of each kind.
  private let presents: WordTable
  private let prefix: WordTable
  private let runs: UnsafeMutablePointer<Run>
  /// The latest events, and the length and room of each.
  private let recent: UnsafeMutablePointer<UInt8>
  private var recentSizes = [(size: Int, room: Int)]()
  private var streaks: UInt64 = 0
  private var combos: UInt32 = 0
  private var number: UInt64 = 0
  /// Shares as limits on a number of 32 bits, each added to those before.
  private let limits: (bad: UInt64, close: UInt64, retract: UInt64, again: UInt64)
  private let totalLimit: UInt64
  private let comboLimit: UInt64
  private let endLimit: UInt64
  private let lingerLimit: UInt64
  private let refreshLimit: UInt64
  private let roomText: UnsafeMutablePointer<UInt8>
  private var roomTextSize = 0

  /// The numbers of events so far.
  package private(set) var tally = Counts()

  /// Creates a generator. `prefix` begins each event's id: another run needs another prefix, or its events would look like
  /// repeats. Takes 24 bytes per room and active sender.
  package init(_ mix: GiftMix, prefix: String) {
    self.mix = mix
    random = SplitMix64(seed: UInt64(bitPattern: Int64(mix.seed)))
    rooms = ZipfTable(count: mix.rooms, exponent: mix.skew)
    presents = WordTable((0..<mix.gifts).map(Self.present))
    self.prefix = WordTable([prefix])
    let runCount = mix.rooms * mix.active
    unsafe runs = .allocate(capacity: runCount)
    unsafe runs.initialize(repeating: Run(), count: runCount)
    unsafe recent = .allocate(capacity: Self.recentCount * Self.recentLongest)
    unsafe roomText = .allocate(capacity: 32)
    let unit = 4_294_967_296.0
    limits = (
      UInt64(mix.bad * unit), UInt64((mix.bad + mix.closes) * unit),
      UInt64((mix.bad + mix.closes + mix.retracts) * unit),
      UInt64((mix.bad + mix.closes + mix.retracts + mix.repeats) * unit)
    )
    totalLimit = UInt64(mix.totals * unit)
    comboLimit = UInt64(mix.combos * unit)
    endLimit = UInt64(mix.ends * unit)
    lingerLimit = UInt64(mix.lingers * unit)
    refreshLimit = UInt64(mix.refreshes * unit)
  }

  deinit {
    unsafe runs.deallocate()
    unsafe recent.deallocate()
    unsafe roomText.deallocate()
  }

  /// Returns a kind of gift. Beyond the list, kinds repeat under other names.
  private static func present(_ index: Int) -> String {
    let present = GiftWords.presents[index % GiftWords.presents.count]
    let round = index / GiftWords.presents.count
    let suffix = round == 0 ? "" : "\(round + 1)"
    return """
      "gift":{"id":"\(present.id)\(suffix)","name":"\(present.name)\(suffix)","value":\(present.value),"icon":"\(present.icon)"}
      """
  }

  /// The room of the latest event, which is the record's key. Valid until the next event.
  package var room: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: roomText, count: roomTextSize) }

  /// Writes the next event, with the time `ts` in milliseconds, to memory of at least ``longest`` bytes. Returns its size and
  /// kind.
  package func make(at ts: Int64, to memory: UnsafeMutablePointer<UInt8>) -> (size: Int, kind: Kind) {
    let bits = random.next()
    let room = rooms.draw(random.next())
    let chance = bits >> 32
    let made: (size: Int, kind: Kind)
    if chance >= limits.again || chance >= limits.retract && recentSizes.isEmpty {
      made = unsafe gift(room, bits, ts, memory)
    } else if chance < limits.bad {
      made = unsafe (bad(room, bits, ts, memory), .bad)
      tally.bad += 1
    } else if chance < limits.close {
      made = unsafe (close(room, ts, memory), .close)
      tally.closes += 1
    } else if chance < limits.retract {
      made = unsafe (retract(room, bits, ts, memory), .retract)
      tally.retracts += 1
    } else {
      made = unsafe (again(bits, memory), .again)
      tally.repeats += 1
    }
    tally.events += 1
    tally.bytes += made.size
    return made
  }

  // MARK: - Kinds

  private func gift(_ room: Int, _ bits: UInt64, _ ts: Int64, _ memory: UnsafeMutablePointer<UInt8>) -> (size: Int, kind: Kind) {
    setRoom(room)
    let run = unsafe runs + (room * mix.active + SplitMix64.scale(bits & 0xffff_ffff, mix.active))
    if unsafe run.pointee.left == 0 { unsafe begin(run) }
    unsafe run.pointee.left -= 1
    let many = random.next()
    let count = many & 15 < 11 ? 1 : 2 + (many >> 4) % 9

    var text = unsafe EventText(memory)
    head(ts, &text)
    unsafe people(room, run.pointee, &text)
    let isTotal = unsafe run.pointee.streak > 0
    if isTotal {
      unsafe run.pointee.total += UInt32(count)
      text.put(",\"total\":")
      unsafe text.put(UInt64(run.pointee.total))
      if unsafe run.pointee.streak & Run.marksEnd != 0 {
        if unsafe run.pointee.left == 0 { text.put(",\"ends\":true") }
      } else {
        text.put(",\"streak\":\"s")
        unsafe text.put(run.pointee.streak)
        text.put("\"")
      }
      if mix.streakMs > 0 {
        text.put(",\"streak_ms\":")
        text.put(UInt64(mix.streakMs))
      }
      tally.totals += 1
    } else {
      text.put(",\"count\":")
      text.put(count)
    }
    if refreshLimit > 0, random.next() >> 32 < refreshLimit { text.put(",\"refresh\":true") }
    if lingerLimit > 0, random.next() >> 32 < lingerLimit {
      text.put(",\"linger_ms\":")
      unsafe text.put(UInt64(1 + run.pointee.gift % 10) * 1000)
    }
    if unsafe run.pointee.combo > 0 {
      text.put(",\"combo\":\"c")
      unsafe text.put(UInt64(run.pointee.combo))
      text.put("\"")
    }
    text.put("}")
    tally.gifts += Int(count)
    tally.giftRecords += 1
    if mix.repeats > 0 { unsafe remember(memory, text.count, room) }
    return (text.count, isTotal ? .total : .gift)
  }

  private func begin(_ run: UnsafeMutablePointer<Run>) {
    let what = random.next(), who = random.next()
    // The cheaper of two draws, so that cheap gifts are the most frequent.
    let one = SplitMix64.scale(what >> 32, mix.gifts), two = SplitMix64.scale(what & 0xffff_ffff, mix.gifts)
    unsafe run.pointee.gift = UInt16(min(one, two))
    unsafe run.pointee.sender = UInt32(SplitMix64.scale(who >> 32, mix.senders))
    // Half of all runs have 1 to 4 gifts, the others 1 to 26: 8 in the mean.
    let length = who & 0xffff_ffff
    unsafe run.pointee.left = length & 1 == 0 ? UInt16(1 + (length >> 1) % 4) : UInt16(1 + (length >> 1) % 26)
    unsafe run.pointee.total = 0
    unsafe run.pointee.streak = 0
    if totalLimit > 0, random.next() >> 32 < totalLimit {
      streaks += 1
      unsafe run.pointee.streak = streaks
      if endLimit > 0, random.next() >> 32 < endLimit { unsafe run.pointee.streak |= Run.marksEnd }
    }
    unsafe run.pointee.combo = 0
    if comboLimit > 0, random.next() >> 32 < comboLimit {
      combos &+= 1
      unsafe run.pointee.combo = combos
    }
  }

  /// Writes one of the latest events again, byte for byte.
  private func again(_ bits: UInt64, _ memory: UnsafeMutablePointer<UInt8>) -> Int {
    let index = SplitMix64.scale(bits & 0xffff_ffff, recentSizes.count)
    let (size, room) = recentSizes[index]
    unsafe memcpy(memory, recent + index * Self.recentLongest, size)
    setRoom(room)
    return size
  }

  private func remember(_ memory: UnsafeMutablePointer<UInt8>, _ size: Int, _ room: Int) {
    guard size <= Self.recentLongest else { return }
    var index = recentSizes.count
    if index < Self.recentCount {
      recentSizes.append((size, room))
    } else {
      index = tally.giftRecords % Self.recentCount
      recentSizes[index] = (size, room)
    }
    unsafe memcpy(recent + index * Self.recentLongest, memory, size)
  }

  private func close(_ room: Int, _ ts: Int64, _ memory: UnsafeMutablePointer<UInt8>) -> Int {
    setRoom(room)
    for index in room * mix.active..<(room + 1) * mix.active { unsafe runs[index].left = 0 }
    var text = unsafe EventText(memory)
    text.put("{\"type\":\"room_closed\",")
    roomAndTime(ts, &text)
    text.put("}")
    return text.count
  }

  /// Retracts gifts of an active sender: all, or only those to the receiver or of one kind.
  private func retract(_ room: Int, _ bits: UInt64, _ ts: Int64, _ memory: UnsafeMutablePointer<UInt8>) -> Int {
    setRoom(room)
    let run = unsafe runs[room * mix.active + SplitMix64.scale(bits & 0xffff_ffff, mix.active)]
    var text = unsafe EventText(memory)
    text.put("{\"type\":\"retract\",")
    roomAndTime(ts, &text)
    text.put(",\"sender\":{\"id\":\"u")
    text.put(UInt64(room))
    text.put("-")
    text.put(UInt64(run.sender))
    text.put("\"}")
    let parts = random.next()
    if parts & 1 == 1 {
      text.put(",\"receiver\":{\"id\":\"a")
      text.put(UInt64(room))
      text.put("\"}")
    }
    if parts & 2 == 2 {
      text.put(",")
      unsafe text.put(presents[Int(run.gift)])
    }
    text.put("}")
    return text.count
  }

  /// Writes a bad event with a random kind of fault.
  private func bad(_ room: Int, _ bits: UInt64, _ ts: Int64, _ memory: UnsafeMutablePointer<UInt8>) -> Int {
    setRoom(room)
    var text = unsafe EventText(memory)
    let run = Run(sender: 0, gift: 0)
    switch SplitMix64.scale(bits & 0xffff_ffff, 33) {
    case 0:  // too_large: display data above 16 KiB; seldom, as it is long
      head(ts, &text)
      text.put(",\"sender\":{\"id\":\"u\",\"name\":\"")
      for _ in 0..<17_408 { text.put(byte: 0x78) }
      text.put("\"},")
      unsafe text.put(presents[0])
      text.put("}")
    case 7...11:  // unknown_type
      text.put("{\"type\":\"follow\",")
      roomAndTime(ts, &text)
      text.put("}")
    case 12...16:  // missing_field
      head(ts, &text)
      text.put(",")
      unsafe text.put(presents[0])
      text.put("}")
    case let fault:
      head(ts, &text)
      people(room, run, &text)
      switch fault {
      case 1...6: break  // not_json
      case 17...22: text.put(",\"count\":\"three\"}")  // wrong_type
      case 23...27: text.put(",\"count\":0}")  // out_of_range
      default: text.put(",\"count\":1,\"total\":2}")  // out_of_range
      }
    }
    return text.count
  }

  // MARK: - Parts

  private func setRoom(_ room: Int) {
    var text = unsafe EventText(roomText)
    text.put("r")
    text.put(UInt64(room))
    roomTextSize = text.count
  }

  private func head(_ ts: Int64, _ text: inout EventText) {
    text.put("{\"id\":\"")
    unsafe text.put(prefix[0])
    text.put(number)
    number += 1
    text.put("\",")
    roomAndTime(ts, &text)
  }

  private func roomAndTime(_ ts: Int64, _ text: inout EventText) {
    text.put("\"room\":\"")
    unsafe text.put(UnsafeBufferPointer(start: roomText, count: roomTextSize))
    text.put("\",\"ts\":")
    text.put(UInt64(max(0, ts)))
  }

  /// Writes sender, receiver and gift. A sender looks the same each time.
  private func people(_ room: Int, _ run: Run, _ text: inout EventText) {
    let face = SplitMix64.mix(UInt64(room) << 32 | UInt64(run.sender) | 1 << 63)
    text.put(",\"sender\":{\"id\":\"u")
    text.put(UInt64(room))
    text.put("-")
    text.put(UInt64(run.sender))
    text.put("\",\"name\":\"")
    unsafe text.put(viewers[SplitMix64.scale(face >> 32, viewers.count)])
    if face & 1 == 1 { text.put(face % 97) }
    text.put("\",\"avatar\":\"https://img.example.net/face/")
    text.put(hex: face)
    text.put("/120.webp\",\"level\":")
    text.put(1 + face % 60)
    text.put("},\"receiver\":{\"id\":\"a")
    text.put(UInt64(room))
    text.put("\",\"name\":\"")
    unsafe text.put(hosts[room % hosts.count])
    text.put("\"},")
    unsafe text.put(presents[Int(run.gift)])
  }
}
