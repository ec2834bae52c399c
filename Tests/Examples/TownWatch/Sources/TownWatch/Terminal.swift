// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The terminal, which gives keys at once and shows a screen beside the one that it had.
///
/// ## Lifetime
/// From `enter()` to `leave()` the terminal is in another mode. The mode that it had returns with
/// `leave()`, at every exit of the process, and when a signal of a fault ends it. Nothing can give
/// it back after SIGKILL.
@MainActor final class Terminal {
  /// Enters the screen.
  ///
  /// - Returns: nil if the input or the output is no terminal.
  init?() {
    var mode = termios()
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1,
      tcgetattr(STDIN_FILENO, &mode) == 0
    else { return nil }
    formerMode = mode
    atexit { leaveTerminal() }
    for fault in [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE] {
      signal(fault) { number in
        leaveTerminal()
        signal(number, SIG_DFL)
        raise(number)
      }
    }
    enter()
  }

  func enter() {
    var mode = formerMode
    cfmakeraw(&mode)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &mode)
    isEntered = true
    write("\u{1B}[?1049h\u{1B}[?25l")
  }

  func leave() { leaveTerminal() }

  /// The number of lines, and of characters in a line.
  var size: (lineCount: Int, columnCount: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0
    else { return (24, 80) }
    return (Int(size.ws_row), Int(size.ws_col))
  }

  /// Shows the lines from the top.
  func show(_ lines: [StyledLine]) {
    let width = size.columnCount
    var output = ""
    for (index, line) in lines.enumerated() {
      output += "\u{1B}[\(index + 1);1H\u{1B}[\(line.style.rawValue)m"
      let text = line.text.prefix(width)
      output += text + String(repeating: " ", count: width - text.count)
      output += "\u{1B}[0m"
    }
    write(output)
  }

  private func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}

/// A line of the screen.
struct StyledLine {
  /// The parameters of the control sequence SGR (ECMA-48, 8.3.117).
  enum Style: String {
    case plain = "0"
    case title = "1"
    case faint = "2"
    case selected = "7"
    case changed = "32"
    case selectedChanged = "7;32"
  }

  let text: String
  let style: Style
}

// MARK: - The way back

/// Safety: written once, before any signal handler can read it.
private nonisolated(unsafe) var formerMode = termios()
/// Safety: written on the main thread; a signal handler that interrupts it may leave twice, which
/// does no harm.
private nonisolated(unsafe) var isEntered = false

/// Gives the terminal back its mode, screen and cursor. It calls only functions that a signal
/// handler may call (POSIX.1-2017, 2.4.3).
private func leaveTerminal() {
  guard isEntered else { return }
  isEntered = false
  let sequence: StaticString = "\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"
  _ = Foundation.write(STDOUT_FILENO, sequence.utf8Start, sequence.utf8CodeUnitCount)
  // At once, and not after the output: a terminal that takes none must not keep the process.
  tcsetattr(STDIN_FILENO, TCSANOW, &formerMode)
}
