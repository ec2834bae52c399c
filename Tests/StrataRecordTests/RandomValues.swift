// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataRecord
import StrataTestSupport

/// Random values of each kind of slot, with those that are hard on records and keys.
extension SeededGenerator {
  mutating func bits() -> UInt64 { next() >> UInt64.random(in: 0..<64, using: &self) }

  mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &self) == 0 }

  mutating func bytes(_ countMax: Int) -> [UInt8] {
    (0..<Int.random(in: 0...countMax, using: &self)).map { _ in
      chance(3) ? UInt8.random(in: 0...4, using: &self) : UInt8(truncatingIfNeeded: next())
    }
  }

  /// Texts that are hard on keys: empty, with NULs, decomposed, with marks in the wrong order, and
  /// with beginnings in common.
  mutating func text(_ countMax: Int = 6) -> String {
    let pieces = [
      "a", "b", "A", "\0", "\u{1}", "\u{2}", "\u{3}", "e\u{301}", "é", "e", "\u{301}", "\u{323}",
      "q\u{307}\u{323}", "q\u{323}\u{307}", "Å", "\u{212B}", "A\u{30A}", "한",
      "\u{1112}\u{1161}\u{11AB}",
      "가", "ا", "آ", "ا\u{653}", "日", "か\u{3099}", "が", "😀", "🇩🇪", "ﬀ", "\u{0344}", "Lavāsān", " ",
      "\u{7F}", "\u{80}", "ÿ", "\u{FFFF}", "\u{10FFFF}", "ё", "\u{F900}", "\u{1D15E}",
      "K", "\u{212A}", ";", "\u{37E}",
    ]
    let count = Int.random(in: 0...countMax, using: &self)
    return (0..<count).map { _ in pieces.randomElement(using: &self)! }.joined()
  }

  mutating func double() -> Double {
    let special: [Double] = [
      0, -0.0, .infinity, -.infinity, .nan, -.nan, .leastNonzeroMagnitude, 1, -1,
      .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
    ]
    switch Int.random(in: 0..<3, using: &self) {
    case 0: return special.randomElement(using: &self)!
    case 1: return Double(Int.random(in: -50...50, using: &self)) / 4
    default: return Double(bitPattern: next())
    }
  }

  mutating func decimal() -> Decimal {
    switch Int.random(in: 0..<6, using: &self) {
    case 0:
      return [
        Decimal.nan, 0, 1, -1, 10, 100, Decimal.greatestFiniteMagnitude,
        Decimal.leastFiniteMagnitude, Decimal.leastNonzeroMagnitude,
      ].randomElement(using: &self)!
    case 1: return Decimal(Int.random(in: -20...20, using: &self)) * 10
    case 2:
      let wide = Decimal(next()) * Decimal(next() >> 3)
      return chance(2) ? wide : -wide
    default:
      return Decimal(
        sign: chance(2) ? .plus : .minus, exponent: Int.random(in: -30...30, using: &self),
        significand: Decimal(bits()))
    }
  }

  mutating func value(_ kind: SlotKind) -> PropertyValue {
    guard case .attribute(let type) = kind else {
      return objectID(UInt64.random(in: 1...9, using: &self) << 48 | (bits() >> 16 | 1))
    }
    switch type {
    case .bool: return .bool(chance(2))
    case .int8: return .int(Int64(Int8(truncatingIfNeeded: next())))
    case .int16: return .int(Int64(Int16(truncatingIfNeeded: next())))
    case .int32: return .int(Int64(Int32(truncatingIfNeeded: next())))
    case .int64:
      let number = Int64(bitPattern: bits())
      return .int(
        chance(10)
          ? [.min, .max, 0, -1].randomElement(using: &self)!
          : chance(2) ? number : 0 &- number)
    case .uint8: return .uint(UInt64(UInt8(truncatingIfNeeded: next())))
    case .uint16: return .uint(UInt64(UInt16(truncatingIfNeeded: next())))
    case .uint32: return .uint(UInt64(UInt32(truncatingIfNeeded: next())))
    case .uint64: return .uint(chance(10) ? .max : bits())
    case .float: return .double(Double(Float(double())))
    case .double: return .double(double())
    case .decimal: return .decimal(decimal())
    case .string: return .string(text())
    case .data: return .data(Data(bytes(6)))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: double()))
    case .uuid:
      // In the order of comparison: small values end in their bits.
      let words = ((chance(2) ? 0 : next()).bigEndian, bits().bigEndian)
      return .uuid(UUID(uuid: withUnsafeBytes(of: words) { $0.load(as: uuid_t.self) }))
    case .url: return .url(URL(string: "https://example.org/\(bits() % 1000)?\(bits() % 7)")!)
    case .codable: return .codable(Data("\(bits())".utf8))
    }
  }
}
