// SPDX-License-Identifier: Apache-2.0

/// How an attribute's value is stored. The raw values are part of the file format.
///
/// `RawRepresentable` enums are stored as their raw value's type; `Codable` structs as `codable`.
public enum AttributeType: UInt8, Sendable, Hashable, Codable {
  /// A `Bool`.
  case bool = 1
  /// An `Int8`.
  case int8 = 2
  /// An `Int16`.
  case int16 = 3
  /// An `Int32`.
  case int32 = 4
  /// An `Int64` or an `Int`.
  case int64 = 5
  /// A `UInt8`.
  case uint8 = 6
  /// A `UInt16`.
  case uint16 = 7
  /// A `UInt32`.
  case uint32 = 8
  /// A `UInt64` or a `UInt`.
  case uint64 = 9
  /// A `Float`, bit for bit.
  case float = 10
  /// A `Double`, bit for bit.
  case double = 11
  /// A `Decimal`: its sign, its exponent and its mantissa of 128 bits.
  case decimal = 12
  /// A `String`, as UTF-8.
  case string = 13
  /// Bytes: `Data`.
  case data = 14
  /// A `Date`: the seconds since 1 January 2001, 00:00 UTC, as a double.
  case date = 15
  /// A `UUID`.
  case uuid = 16
  /// A `URL`, as its absolute string: a relative URL comes back resolved.
  case url = 17
  /// A `Codable` value, as JSON with sorted keys.
  case codable = 18
}
