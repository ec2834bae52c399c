// SPDX-License-Identifier: Apache-2.0
import CStrata
import StrataPrimitives
import StrataRecord

/// A text to compare with the UTF-8 bytes of records, and whether comparing bytes is sufficient.
///
/// Texts compare by canonical equivalence. A *simple* text has only scalars below U+0300, which
/// neither combine nor decompose. Two simple texts have the order of their bytes, which decides
/// most comparisons. Other texts are in the order of the normal form, as in indexes, so that a
/// fetch has the same result with and without an index. (`String.<` is not used: in Swift 6.3,
/// neither of "e\u{301}" and "\u{E9}2" is less than the other.)
///
/// With options, both texts are folded before. An ASCII text is folded by changing its capital
/// letters to small ones, byte by byte; no other text is compared as bytes then.
struct TextBytes: Sendable {
  /// The folded text, with its marks in canonical order.
  let string: String
  let options: TextOptions
  let bytes: [UInt8]
  /// Whether bytes determine the order of this text and another simple one.
  let isSimple: Bool
  /// Whether each occurrence of the bytes in a simple text is an occurrence of the characters. This
  /// is false if the text contains CR or LF, because CR LF is a single character.
  let isBytewise: Bool

  init(_ string: String, _ options: TextOptions = []) {
    let string = options.folded(string).withOrderedMarks
    self.string = string
    self.options = options
    bytes = Array(string.utf8)
    let isSimple = bytes.withUnsafeBytes { Self.isSimple($0, options: []) }
    self.isSimple = isSimple
    isBytewise = isSimple && !bytes.contains(0x0A) && !bytes.contains(0x0D)
  }

  /// Whether `text` is equal to this text.
  func isEqual(to text: UnsafeRawBufferPointer) -> Bool {
    if isSimple, Self.isSimple(text, options: options) { return orderOfBytes(of: text) == 0 }
    return comparable(String(decoding: text, as: UTF8.self)) == string
  }

  /// Returns the order: negative if `text` comes before this text, 0 if both are equal, positive if
  /// `text` comes after.
  func order(of text: UnsafeRawBufferPointer) -> Int {
    if isSimple, Self.isSimple(text, options: options) { return orderOfBytes(of: text) }
    return order(of: String(decoding: text, as: UTF8.self))
  }

  /// Returns the order of a string: negative if `other` comes before this text, 0 if both are
  /// equal, positive if `other` comes after.
  func order(of other: String) -> Int { NormalForm.compare(options.folded(other), string) }

  /// Whether this text is the part of `text`. Whole characters are compared, so "e" is not a prefix
  /// of "é".
  func isFound(at part: TextPart, of text: UnsafeRawBufferPointer) -> Bool {
    guard isBytewise, Self.isSimple(text, options: options) else {
      return isFound(at: part, of: String(decoding: text, as: UTF8.self))
    }
    guard text.count >= bytes.count else { return false }
    switch part {
    case .prefix: return orderOfBytes(of: .init(rebasing: text.prefix(bytes.count))) == 0
    case .suffix: return orderOfBytes(of: .init(rebasing: text.suffix(bytes.count))) == 0
    case .infix: return occurs(in: text)
    }
  }

  /// Whether this text is the part of a string.
  func isFound(at part: TextPart, of other: String) -> Bool {
    part.isFound(string, in: comparable(other))
  }

  /// A text in the form of this text.
  private func comparable(_ other: String) -> String { options.folded(other).withOrderedMarks }

  // MARK: - Bytes

  private func orderOfBytes(of text: UnsafeRawBufferPointer) -> Int {
    bytes.withUnsafeBytes { own in
      options.contains(.caseInsensitive)
        ? Int(strata_compare_caseless(text.baseAddress, text.count, own.baseAddress, own.count))
        : text.order(to: own)
    }
  }

  private func occurs(in text: UnsafeRawBufferPointer) -> Bool {
    bytes.withUnsafeBytes { own in
      options.contains(.caseInsensitive)
        ? strata_contains_caseless(text.baseAddress, text.count, own.baseAddress, own.count)
        : strata_contains(text.baseAddress, text.count, own.baseAddress, own.count)
    }
  }

  /// Whether the bytes of a text can be compared with those of a simple one: without options, if
  /// all scalars are below U+0300, whose bytes are below 0xCC; with options, if the text is ASCII.
  private static func isSimple(_ text: UnsafeRawBufferPointer, options: TextOptions) -> Bool {
    strata_are_below(text.baseAddress, text.count, options.isEmpty ? 0xCC : 0x80)
  }
}
