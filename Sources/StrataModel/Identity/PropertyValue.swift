// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// A property's value without its static type, for defaults, predicates and dictionary results.
/// Reading a property of an object never uses it.
public enum PropertyValue: Sendable, Hashable {
  /// No value.
  case null
  case bool(Bool)
  /// Every signed integer type.
  case int(Int64)
  /// Every unsigned integer type.
  case uint(UInt64)
  /// `Float` and `Double`.
  case double(Double)
  case decimal(Decimal)
  case string(String)
  case data(Data)
  case date(Date)
  case uuid(UUID)
  case url(URL)
  /// The encoded bytes of a `Codable` value.
  case codable(Data)
  /// The target of a to-one relationship.
  case object(ObjectID)
}
