// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The lines of the standard input. In memory is the present line and a part of the next.
struct LineReader {
  private var buffer: [UInt8] = []
  /// The bytes before are lines that were returned.
  private var start = 0
  /// The bytes before have no line end.
  private var searched = 0
  private var isAtEnd = false
  /// The number of the last line that was returned, from 1.
  private(set) var lineNumber = 0

  private static let readByteCount = 1 << 16

  /// The next line that is not empty, without its end; nil at the end of the input.
  ///
  /// - Throws: `ToolError.input`.
  mutating func next() throws(ToolError) -> ArraySlice<UInt8>? {
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = buffer[start..<end]
        start = end + 1
        searched = start
        lineNumber += 1
        if !line.isEmpty { return line }
        continue
      }
      searched = buffer.count
      if isAtEnd {
        guard start < buffer.count else { return nil }
        let line = buffer[start...]
        start = buffer.count
        lineNumber += 1
        return line
      }
      try read()
    }
  }

  private mutating func read() throws(ToolError) {
    buffer.removeFirst(start)
    searched -= start
    start = 0
    var failure: Int32?
    var found = 0
    let more = [UInt8](unsafeUninitializedCapacity: Self.readByteCount) { bytes, count in
      repeat {
        found = Foundation.read(STDIN_FILENO, bytes.baseAddress, Self.readByteCount)
      } while found < 0 && errno == EINTR
      if found < 0 { failure = errno }
      count = max(0, found)
    }
    if let failure { throw .input(String(cString: strerror(failure))) }
    if found == 0 { isAtEnd = true }
    buffer.append(contentsOf: more)
  }
}
