// SPDX-License-Identifier: Apache-2.0
import Foundation

/// How far a piece of work has come, on stderr: a bar in a terminal, a line every quarter elsewhere.
struct ProgressBar {
  private static let width = 40

  private let title: String
  private let isTerminal = isatty(STDERR_FILENO) == 1
  /// How much of the bar, or how many quarters, are shown.
  private var shown = -1

  init(_ title: String) { self.title = title }

  /// Shows `fraction`, from 0 to 1, if it looks any different from what is shown.
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

  /// Leaves the bar's line, so that what is printed next has its own.
  func finish() {
    if isTerminal, shown >= 0 { printError("\n") }
  }
}

/// Prints to stderr.
func printError(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
