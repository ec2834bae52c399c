// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import StrataModel

// Bool, floating point and decimal numbers, dates and UUIDs as attributes: each is in the fixed
// part with a width of its own.

extension Bool: AttributeValue {
  @inlinable public static var attributeType: AttributeType { .bool }
  @inlinable public static var zero: Bool? { false }

  @inlinable public init?(_ slot: _RecordSlot) {
    guard let byte = slot.integer(.bool, as: UInt8.self) else { return nil }
    self = byte != 0
  }

  @inlinable public func write(to writer: inout _SlotWriter) {
    writer.write(integer: (self ? 1 : 0) as UInt8, as: .bool)
  }

  @inlinable public var value: PropertyValue { .bool(self) }

  public init?(value: PropertyValue) {
    guard case .bool(let bool) = value else { return nil }
    self = bool
  }
}

extension Float: AttributeValue {
  @inlinable public static var attributeType: AttributeType { .float }
  @inlinable public static var zero: Float? { 0 }

  @inlinable public init?(_ slot: _RecordSlot) {
    guard let bits = slot.integer(.float, as: UInt32.self) else { return nil }
    self = Float(bitPattern: bits)
  }

  @inlinable public func write(to writer: inout _SlotWriter) {
    writer.write(integer: bitPattern, as: .float)
  }

  @inlinable public var value: PropertyValue { .double(Double(self)) }

  /// Rounds to the nearest `Float`, as an assignment from a `Double` literal would.
  public init?(value: PropertyValue) {
    guard let number = Double(value: value) else { return nil }
    self = Float(number)
  }
}

extension Double: AttributeValue {
  @inlinable public static var attributeType: AttributeType { .double }
  @inlinable public static var zero: Double? { 0 }

  @inlinable public init?(_ slot: _RecordSlot) {
    guard let bits = slot.integer(.double, as: UInt64.self) else { return nil }
    self = Double(bitPattern: bits)
  }

  @inlinable public func write(to writer: inout _SlotWriter) {
    writer.write(integer: bitPattern, as: .double)
  }

  @inlinable public var value: PropertyValue { .double(self) }

  /// The conversion of an integer must be exact.
  public init?(value: PropertyValue) {
    switch value {
    case .double(let number): self = number
    case .int(let number):
      guard let exact = Double(exactly: number) else { return nil }
      self = exact
    case .uint(let number):
      guard let exact = Double(exactly: number) else { return nil }
      self = exact
    default: return nil
    }
  }
}

extension Decimal: AttributeValue {
  public static var attributeType: AttributeType { .decimal }
  public static var zero: Decimal? { Decimal() }

  public init?(_ slot: _RecordSlot) {
    guard slot.code == .decimal, let start = slot.start else { return nil }
    self = DecimalBytes(at: start).decimal
  }

  public func write(to writer: inout _SlotWriter) {
    DecimalBytes(self).withBytes { writer.write(fixed: $0, as: .decimal) }
  }

  public var value: PropertyValue { .decimal(self) }

  public init?(value: PropertyValue) {
    switch value {
    case .decimal(let number): self = number
    case .int(let number): self = Decimal(number)
    case .uint(let number): self = Decimal(number)
    default: return nil
    }
  }
}

extension Date: AttributeValue {
  @inlinable public static var attributeType: AttributeType { .date }
  /// The reference date, 1 January 2001.
  @inlinable public static var zero: Date? { Date(timeIntervalSinceReferenceDate: 0) }

  @inlinable public init?(_ slot: _RecordSlot) {
    guard let bits = slot.integer(.date, as: UInt64.self) else { return nil }
    self = Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits))
  }

  @inlinable public func write(to writer: inout _SlotWriter) {
    writer.write(integer: timeIntervalSinceReferenceDate.bitPattern, as: .date)
  }

  @inlinable public var value: PropertyValue { .date(self) }

  public init?(value: PropertyValue) {
    guard case .date(let date) = value else { return nil }
    self = date
  }
}

extension UUID: AttributeValue {
  public static var attributeType: AttributeType { .uuid }
  /// The UUID of zeros.
  public static var zero: UUID? {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  }

  public init?(_ slot: _RecordSlot) {
    guard slot.code == .uuid, let start = slot.start else { return nil }
    self.init(uuid: start.loadUnaligned(as: uuid_t.self))
  }

  public func write(to writer: inout _SlotWriter) {
    withUnsafeBytes(of: uuid) { writer.write(fixed: $0, as: .uuid) }
  }

  public var value: PropertyValue { .uuid(self) }

  public init?(value: PropertyValue) {
    guard case .uuid(let uuid) = value else { return nil }
    self = uuid
  }
}
