// SPDX-License-Identifier: Apache-2.0
public import StrataModel

/// A type that a column of a fetched row can have: an attribute's type, `ObjectID` for a
/// relationship's target or the object itself, or an optional one.
///
/// Every `AttributeValue` is one too, declared enums included.
public protocol ColumnValue: Sendable {
  /// The value that `slot` holds; nil if it holds none, or one of another type, or bytes that mean
  /// no value of this one (an enum's raw value without a case).
  init?(_ slot: _RecordSlot)

  /// The value that `value` is; nil if it is of another type or not representable in this one.
  init?(value: PropertyValue)

  /// The value of `slot`, or the result of `other` if it has none. The default implementation uses
  /// the initializer.
  ///
  /// With it, code that is compiled once for all types need not handle an optional of an unknown
  /// type: finding out the type would take longer than reading the value.
  static func read(_ slot: _RecordSlot, orElse other: () throws -> Self) throws -> Self
}

extension ColumnValue {
  @inlinable
  public static func read(_ slot: _RecordSlot, orElse other: () throws -> Self) throws -> Self {
    if slot.isPresent, let value = Self(slot) { return value }
    return try other()
  }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
  @inlinable public init?(_ slot: _RecordSlot) {
    if let wrapped = Wrapped(slot) {
      self = wrapped
    } else if slot.isPresent || slot.code == .external {
      // The value of an external slot is stored elsewhere, whatever the record says of it.
      return nil
    } else {
      self = nil
    }
  }

  public init?(value: PropertyValue) {
    if value == .null {
      self = nil
    } else if let wrapped = Wrapped(value: value) {
      self = wrapped
    } else {
      return nil
    }
  }
}

extension ObjectID: ColumnValue {
  /// Nil: a slot has a key, which is an ID only together with its store.
  public init?(_ slot: _RecordSlot) { nil }

  public init?(value: PropertyValue) {
    guard case .object(let id) = value else { return nil }
    self = id
  }
}
