// SPDX-License-Identifier: Apache-2.0
public import StrataModel

/// A type that an attribute can have.
///
/// The integers, `Bool`, `Float`, `Double`, `Decimal`, `String`, `Data`, `Date`, `UUID`, `URL` and
/// optionals of them conform. An enum with raw values of one of them conforms by declaring it:
///
/// ```swift
/// enum Colour: String, AttributeValue { case red, green }
/// ```
///
/// Any other type conforms by being stored as one of them:
///
/// ```swift
/// struct Money: AttributeValue {
///   var cents: Int64
///   static var attributeType: AttributeType { .int64 }
///   static var zero: Money? { Money(cents: 0) }
///   init?(_ slot: _RecordSlot) {
///     guard let cents = Int64(slot) else { return nil }
///     self.cents = cents
///   }
///   func write(to writer: inout _SlotWriter) { cents.write(to: &writer) }
///   var value: PropertyValue { cents.value }
///   init?(value: PropertyValue) {
///     guard let cents = Int64(value: value) else { return nil }
///     self.cents = cents
///   }
/// }
/// ```
///
/// An enum with raw values that is `Comparable` and `CaseIterable` is sorted and compared by its
/// `<`, whatever the order of its raw values is.
///
/// - Important: For all other types, predicates and orders compare the stored values: raw values,
///   or `cents` here. A type that is `Comparable` by a custom `<` has to store its values so that
///   their order is the same; otherwise a fetch and `sorted(by:)` of the standard library differ.
public protocol AttributeValue: ColumnValue, Equatable {
  /// How the value is stored.
  static var attributeType: AttributeType { get }

  /// Whether nil is a value; false unless the type is an optional.
  static var isOptional: Bool { get }

  /// The value of the attribute before it is set. Nil if the type has no such value, as most enums
  /// have none: their attributes are optional or have a default.
  static var zero: Self? { get }

  /// Puts the value into a slot, which is of type `attributeType`.
  func write(to writer: inout _SlotWriter)

  /// The value without its static type.
  var value: PropertyValue { get }

  /// The order of an enum whose `<` differs from the order of its raw values; nil for other types.
  static var _ranks: _Ranks? { get }
}

extension AttributeValue {
  @inlinable public static var isOptional: Bool { false }

  public static var _ranks: _Ranks? { nil }
}

// MARK: - Optional

extension Optional: AttributeValue where Wrapped: AttributeValue {
  @inlinable public static var attributeType: AttributeType { Wrapped.attributeType }
  @inlinable public static var isOptional: Bool { true }
  @inlinable public static var zero: Wrapped?? { .some(nil) }

  public static var _ranks: _Ranks? { Wrapped._ranks }

  @inlinable public func write(to writer: inout _SlotWriter) {
    if let self { self.write(to: &writer) } else { writer.writeNil() }
  }

  @inlinable public var value: PropertyValue { self?.value ?? .null }
}

// MARK: - Enums with raw values

extension AttributeValue where Self: RawRepresentable, RawValue: AttributeValue {
  @inlinable public static var attributeType: AttributeType { RawValue.attributeType }
  @inlinable public static var zero: Self? { nil }

  @inlinable public init?(_ slot: _RecordSlot) {
    guard let raw = RawValue(slot) else { return nil }
    self.init(rawValue: raw)
  }

  @inlinable public func write(to writer: inout _SlotWriter) { rawValue.write(to: &writer) }

  @inlinable public var value: PropertyValue { rawValue.value }

  /// The case whose raw value is `value`; nil if there is none, or if `value` has another type.
  @inlinable public init?(value: PropertyValue) {
    guard let raw = RawValue(value: value) else { return nil }
    self.init(rawValue: raw)
  }
}

/// An enum with raw values that does not conform to `AttributeValue` itself, as an attribute's
/// value. The accessors wrap and unwrap it; no property is declared with it.
///
/// It holds the raw value from the beginning: the program's code that makes it runs before anything
/// is written.
@frozen
public struct _RawValueBox<Wrapped>: RawRepresentable, AttributeValue
where Wrapped: RawRepresentable & Sendable, Wrapped.RawValue: AttributeValue {
  public let wrapped: Wrapped
  public let rawValue: Wrapped.RawValue

  @inlinable public init(_ wrapped: Wrapped) {
    self.wrapped = wrapped
    rawValue = wrapped.rawValue
  }

  @inlinable public init?(rawValue: Wrapped.RawValue) {
    guard let wrapped = Wrapped(rawValue: rawValue) else { return nil }
    self.wrapped = wrapped
    self.rawValue = rawValue
  }

  @inlinable public static func == (left: _RawValueBox, right: _RawValueBox) -> Bool {
    left.rawValue == right.rawValue
  }
}
