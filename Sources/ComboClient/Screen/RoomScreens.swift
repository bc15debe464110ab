/// The screens of many rooms, for readers of an output topic.
///
/// It grows with the number of rooms; forget those that are not drawn.
public struct RoomScreens: Sendable {
  /// A room's key, compared by bytes: `String` treats "é" and "e" with an accent as equal.
  private struct Key: Hashable, Sendable {
    let room: String

    static func == (a: Key, b: Key) -> Bool { a.room.utf8.elementsEqual(b.room.utf8) }

    func hash(into hasher: inout Hasher) {
      var room = room
      room.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
  }

  private var screens: [Key: RoomScreen] = [:]

  /// Creates an empty collection.
  public init() {}

  /// Processes an instruction of any room.
  public mutating func take(_ instruction: DisplayInstruction) -> RoomScreen.Verdict {
    screens[Key(room: instruction.room), default: RoomScreen()].take(instruction)
  }

  /// Processes the screen with which a room's stream over HTTP begins.
  public mutating func takeJoined(_ screen: DisplayInstruction) -> RoomScreen.Verdict {
    screens[Key(room: screen.room), default: RoomScreen()].takeJoined(screen)
  }

  /// The screen of a room, or nil if the room is unknown.
  public subscript(room: String) -> RoomScreen? { screens[Key(room: room)] }

  /// The number of known rooms.
  public var count: Int { screens.count }

  /// Forgets a room.
  public mutating func forget(_ room: String) { screens[Key(room: room)] = nil }
}
