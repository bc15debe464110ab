internal import ComboSystem
internal import Synchronization

/// Selects the instructions for a compacted topic of screens: each `screen` unchanged, and a record without a value once the
/// room's screen is empty. Any thread.
///
/// It counts the banners of each room that has any. A room whose first instructions it did not process is unknown until the next
/// `screen`. If the room becomes quiet before that, the end of its screen is not written, and the screen stays until the room
/// emits again. Readers of the topic therefore ignore screens that are older than a few `screen_ms`.
package final class NewestScreens: Sendable {
  private let counts = Mutex<[[UInt8]: Int]>([:])

  package init() {}

  /// Discards all counts after the producer was replaced: its last instructions may have been lost.
  package func forget() { counts.withLock { $0 = [:] } }

  package enum Change: Equatable, Sendable {
    case nothing
    /// The record itself is the room's newest screen.
    case screen
    /// The room's screen is empty now.
    case end
  }

  /// Processes an instruction's record.
  package func process(key: Bytes, value: Bytes) -> Change {
    let operation = unsafe OutputHeader.operation(value)
    if unsafe operation.elementsEqual("screen".utf8) {
      let banners = unsafe Self.banners(of: value)
      return counts.withLock { counts in
        unsafe counts[[UInt8](key)] = banners == 0 ? nil : banners
        return banners == 0 ? .end : .screen
      }
    }
    if unsafe operation.elementsEqual("show".utf8) {
      let isFirst = unsafe Self.isFirst(value)
      return counts.withLock { counts in
        if isFirst { unsafe counts[[UInt8](key)] = 1 } else { unsafe counts[[UInt8](key)]? += 1 }
        return .nothing
      }
    }
    guard unsafe operation.elementsEqual("dismiss".utf8) else { return .nothing }
    return counts.withLock { counts in
      let room = unsafe [UInt8](key)
      guard let count = counts[room] else { return .nothing }
      counts[room] = count > 1 ? count - 1 : nil
      return count > 1 ? .nothing : .end
    }
  }

  /// Whether an instruction is the first of its epoch. Display data may have a `seq` too, but comes later.
  private static func isFirst(_ value: Bytes) -> Bool {
    let name: StaticString = #","seq":"#
    guard let found = unsafe ByteSearch.find(name, in: value) else { return false }
    return unsafe value[(found + name.utf8CodeUnitCount)...].starts(with: "1,".utf8)
  }

  /// Returns the number of objects in the array of a `screen`. Display data within them can contain anything.
  private static func banners(of screen: Bytes) -> Int {
    var (count, depth, isInString, isEscaped) = (0, 0, false, false)
    for index in 0..<screen.count {
      let byte = unsafe screen[index]
      if isEscaped {
        isEscaped = false
      } else if isInString {
        isEscaped = byte == UInt8(ascii: "\\")
        isInString = byte != UInt8(ascii: "\"")
      } else if byte == UInt8(ascii: "\"") {
        isInString = true
      } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
        depth += 1
        if depth == 3 { count += 1 }
      } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
        depth -= 1
      }
    }
    return count
  }
}
