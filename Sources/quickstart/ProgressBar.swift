// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A progress display on stderr: a bar in a terminal, otherwise a line for every quarter.
struct ProgressBar {
  private static let width = 40

  private let title: String
  private let isTerminal = isatty(STDERR_FILENO) == 1
  /// The number of displayed steps of the bar, or of quarters; -1 before the first.
  private var shown = -1

  init(_ title: String) { self.title = title }

  /// Displays `fraction`, from 0 to 1, if the display changes.
  mutating func show(_ fraction: Double) {
    let steps = isTerminal ? Self.width : 4
    let step = Int(fraction * Double(steps))
    guard step > shown else { return }
    shown = step
    let percent = "\(100 * step / steps) %"
    guard isTerminal else { return printError("\(title): \(percent)\n") }
    let bar =
      String(repeating: "█", count: step) + String(repeating: "░", count: Self.width - step)
    printError("\r\(title) \(bar) \(percent)")
  }

  /// Ends the bar's line, so that further output begins on a new line.
  func finish() {
    if isTerminal, shown >= 0 { printError("\n") }
  }
}

/// Prints to stderr.
func printError(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
