// SPDX-License-Identifier: Apache-2.0

/// How an attribute's value is stored. The raw values are part of the file format.
///
/// `RawRepresentable` enums are stored as their raw value's type; `Codable` structs as `codable`.
public enum AttributeType: UInt8, Sendable, Hashable, Codable {
  case bool = 1
  case int8 = 2
  case int16 = 3
  case int32 = 4
  case int64 = 5
  case uint8 = 6
  case uint16 = 7
  case uint32 = 8
  case uint64 = 9
  case float = 10
  case double = 11
  case decimal = 12
  case string = 13
  case data = 14
  case date = 15
  case uuid = 16
  case url = 17
  case codable = 18
}
