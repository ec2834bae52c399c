// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataPrimitives
import StrataRecord

/// A text that is compared with the UTF-8 bytes of records, and whether bytes alone can decide.
///
/// Text compares by canonical equivalence. Where both texts are *simple*, of scalars below U+0300
/// alone, that is byte order, for these neither combine nor decompose; most comparisons come down to
/// it. Otherwise texts are in the order of the normal form, as in indexes, so that a fetch has the same
/// answer with an index and without. (`String.<` itself is not asked: in Swift 6.3 neither of
/// "e\u{301}" and "\u{E9}2" is less than the other.)
struct TextBytes: Sendable {
  let string: String
  let bytes: [UInt8]
  /// Whether bytes tell the order of this text and another that is simple.
  let isSimple: Bool
  /// Whether each occurrence of the bytes in a simple text is one of the characters: so unless they
  /// could be part of CR LF, which is a single one.
  let isBytewise: Bool

  init(_ string: String) {
    self.string = string
    bytes = Array(string.utf8)
    let isSimple = bytes.withUnsafeBytes(Self.isSimple)
    self.isSimple = isSimple
    isBytewise = isSimple && !bytes.contains(0x0A) && !bytes.contains(0x0D)
  }

  /// Whether `text` is equal to this one.
  func isEqual(to text: UnsafeRawBufferPointer) -> Bool {
    if text.count == bytes.count, isFound(in: text, at: 0) { return true }
    if isSimple, Self.isSimple(text) { return false }
    return String(decoding: text, as: UTF8.self) == string
  }

  /// Whether `text` comes before this one (negative), is equal (0), or comes after (positive).
  func order(of text: UnsafeRawBufferPointer) -> Int {
    if isSimple, Self.isSimple(text) {
      return bytes.withUnsafeBytes { text.order(to: $0) }
    }
    return order(of: String(decoding: text, as: UTF8.self))
  }

  /// As `order(of:)`, of a string.
  func order(of other: String) -> Int { NormalForm.compare(other, string) }

  /// Whether these bytes lie in `text` from `offset` on; false if they do not fit there.
  func isFound(in text: UnsafeRawBufferPointer, at offset: Int) -> Bool {
    guard offset >= 0, text.count - offset >= bytes.count else { return false }
    guard !bytes.isEmpty, let start = text.baseAddress else { return true }
    return bytes.withUnsafeBytes { own in
      own.baseAddress.map { memcmp(start + offset, $0, own.count) == 0 } ?? true
    }
  }

  /// Whether all scalars are below U+0300: then their bytes are below 0xCC.
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
