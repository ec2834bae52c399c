// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataDump

/// The standard output, through a buffer.
///
/// ## Isolation
/// One thread, which the command runs on.
struct StandardOutput {
  /// Whether a person reads: then values are shown without unsafe characters.
  static let isTerminal = isatty(STDOUT_FILENO) == 1

  private var buffer: [UInt8] = []
  private static let bufferByteCount = 1 << 16

  mutating func write(_ text: String) throws {
    buffer.append(contentsOf: text.utf8)
    if buffer.count >= Self.bufferByteCount { try flush() }
  }

  mutating func writeLine(_ text: String) throws {
    try write(text)
    try write("\n")
  }

  mutating func writeLine(_ value: JSONValue) throws {
    value.write(to: &buffer)
    try write("\n")
  }

  /// Writes the buffer's bytes.
  ///
  /// - Throws: `ToolError.output`.
  mutating func flush() throws {
    var written = 0
    while written < buffer.count {
      let count = buffer.withUnsafeBytes { bytes in
        Foundation.write(STDOUT_FILENO, bytes.baseAddress! + written, bytes.count - written)
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw ToolError.output(String(cString: strerror(errno)))
      }
      written += count
    }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Whether output may have colours: it is a terminal that knows them, and the user does not
  /// object (https://no-color.org).
  static let hasColours: Bool = {
    let environment = ProcessInfo.processInfo.environment
    return isTerminal && environment["NO_COLOR", default: ""].isEmpty
      && environment["TERM", default: "dumb"] != "dumb"
  }()

  /// The text in bold type, where output may have colours.
  static func bold(_ text: String) -> String { hasColours ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
}
