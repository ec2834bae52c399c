// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataRecord

/// The store of all objects in values that are made of bytes.
let storeOfValues = StoreIdentity(UUID(uuidString: "4B4B0B3C-3B3E-4A67-8E0C-7A7D5AA6E5B1")!)

/// Values that bytes decide: any bytes are a value of each kind, and equal bytes are equal values. So
/// a seed makes the same values again, and a fuzzer that changes a byte changes one value.
///
/// | byte | meaning |
/// | --- | --- |
/// | 0, bit 0 | whether a Bool is true, a decimal negative, and the bits of another number inverted |
/// | 0, bit 1 | whether a double or date is a whole number, not any bits |
/// | 0, bit 2 | whether a decimal is NaN |
/// | 1 to 8 | the number; of a decimal, byte 1 is the exponent |
/// | 2 to 17 | the digits of a decimal |
///
/// Texts, data, UUIDs and URLs have all of the bytes.
extension PropertyValue {
  /// `.null` of no bytes, of a text that is no URL, and of a to-many relationship.
  init(_ kind: SlotKind, from bytes: ArraySlice<UInt8>) {
    self = .null
    guard let first = bytes.first, kind != .toMany else { return }
    let rest = bytes.dropFirst()
    let bits = rest.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    let filled = first & 1 == 0 ? bits : ~bits
    guard case .attribute(let type) = kind else {
      self = .object(ObjectID(store: storeOfValues, key: ObjectKey(rawValue: filled | 1)))
      return
    }
    switch type {
    case .bool: self = .bool(first & 1 == 1)
    case .int8: self = .int(Int64(Int8(truncatingIfNeeded: filled)))
    case .int16: self = .int(Int64(Int16(truncatingIfNeeded: filled)))
    case .int32: self = .int(Int64(Int32(truncatingIfNeeded: filled)))
    case .int64: self = .int(Int64(bitPattern: filled))
    case .uint8: self = .uint(UInt64(UInt8(truncatingIfNeeded: filled)))
    case .uint16: self = .uint(UInt64(UInt16(truncatingIfNeeded: filled)))
    case .uint32: self = .uint(UInt64(UInt32(truncatingIfNeeded: filled)))
    case .uint64: self = .uint(filled)
    case .float: self = .double(Double(Float(bitPattern: UInt32(truncatingIfNeeded: filled))))
    case .double: self = .double(Self.number(first, filled))
    case .decimal: self = .decimal(Self.decimal(first, rest))
    case .string: self = .string(String(decoding: bytes, as: UTF8.self))
    case .data: self = .data(Data(bytes))
    case .date: self = .date(Date(timeIntervalSinceReferenceDate: Self.number(first, filled)))
    case .uuid:
      let padded = Array((bytes + [UInt8](repeating: 0, count: 16)).prefix(16))
      self = .uuid(UUID(uuid: padded.withUnsafeBytes { $0.load(as: uuid_t.self) }))
    case .url:
      if let url = URL(string: String(decoding: bytes, as: UTF8.self)) { self = .url(url) }
    case .codable: self = .codable(Data(bytes))
    }
  }

  private static func number(_ first: UInt8, _ bits: UInt64) -> Double {
    first & 2 == 0 ? Double(bitPattern: bits) : Double(Int64(bitPattern: bits))
  }

  private static func decimal(_ first: UInt8, _ bytes: ArraySlice<UInt8>) -> Decimal {
    let mantissa = bytes.dropFirst().prefix(16).reduce(0 as UInt128) { $0 << 8 | UInt128($1) }
    return Decimal(
      sign: first & 1 == 0 ? .plus : .minus, exponent: Int(Int8(bitPattern: bytes.first ?? 0)),
      significand: first & 4 == 0 ? Decimal(string: String(mantissa)) ?? .nan : .nan)
  }
}
