// SPDX-License-Identifier: Apache-2.0

/// A key of the terminal.
enum Key: Equatable, Sendable {
  case up, down, pageUp, pageDown, home, end
  case enter, escape, backspace
  /// Control and a letter, in lower case.
  case control(Character)
  case text(Character)

  private static let sequences: [String: Key] = [
    "[A": .up, "OA": .up, "[B": .down, "OB": .down, "[5~": .pageUp, "[6~": .pageDown,
    "[H": .home, "OH": .home, "[1~": .home, "[F": .end, "OF": .end, "[4~": .end,
  ]

  /// Finds the keys in the bytes of one read, and leaves an incomplete character for the next.
  ///
  /// The escape key sends the byte with which the sequences of other keys begin. It is told from
  /// them by its being alone.
  static func keys(in bytes: inout [UInt8]) -> [Key] {
    var keys: [Key] = []
    while let first = bytes.first {
      switch first {
      case 0x1B:
        let end = bytes.dropFirst(2).firstIndex { $0 == 0x7E || (0x41...0x5A).contains($0) }
        guard bytes.count > 2, bytes[1] == 0x5B || bytes[1] == 0x4F, let end else {
          keys.append(.escape)
          bytes.removeFirst()
          continue
        }
        if let key = sequences[String(decoding: bytes[1...end], as: UTF8.self)] { keys.append(key) }
        bytes.removeFirst(end + 1)
      case 0x0A, 0x0D:
        keys.append(.enter)
        bytes.removeFirst()
      case 0x08, 0x7F:
        keys.append(.backspace)
        bytes.removeFirst()
      case 0x00..<0x20:
        keys.append(.control(Character(UnicodeScalar(first + 0x60))))
        bytes.removeFirst()
      default:
        let count = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        guard bytes.count >= count else { return keys }
        keys += String(decoding: bytes[..<count], as: UTF8.self).map { .text($0) }
        bytes.removeFirst(count)
      }
    }
    return keys
  }
}
