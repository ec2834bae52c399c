// SPDX-License-Identifier: Apache-2.0
internal import Foundation
import StrataPrimitives

#if !canImport(Darwin)
  @_spi(_Unicode) internal import Swift
#endif

/// The NFC form of a text, from which its key is made: canonically equivalent texts have one, and
/// the order of its bytes is the order of Swift's `<`.
///
/// Most text is in this form already, which a check of its bytes shows. For the rest the form is
/// the standard library's own, so that keys and `<` follow the same tables of Unicode.
package enum NormalForm {
  /// Whether the first `byteCount` bytes of a UTF-8 text are certainly in NFC. If the result is
  /// false, they may still be.
  ///
  /// The text behind them is examined as far as it could combine with them.
  static func isCertain(_ text: UnsafeRawBufferPointer, upTo byteCount: Int) -> Bool {
    // The range has at least one whole scalar beyond the cut, and only whole ones.
    var end = min(text.count, byteCount + 16)
    if end < text.count {
      while end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
    }
    return isCertain(UnsafeRawBufferPointer(rebasing: text[..<end]))
  }

  /// Whether UTF-8 `bytes` are in NFC for certain.
  ///
  /// Scalars below U+0300 neither combine nor decompose, and their bytes are all below 0xCC. Among
  /// the other scripts, this recognises the ones in which most text consists of such scalars too.
  private static func isCertain(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    let count = bytes.count
    while index + 8 <= count {
      let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      if word & 0x8080_8080_8080_8080 != 0 { break }
      // The last eight may be looked at with some before them.
      if index + 8 == count { return true }
      index = min(index + 8, count - 8)
    }
    while index < count {
      let lead = bytes[index]
      if lead < 0xCC {
        index += 1
        continue
      }
      let length = lead < 0xE0 ? 2 : 3
      guard lead < 0xF0, index + length <= count else { return false }
      var scalar = UInt32(lead & (length == 2 ? 0x1F : 0x0F))
      for next in bytes[(index + 1)..<(index + length)] {
        guard next & 0xC0 == 0x80 else { return false }
        scalar = scalar << 6 | UInt32(next & 0x3F)
      }
      guard isInert(scalar) else { return false }
      index += length
    }
    return true
  }

  /// Whether the scalar is its own NFC form, is not a combining mark and composes with none before
  /// it. The tests hold this against Unicode's tables for every scalar.
  package static func isInert(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x0000...0x02FF: true  // Latin
    case 0x0391...0x03A1, 0x03A3...0x03CE: true  // Greek
    case 0x0400...0x0482, 0x048A...0x052F: true  // Cyrillic
    case 0x05D0...0x05EA: true  // Hebrew
    case 0x0621...0x064A, 0x0660...0x066F, 0x0679...0x06BF: true  // Arabic, Persian, Urdu
    case 0x0E01...0x0E30: true  // Thai
    case 0x1E00...0x1E9F, 0x1EA0...0x1EF9: true  // Latin, Vietnamese
    case 0x2010...0x2027, 0x2030...0x203E, 0x20A0...0x20BF: true  // punctuation, currencies
    case 0x3001...0x3029, 0x3041...0x3096, 0x30A1...0x30FA: true  // CJK punctuation, kana
    case 0x4E00...0x9FFF: true  // Han
    case 0xAC00...0xD7A3: true  // Hangul
    default: false
    }
  }

  /// Whether `left` is before (-1), equivalent to (0) or after (1) `right` in the order of keys.
  ///
  /// Evaluation and sorting compare with it, so that they agree with every index. Swift's `<` is
  /// the same but for one shortcut (6.3): of two texts of which one begins with the other, in UTF-8
  /// or in NFC, it compares the lengths that they happen to have, which is another order if one of
  /// them is not in NFC.
  package static func compare(_ left: String, _ right: String) -> Int {
    var (left, right) = (left, right)
    let quick: Int? = left.withUTF8 { left in
      right.withUTF8 { right in
        let (left, right) = (UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
        guard isCertain(left), isCertain(right) else { return nil }
        return left.order(to: right).signum()
      }
    }
    if let quick { return quick }
    return bytes(of: left, byteCountMin: .max).withUnsafeBytes { left in
      bytes(of: right, byteCountMin: .max).withUnsafeBytes { left.order(to: $0).signum() }
    }
  }

  /// The UTF-8 of `text` in NFC, at least the first `byteCountMin` bytes of it.
  package static func bytes(of text: String, byteCountMin: Int) -> [UInt8] {
    #if canImport(Darwin)
      return Array(text.withOrderedMarks.precomposedStringWithCanonicalMapping.utf8)
    #else
      var bytes: [UInt8] = []
      for scalar in text.withOrderedMarks._nfc {
        bytes.append(contentsOf: UTF8.encode(scalar)!)
        if bytes.count >= byteCountMin { break }
      }
      return bytes
    #endif
  }
}
