// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// The values of an index of words.
///
/// ```
///  a word      [folded UTF-8] 01          an entry for each object that has it
///  a length    00 [80 + n] [n bytes]      an entry for each object with a text: how many words
/// ```
///
/// No folded word has a byte below 20, so a word ends at its 01, a prefix of words is a prefix of
/// keys, and all lengths come before all words. Docs/FileFormat.md has them byte for byte.
package enum WordKey {
  /// The byte behind a word.
  package static var end: UInt8 { 1 }
  /// The bytes with which all lengths begin.
  package static var lengths: [UInt8] { [0] }

  /// The value of a word.
  package static func value(of word: [UInt8]) -> [UInt8] { word + [end] }

  /// Appends the value of a length, which is the key of the number as an integer.
  static func append(length: Int, to bytes: inout [UInt8]) {
    bytes.append(0)
    KeyEncoder.append(value: .int(Int64(length)), kind: .attribute(.int64), to: &bytes)
  }

  /// The length that a value says; nil for the value of a word, and for damage.
  ///
  /// - Parameter value: a value, or a whole entry.
  package static func length(of value: UnsafeRawBufferPointer) -> Int? {
    guard value.count >= 2, value[0] == 0, value[1] >= 0x80 else { return nil }
    let count = Int(value[1]) - 0x80
    guard count <= 4, value.count >= 2 + count else { return nil }
    return value[2..<(2 + count)].reduce(0) { $0 << 8 | Int($1) }
  }
}
