// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataRecord
import StrataTestSupport

/// Every type that an attribute can have.
let everyType: [AttributeType] = (1...18).map { AttributeType(rawValue: $0)! }

/// Every kind of slot with a place.
let everyKind: [SlotKind] = everyType.map { .attribute($0) } + [.toOne]

let sampleStore = StoreIdentity(UUID(uuidString: "4B4B0B3C-3B3E-4A67-8E0C-7A7D5AA6E5B1")!)

/// A layout of slots of these kinds, numbered from 1 in order.
func makeLayout(_ kinds: [SlotKind], version: UInt16 = 1, transient: Set<Int> = []) -> RecordLayout
{
  RecordLayout(
    version: version,
    slots: kinds.enumerated().map { index, kind in
      SlotDescription(
        number: PropertyNumber(rawValue: UInt16(index + 1)), kind: kind,
        isTransient: transient.contains(index))
    })
}

/// The record of these values; `.null` is absent.
func makeRecord(_ values: [PropertyValue], _ layout: RecordLayout, base: Record? = nil) -> Record {
  var drafts = DraftArena()
  let draft = Draft.make(layout, base: base, in: &drafts)
  for (slot, value) in values.enumerated() where layout.places[slot].isPlaced {
    draft.setValue(value, at: slot)
  }
  var arena = RecordArena()
  return draft.encode(into: &arena)
}

func values(_ record: Record, _ layout: RecordLayout) -> [PropertyValue] {
  layout.places.indices.map { record.value(at: $0, layout: layout, store: sampleStore) }
}

func bytes(_ record: Record) -> [UInt8] { record.withUnsafeBytes { Array($0) } }

/// Bytes as the format's documentation writes them: `01 0A FF`.
func hex(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
    .joined(separator: " ")
}

func objectID(_ rawValue: UInt64) -> PropertyValue {
  .object(ObjectID(store: sampleStore, key: ObjectKey(rawValue: rawValue)))
}

// MARK: - Random values

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
      let (high, low) = (chance(2) ? 0 : next(), bits())
      return .uuid(UUID(uuid: unsafeUUID(high, low)))
    case .url: return .url(URL(string: "https://example.org/\(bits() % 1000)?\(bits() % 7)")!)
    case .codable: return .codable(Data("\(bits())".utf8))
    }
  }

  private func unsafeUUID(_ high: UInt64, _ low: UInt64) -> uuid_t {
    func byte(_ word: UInt64, _ index: UInt64) -> UInt8 {
      UInt8(truncatingIfNeeded: word >> (56 - 8 * index))
    }
    return (
      byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5),
      byte(high, 6), byte(high, 7), byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3),
      byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
    )
  }
}

/// Whether a value that was read is the one that was set: NaN is, too.
func isSame(_ left: PropertyValue, _ right: PropertyValue) -> Bool {
  switch (left, right) {
  case (.double(let left), .double(let right)):
    left.bitPattern == right.bitPattern || left.isNaN && right.isNaN
  case (.date(let left), .date(let right)):
    isSame(
      .double(left.timeIntervalSinceReferenceDate), .double(right.timeIntervalSinceReferenceDate))
  case (.decimal(let left), .decimal(let right)): left == right || left.isNaN && right.isNaN
  case (.string(let left), .string(let right)): Array(left.utf8) == Array(right.utf8)
  default: left == right
  }
}
