// SPDX-License-Identifier: Apache-2.0
public import StrataModel

/// A type that a column of a fetched row can have: that of an attribute, `ObjectID` for a
/// relationship's target or the object itself, or an optional one.
///
/// Whatever is an `AttributeValue` is one too, enums that say so among them.
public protocol ColumnValue: Sendable {
  /// The value that `slot` holds; nil if it holds none, or one of another type, or bytes that mean
  /// no value of this one (an enum's raw value without a case).
  init?(_ slot: RecordSlot)

  /// The value that `value` is; nil if it is of another type or not representable in this one.
  init?(value: Value)

  /// The value that `slot` holds, or what `other` gives if it holds none. There is no need to write one:
  /// it is made of the initializer.
  ///
  /// It exists so that code which is compiled once for all types need not handle an optional of a type
  /// that it does not know: to find out what that is would take longer than to read the value.
  static func read(_ slot: RecordSlot, orElse other: () throws -> Self) throws -> Self
}

extension ColumnValue {
  @inlinable
  public static func read(_ slot: RecordSlot, orElse other: () throws -> Self) throws -> Self {
    if slot.isPresent, let value = Self(slot) { return value }
    return try other()
  }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
  @inlinable public init?(_ slot: RecordSlot) {
    if let wrapped = Wrapped(slot) {
      self = wrapped
    } else if slot.isPresent || slot.code == .external {
      // What an external slot shows lies elsewhere, whatever the record says of it.
      return nil
    } else {
      self = nil
    }
  }

  public init?(value: Value) {
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
  public init?(_ slot: RecordSlot) { nil }

  public init?(value: Value) {
    guard case .object(let id) = value else { return nil }
    self = id
  }
}
