// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataPrimitives
import StrataRecord

/// A text to compare with the UTF-8 bytes of records, and whether comparing bytes is sufficient.
///
/// Texts compare by canonical equivalence. A *simple* text has only scalars below U+0300, which
/// neither combine nor decompose. Two simple texts have the order of their bytes, which decides
/// most comparisons. Other texts are in the order of the normal form, as in indexes, so that a
/// fetch has the same result with and without an index. (`String.<` is not used: in Swift 6.3,
/// neither of "e\u{301}" and "\u{E9}2" is less than the other.)
struct TextBytes: Sendable {
  let string: String
  let bytes: [UInt8]
  /// Whether bytes determine the order of this text and another simple one.
  let isSimple: Bool
  /// Whether each occurrence of the bytes in a simple text is an occurrence of the characters. This
  /// is false if the text contains CR or LF, because CR LF is a single character.
  let isBytewise: Bool

  init(_ string: String) {
    self.string = string
    bytes = Array(string.utf8)
    let isSimple = bytes.withUnsafeBytes(Self.isSimple)
    self.isSimple = isSimple
    isBytewise = isSimple && !bytes.contains(0x0A) && !bytes.contains(0x0D)
  }

  /// Whether `text` is equal to this text.
  func isEqual(to text: UnsafeRawBufferPointer) -> Bool {
    if text.count == bytes.count, isFound(in: text, at: 0) { return true }
    if isSimple, Self.isSimple(text) { return false }
    return String(decoding: text, as: UTF8.self) == string
  }

  /// Returns the order: negative if `text` comes before this text, 0 if both are equal, positive if
  /// `text` comes after.
  func order(of text: UnsafeRawBufferPointer) -> Int {
    if isSimple, Self.isSimple(text) {
      return bytes.withUnsafeBytes { text.order(to: $0) }
    }
    return order(of: String(decoding: text, as: UTF8.self))
  }

  /// Returns the order of a string: negative if `other` comes before this text, 0 if both are
  /// equal, positive if `other` comes after.
  func order(of other: String) -> Int { NormalForm.compare(other, string) }

  /// Whether `text` contains these bytes at `offset`; false if they do not fit there.
  func isFound(in text: UnsafeRawBufferPointer, at offset: Int) -> Bool {
    guard offset >= 0, text.count - offset >= bytes.count else { return false }
    guard !bytes.isEmpty, let start = text.baseAddress else { return true }
    return bytes.withUnsafeBytes { own in
      own.baseAddress.map { memcmp(start + offset, $0, own.count) == 0 } ?? true
    }
  }

  /// Whether all scalars are below U+0300: their bytes are then below 0xCC.
  static func isSimple(_ text: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index + 8 <= text.count {
      let word = text.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      if word & 0x8080_8080_8080_8080 != 0 { break }
      index += 8
    }
    while index < text.count {
      if text[index] >= 0xCC { return false }
      index += 1
    }
    return true
  }
}
