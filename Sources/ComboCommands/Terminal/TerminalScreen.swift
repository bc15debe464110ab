internal import ComboSystem
@preconcurrency internal import Glibc

/// The whole terminal: the alternate screen without a cursor, and without an echo of typed keys. ``close()`` must restore it.
///
/// Used by one thread at a time.
final class TerminalScreen {
  private var shown: Frame?
  private var before = termios()
  private let hasKeys: Bool
  private var isOpen = true

  /// Returns nil if standard output is not a terminal, or cannot be drawn on.
  init?() {
    guard isatty(STDOUT_FILENO) == 1, Self.size() != nil, Console.variable("TERM") != "dumb" else { return nil }
    hasKeys = isatty(STDIN_FILENO) == 1 && tcgetattr(STDIN_FILENO, &before) == 0
    if hasKeys {
      var quiet = before
      quiet.c_lflag &= ~tcflag_t(ECHO | ICANON)
      if Self.isInForeground { tcsetattr(STDIN_FILENO, TCSANOW, &quiet) }
    }
    // Alternate screen, no cursor, no wrapping at the right edge.
    Console.write("\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l", to: STDOUT_FILENO)
  }

  /// Whether the process may read keys and change the terminal. One in the background that did would be stopped.
  private static var isInForeground: Bool { tcgetpgrp(STDIN_FILENO) == getpgrp() }

  /// Returns the columns and rows, or nil if there is no terminal.
  static func size() -> (width: Int, height: Int)? {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Shows `frame` by writing the differences from the previous one at once. Returns false if the terminal was closed.
  func show(_ frame: Frame) -> Bool {
    let bytes = frame.bytes(after: shown)
    shown = frame
    if bytes.isEmpty { return true }
    // Terminals that support synchronized output wait for the end of the frame; others ignore this.
    return Console.write("\u{1b}[?2026h\(bytes)\u{1b}[?2026l", to: STDOUT_FILENO)
  }

  /// Whether `q` was typed.
  func isQuitTyped() -> Bool {
    guard hasKeys, Self.isInForeground else { return false }
    var ready = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    guard poll(&ready, 1, 0) == 1, ready.revents & Int16(POLLIN) != 0 else { return false }
    return withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { keys in
      let got = read(STDIN_FILENO, keys.baseAddress, keys.count)
      return got > 0 && (keys[..<got].contains(UInt8(ascii: "q")) || keys[..<got].contains(UInt8(ascii: "Q")))
    }
  }

  /// Restores the terminal. May be called twice.
  func close() {
    guard isOpen else { return }
    isOpen = false
    Console.write("\u{1b}[0m\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l", to: STDOUT_FILENO)
    if hasKeys, Self.isInForeground { tcsetattr(STDIN_FILENO, TCSANOW, &before) }
  }

  deinit { close() }
}
