// SPDX-License-Identifier: Apache-2.0
public import StrataModel

// Integers as attributes: each lies in the fixed part, little-endian, with
// the width of its type; `Int` and `UInt` with 64 bits. Reading one is a comparison and a load.

extension AttributeValue where Self: FixedWidthInteger {
  @inlinable public var value: Value {
    Self.isSigned ? .int(Int64(truncatingIfNeeded: self)) : .uint(UInt64(truncatingIfNeeded: self))
  }

  /// Nil if the type cannot represent the integer.
  @inlinable public init?(value: Value) {
    switch value {
    case .int(let number): self.init(exactly: number)
    case .uint(let number): self.init(exactly: number)
    default: return nil
    }
  }
}

extension Int8: AttributeValue {
  @inlinable public static var attributeType: AttributeType { .int8 }
  @inlinable public static var zero: Int8? { 0 }

  @inlinable public init?(_ slot: RecordSlot) {
    guard let raw = slot.integer(.int8, as: Int8.self) else { return nil }
    self = raw
  }

  @inlinable public func write(to writer: inout SlotWriter) {
    writer.write(integer: self, as: .int8)
  }
}

extension Int16: AttributeValue {
  @inlinable public static var attributeType: AttributeType { .int16 }
  @inlinable public static var zero: Int16? { 0 }

  @inlinable public init?(_ slot: RecordSlot) {
    guard let raw = slot.integer(.int16, as: Int16.self) else { return nil }
    self = raw
  }

  @inlinable public func write(to writer: inout SlotWriter) {
    writer.write(integer: self, as: .int16)
  }
}

extension Int32: AttributeValue {
  @inlinable public static var attributeType: AttributeType { .int32 }
  @inlinable public static var zero: Int32? { 0 }

  @inlinable public init?(_ slot: RecordSlot) {
    guard let raw = slot.integer(.int32, as: Int32.self) else { return nil }
    self = raw
  }

  @inlinable public func write(to writer: inout SlotWriter) {
    writer.write(integer: self, as: .int32)
  }
}

extension Int64: AttributeValue {
  @inlinable public static var attributeType: AttributeType { .int64 }
  @inlinable public static var zero: Int64? { 0 }

  @inlinable public init?(_ slot: RecordSlot) {
    guard let raw = slot.integer(.int64, as: Int64.self) else { return nil }
    self = raw
  }

  @inlinable public func write(to writer: inout SlotWriter) {
    writer.write(integer: self, as: .int64)
  }
}

extension Int: AttributeValue {
  @inlinable public static var attributeType: AttributeType { .int64 }
  @inlinable public static var zero: Int? { 0 }

  @inlinable public init?(_ slot: RecordSlot) {
    guard let raw = slot.integer(.int64, as: Int64.self) else { return nil }
    self = Int(truncatingIfNeeded: raw)
  }

  @inlinable public func write(to writer: inout SlotWriter) {
    writer.write(integer: Int64(truncatingIfNeeded: self), as: .int64)
  }
}

extension UInt8: AttributeValue {
  @inlinable public static var attributeType: AttributeType { .uint8 }
  @inlinable public static var zero: UInt8? { 0 }

  @inlinable public init?(_ slot: RecordSlot) {
    guard let raw = slot.integer(.uint8, as: UInt8.self) else { return nil }
    self = raw
  }

  @inlinable public func write(to writer: inout SlotWriter) {
    writer.write(integer: self, as: .uint8)
  }
}

extension UInt16: AttributeValue {
  @inlinable public static var attributeType: AttributeType { .uint16 }
  @inlinable public static var zero: UInt16? { 0 }

  @inlinable public init?(_ slot: RecordSlot) {
    guard let raw = slot.integer(.uint16, as: UInt16.self) else { return nil }
    self = raw
  }

  @inlinable public func write(to writer: inout SlotWriter) {
    writer.write(integer: self, as: .uint16)
  }
}

extension UInt32: AttributeValue {
  @inlinable public static var attributeType: AttributeType { .uint32 }
  @inlinable public static var zero: UInt32? { 0 }

  @inlinable public init?(_ slot: RecordSlot) {
    guard let raw = slot.integer(.uint32, as: UInt32.self) else { return nil }
    self = raw
  }

  @inlinable public func write(to writer: inout SlotWriter) {
    writer.write(integer: self, as: .uint32)
  }
}

extension UInt64: AttributeValue {
  @inlinable public static var attributeType: AttributeType { .uint64 }
  @inlinable public static var zero: UInt64? { 0 }

  @inlinable public init?(_ slot: RecordSlot) {
    guard let raw = slot.integer(.uint64, as: UInt64.self) else { return nil }
    self = raw
  }

  @inlinable public func write(to writer: inout SlotWriter) {
    writer.write(integer: self, as: .uint64)
  }
}

extension UInt: AttributeValue {
  @inlinable public static var attributeType: AttributeType { .uint64 }
  @inlinable public static var zero: UInt? { 0 }

  @inlinable public init?(_ slot: RecordSlot) {
    guard let raw = slot.integer(.uint64, as: UInt64.self) else { return nil }
    self = UInt(truncatingIfNeeded: raw)
  }

  @inlinable public func write(to writer: inout SlotWriter) {
    writer.write(integer: UInt64(truncatingIfNeeded: self), as: .uint64)
  }
}
