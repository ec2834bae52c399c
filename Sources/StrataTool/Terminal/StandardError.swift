// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataDump

/// The standard error stream: messages, and the progress of long work (`ProgressLine`).
enum StandardError {
  static let isTerminal = isatty(STDERR_FILENO) == 1

  /// Writes a message on a line of its own. Unsafe characters, of a path for example, are escaped.
  static func write(_ message: String) {
    let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
    put(lines.map { String($0).safeInTerminal }.joined(separator: "\n") + "\n")
  }

  /// Writes text as it is.
  static func put(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
  }
}
