// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel

/// The order of two values of one kind as Docs/FileFormat.md, "Keys", says it: nil first, numbers by
/// size with NaN last, texts by the scalars of their NFC forms, everything else by its bytes.
///
/// It compares the values themselves, and knows nothing of keys. Its NFC form is Foundation's, with
/// Hangul syllables composed here.
enum ValueOrder {
  /// - Returns: -1, 0 or 1.
  static func order(_ left: PropertyValue, _ right: PropertyValue) -> Int {
    switch (left, right) {
    case (.null, .null): 0
    case (.null, _): -1
    case (_, .null): 1
    case (.bool(let left), .bool(let right)): order(left ? 1 : 0, right ? 1 : 0)
    case (.int(let left), .int(let right)): order(left, right)
    case (.uint(let left), .uint(let right)): order(left, right)
    case (.double(let left), .double(let right)): order(numbers: left, right)
    case (.date(let left), .date(let right)):
      order(numbers: left.timeIntervalSinceReferenceDate, right.timeIntervalSinceReferenceDate)
    case (.decimal(let left), .decimal(let right)): order(Digits(left), Digits(right))
    case (.string(let left), .string(let right)): order(texts: left, right)
    case (.url(let left), .url(let right)):
      order(texts: left.absoluteString, right.absoluteString)
    case (.data(let left), .data(let right)), (.codable(let left), .codable(let right)):
      order(lists: Array(left), Array(right))
    case (.uuid(let left), .uuid(let right)):
      order(lists: bytes(left), bytes(right))
    case (.object(let left), .object(let right)):
      order(left.key.rawValue, right.key.rawValue)
    default: preconditionFailure("values of two kinds are not compared")
    }
  }

  private static func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
    left < right ? -1 : left == right ? 0 : 1
  }

  private static func order(numbers left: Double, _ right: Double) -> Int {
    left.isNaN || right.isNaN
      ? order(left.isNaN ? 1 : 0, right.isNaN ? 1 : 0) : order(left, right)
  }

  private static func order(texts left: String, _ right: String) -> Int {
    order(lists: normalForm(left), normalForm(right))
  }

  /// Foundation of Swift 6.3 leaves out the composition of Hangul syllables with their last sound.
  private static func normalForm(_ text: String) -> [UInt32] {
    var syllables = String.UnicodeScalarView()
    for value in composedSyllables(text.unicodeScalars.map(\.value)) {
      syllables.append(Unicode.Scalar(value)!)
    }
    let form = String(syllables).precomposedStringWithCanonicalMapping
    return composedSyllables(form.unicodeScalars.map(\.value))
  }

  /// The Unicode Standard, section 3.12: Hangul Syllable Composition.
  private static func composedSyllables(_ scalars: [UInt32]) -> [UInt32] {
    var composed: [UInt32] = []
    for scalar in scalars {
      switch (composed.last, scalar) {
      case (let first?, 0x1161...0x1175) where 0x1100...0x1112 ~= first:
        composed[composed.count - 1] = 0xAC00 + ((first - 0x1100) * 21 + scalar - 0x1161) * 28
      case (let pair?, 0x11A8...0x11C2) where 0xAC00...0xD7A3 ~= pair && (pair - 0xAC00) % 28 == 0:
        composed[composed.count - 1] = pair + scalar - 0x11A7
      default: composed.append(scalar)
      }
    }
    return composed
  }

  private static func order<Element: Comparable>(lists left: [Element], _ right: [Element]) -> Int {
    left.lexicographicallyPrecedes(right) ? -1 : left == right ? 0 : 1
  }

  private static func bytes(_ uuid: UUID) -> [UInt8] {
    withUnsafeBytes(of: uuid.uuid) { [UInt8]($0) }
  }

  /// A decimal number as 0.d₁d₂… · 10^magnitude, d₁ above 0.
  private struct Digits: Comparable {
    let isNaN: Bool
    /// -1, 0 or 1.
    let sign: Int
    let magnitude: Int
    let digits: [UInt8]

    init(_ decimal: Decimal) {
      isNaN = decimal.isNaN
      var digits = decimal.isNaN ? [] : Array("\(decimal.significand.magnitude)".utf8)
      sign = decimal.isNaN || decimal.isZero ? 0 : decimal.sign == .plus ? 1 : -1
      magnitude = digits.count + decimal.exponent
      while digits.last == UInt8(ascii: "0") { digits.removeLast() }
      self.digits = digits
    }

    static func == (left: Digits, right: Digits) -> Bool { !(left < right) && !(right < left) }

    static func < (left: Digits, right: Digits) -> Bool {
      if left.isNaN || right.isNaN { return !left.isNaN && right.isNaN }
      if left.sign != right.sign { return left.sign < right.sign }
      if left.sign == 0 { return false }
      if left.magnitude != right.magnitude {
        return (left.magnitude < right.magnitude) == (left.sign > 0)
      }
      return left.sign > 0
        ? left.digits.lexicographicallyPrecedes(right.digits)
        : right.digits.lexicographicallyPrecedes(left.digits)
    }
  }
}
