// SPDX-License-Identifier: Apache-2.0
public import StrataModel

// Integers as attributes: each is in the fixed part, little-endian, with the width of its type;
// `Int` and `UInt` with 64 bits. Reading one is a comparison and a load.

extension AttributeValue where Self: FixedWidthInteger {
  /// The code of integers of this width.
  @inlinable static var slotCode: SlotCode {
    let first = isSigned ? SlotCode.int8 : .uint8
    return SlotCode(rawValue: first.rawValue + UInt8(bitWidth.trailingZeroBitCount - 3))
  }

  @inlinable public static var zero: Self? { 0 }

  @inlinable public init?(_ slot: _RecordSlot) {
    guard let raw = slot.integer(Self.slotCode, as: Self.self) else { return nil }
    self = raw
  }

  @inlinable public func write(to writer: inout _SlotWriter) {
    writer.write(integer: self, as: Self.slotCode)
  }

  @inlinable public var value: PropertyValue {
    Self.isSigned ? .int(Int64(truncatingIfNeeded: self)) : .uint(UInt64(truncatingIfNeeded: self))
  }

  /// Nil if the type cannot represent the integer.
  @inlinable public init?(value: PropertyValue) {
    switch value {
    case .int(let number): self.init(exactly: number)
    case .uint(let number): self.init(exactly: number)
    default: return nil
    }
  }
}

extension Int8: AttributeValue {
  @inlinable public static var attributeType: AttributeType { .int8 }
}

extension Int16: AttributeValue {
  @inlinable public static var attributeType: AttributeType { .int16 }
}

extension Int32: AttributeValue {
  @inlinable public static var attributeType: AttributeType { .int32 }
}

extension Int64: AttributeValue {
  @inlinable public static var attributeType: AttributeType { .int64 }
}

extension Int: AttributeValue {
  @inlinable public static var attributeType: AttributeType { .int64 }

  @inlinable public init?(_ slot: _RecordSlot) {
    guard let raw = slot.integer(.int64, as: Int64.self) else { return nil }
    self = Int(truncatingIfNeeded: raw)
  }

  @inlinable public func write(to writer: inout _SlotWriter) {
    writer.write(integer: Int64(truncatingIfNeeded: self), as: .int64)
  }
}

extension UInt8: AttributeValue {
  @inlinable public static var attributeType: AttributeType { .uint8 }
}

extension UInt16: AttributeValue {
  @inlinable public static var attributeType: AttributeType { .uint16 }
}

extension UInt32: AttributeValue {
  @inlinable public static var attributeType: AttributeType { .uint32 }
}

extension UInt64: AttributeValue {
  @inlinable public static var attributeType: AttributeType { .uint64 }
}

extension UInt: AttributeValue {
  @inlinable public static var attributeType: AttributeType { .uint64 }

  @inlinable public init?(_ slot: _RecordSlot) {
    guard let raw = slot.integer(.uint64, as: UInt64.self) else { return nil }
    self = UInt(truncatingIfNeeded: raw)
  }

  @inlinable public func write(to writer: inout _SlotWriter) {
    writer.write(integer: UInt64(truncatingIfNeeded: self), as: .uint64)
  }
}
