// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The lines of the standard input. In memory is the present line and a part of the next.
///
/// The length of a line is limited, so that an input without line ends does not fill the memory.
struct LineReader {
  /// The default limit, 8 GiB: the largest external value, 4 GiB - 1, takes 5.4 GiB in base 64.
  static var lineByteCountMax: Int { lineByteCountMaxInTests ?? 8 << 30 }

  private var buffer: [UInt8] = []
  /// The bytes before are lines that were returned.
  private var start = 0
  /// The bytes before have no line end.
  private var searched = 0
  private var isAtEnd = false
  /// The number of the last line that was returned, from 1.
  private(set) var lineNumber = 0

  private static let readByteCount = 1 << 16

  #if DEBUG
    /// The environment variable `STRATA_LINE_BYTE_COUNT_MAX`: a number in place of the default, so
    /// that a test of it needs little memory. Release builds ignore it.
    private static let lineByteCountMaxInTests = getenv("STRATA_LINE_BYTE_COUNT_MAX").flatMap {
      Int(String(cString: $0))
    }
  #else
    private static var lineByteCountMaxInTests: Int? { nil }
  #endif

  private let lineByteCountMax: Int
  private let source: Int32

  /// - Parameters:
  ///   - source: the file descriptor to read.
  ///   - lineByteCountMax: the maximum length of a line, without its end.
  init(from source: Int32 = STDIN_FILENO, lineByteCountMax: Int = Self.lineByteCountMax) {
    self.source = source
    self.lineByteCountMax = lineByteCountMax
  }

  /// The next line that is not empty, without its end; nil at the end of the input.
  ///
  /// - Throws: `ToolError.input`; `.dumpLine` if the line is too long.
  mutating func next() throws(ToolError) -> ArraySlice<UInt8>? {
    while true {
      let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n"))
      searched = end ?? buffer.count
      guard searched - start <= lineByteCountMax else {
        throw .dumpLine(
          number: lineNumber + 1, reason: "it is longer than \(lineByteCountMax) bytes")
      }
      if end == nil, !isAtEnd {
        try read()
        continue
      }
      if end == nil, start == buffer.count { return nil }
      let line = buffer[start..<searched]
      start = end.map { $0 + 1 } ?? buffer.count
      searched = start
      lineNumber += 1
      if !line.isEmpty { return line }
    }
  }

  private mutating func read() throws(ToolError) {
    buffer.removeFirst(start)
    searched -= start
    start = 0
    var failure: Int32?
    var found = 0
    let more = [UInt8](unsafeUninitializedCapacity: Self.readByteCount) { [source] bytes, count in
      repeat {
        found = Foundation.read(source, bytes.baseAddress, Self.readByteCount)
      } while found < 0 && errno == EINTR
      if found < 0 { failure = errno }
      count = max(0, found)
    }
    if let failure { throw .input(String(cString: strerror(failure))) }
    if found == 0 { isAtEnd = true }
    buffer.append(contentsOf: more)
  }
}
