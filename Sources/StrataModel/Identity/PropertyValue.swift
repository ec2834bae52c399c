// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// A property's value without its static type, for defaults, predicates and dictionary results.
/// Reading a property of an object never uses it.
public enum PropertyValue: Sendable, Hashable {
  /// No value.
  case null
  /// A Boolean value.
  case bool(Bool)
  /// Every signed integer type.
  case int(Int64)
  /// Every unsigned integer type.
  case uint(UInt64)
  /// `Float` and `Double`.
  case double(Double)
  /// A decimal number.
  case decimal(Decimal)
  /// A text.
  case string(String)
  /// Bytes.
  case data(Data)
  /// A moment.
  case date(Date)
  /// A UUID.
  case uuid(UUID)
  /// A URL.
  case url(URL)
  /// The encoded bytes of a `Codable` value.
  case codable(Data)
  /// The target of a to-one relationship.
  case object(ObjectID)
}
