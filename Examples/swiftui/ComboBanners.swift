import ComboClient
import ComboClientHTTP
import SwiftUI

// A room's banners in SwiftUI, for iOS 16 and macOS 13. Copy the source: this repository is built on Linux, which has no
// SwiftUI, so it was never compiled.
//
//     ComboBanners(service: URL(string: "https://combo.example")!, room: "r1")

/// The banners on screen, on the main actor. The pool has at most slots + 1 views, whose ids never change, so SwiftUI reuses
/// its rows.
@MainActor
final class ComboRoom: ObservableObject {
  @Published private(set) var pool = BannerPool()
  /// A sentence while there is no connection.
  @Published private(set) var trouble: String?
  /// Whether frames are needed.
  @Published private(set) var isMoving = false
  private var screen = RoomScreen()
  private var pacer = Pacer<DisplayInstruction>()

  static var now: Int64 { Int64(ProcessInfo.processInfo.systemUptime * 1000) }

  /// Reads the room until the task is cancelled, as when the view goes away.
  func follow(service: URL, room: String) async {
    let drawing = Task { await self.draw() }
    defer { drawing.cancel() }
    for await happened in RoomStream(service: service, room: room) {
      switch happened {
      case .event(.instruction(let instruction)):
        trouble = nil
        pacer.hold(instruction, at: instruction.at, now: Self.now)
      case .event(.screen(let joined)):
        trouble = nil
        for one in pacer.flush() { take(one) }
        if screen.takeJoined(joined) != .ignore { pool.follow(screen, after: joined, now: Self.now) }
      case .event(.ending(_, let sentence)), .disconnected(let sentence, _):
        trouble = sentence
      case .stale:
        for one in pacer.reset() { take(one) }
        pool.clear(now: Self.now)
      }
    }
  }

  /// Applies the due instructions, sixty times a second.
  private func draw() async {
    while !Task.isCancelled {
      for one in pacer.due(at: Self.now) { take(one) }
      let moves = pool.isMoving(at: Self.now)
      if moves != isMoving {
        isMoving = moves
        // Banners that have slid out release their views.
        if !moves { pool.sweep(now: Self.now) }
      }
      try? await Task.sleep(nanoseconds: 16_000_000)
    }
  }

  private func take(_ instruction: DisplayInstruction) {
    let verdict = screen.take(instruction)
    if verdict.clears || verdict.draws { pool.follow(screen, after: instruction, now: Self.now) }
  }
}

/// The banners of one room, stacked up from the lower edge.
struct ComboBanners: View {
  let service: URL
  let room: String
  @StateObject private var model = ComboRoom()
  private let rowHeight: CGFloat = 64

  var body: some View {
    // Frames are drawn only while something moves.
    TimelineView(.animation(paused: !model.isMoving)) { _ in
      let now = ComboRoom.now
      ZStack(alignment: .bottomLeading) {
        ForEach(model.pool.views) { view in
          if let banner = view.banner {
            ComboRow(banner: banner, number: view.number(at: now, model.pool.motion), isPraised: isPraised(view, at: now))
              .frame(height: rowHeight)
              .offset(
                x: -320 * (1 - view.presence(at: now, model.pool.motion)), y: -rowHeight * view.place(at: now, model.pool.motion)
              )
              .opacity(view.presence(at: now, model.pool.motion))
          }
        }
      }
      .frame(maxWidth: .infinity, maxHeight: .infinity, alignment: .bottomLeading)
    }
    .task { await model.follow(service: service, room: room) }
    .allowsHitTesting(false)
  }

  private func isPraised(_ view: BannerView, at now: Int64) -> Bool {
    view.milestoneAt.map { now - $0 < 1400 } ?? false
  }
}

/// One banner. Names are untrusted: they are drawn as text, in one line.
struct ComboRow: View {
  let banner: RoomBanner
  let number: Int
  let isPraised: Bool

  var body: some View {
    HStack(spacing: 8) {
      VStack(alignment: .leading) {
        Text(verbatim: banner.sender?.name ?? "?").bold().lineLimit(1)
        Text(verbatim: [banner.gift?.name, banner.receiver?.name].compactMap { $0 }.joined(separator: " → ")).font(.caption)
          .lineLimit(1)
      }
      Text(verbatim: "×\(number)").font(.title.monospacedDigit().bold()).scaleEffect(isPraised ? 1.2 : 1)
    }
    .padding(.horizontal, 12)
    .background(.black.opacity(0.6), in: Capsule())
    .foregroundStyle(.white)
    .accessibilityElement(children: .combine)
  }
}
