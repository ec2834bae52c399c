// SPDX-License-Identifier: Apache-2.0
internal import Foundation
package import StrataModel

/// One value of a record or of a draft, as it is being read: its bytes and their type.
///
/// A type that conforms to `AttributeValue` is made from one, usually by making a type that
/// conforms already: `guard let cents = Int64(slot) else { return nil }`.
///
/// - Important: It points into the record; it is valid during its call of `init?(_:)` and must not
///   be kept. An initializer must not use managed objects or contexts before it has read the value:
///   a fetch or a save would free the memory that the slot points into.
@frozen
public struct _RecordSlot {
  /// The value's first byte; nil if the slot is absent.
  @usableFromInline let start: UnsafeRawPointer?
  /// The bytes of a variable value; 0 for others.
  @usableFromInline let byteCount: UInt32
  @usableFromInline package let code: SlotCode

  @inlinable init(start: UnsafeRawPointer, byteCount: UInt32, code: SlotCode) {
    self.start = start
    self.byteCount = byteCount
    self.code = code
  }

  @inlinable init(absent code: SlotCode) {
    start = nil
    byteCount = 0
    self.code = code
  }

  /// Whether there is a value: it was set, and not to nil.
  @inlinable public var isPresent: Bool { start != nil }
}

@available(*, unavailable)
extension _RecordSlot: Sendable {}

// MARK: - Bytes

extension _RecordSlot {
  /// The integer of the slot if it is of type `code`; nil if it is absent or of another type.
  @inlinable package func integer<Integer: FixedWidthInteger>(
    _ code: SlotCode, as type: Integer.Type
  ) -> Integer? {
    guard self.code == code, let start else { return nil }
    return Integer(littleEndian: start.loadUnaligned(as: Integer.self))
  }

  /// The bytes of a variable value if the slot is of type `code`; nil if it is absent or of
  /// another.
  @inlinable package func bytes(_ code: SlotCode) -> UnsafeRawBufferPointer? {
    guard self.code == code, let start else { return nil }
    return UnsafeRawBufferPointer(start: start, count: Int(byteCount))
  }

  /// The bytes of the value, in the form that they have in a record; nil if the slot is absent.
  package var rawBytes: UnsafeRawBufferPointer? {
    guard let start else { return nil }
    return UnsafeRawBufferPointer(
      start: start, count: code.isVariable ? Int(byteCount) : code.fixedByteCount)
  }

  /// The integer of the slot, of any size; nil if the slot is absent or no integer.
  package var wideInteger: Int128? {
    guard let start else { return nil }
    switch code {
    case .int8: return Int128(start.load(as: Int8.self))
    case .int16: return integer(code, as: Int16.self).map { Int128($0) }
    case .int32: return integer(code, as: Int32.self).map { Int128($0) }
    case .int64: return integer(code, as: Int64.self).map { Int128($0) }
    case .uint8: return Int128(start.load(as: UInt8.self))
    case .uint16: return integer(code, as: UInt16.self).map { Int128($0) }
    case .uint32: return integer(code, as: UInt32.self).map { Int128($0) }
    case .uint64: return integer(code, as: UInt64.self).map { Int128($0) }
    default: return nil
    }
  }

  /// The target of a to-one relationship; nil if the slot is absent or no to-one.
  package var toOne: ObjectKey? {
    integer(.toOne, as: UInt64.self).map { ObjectKey(rawValue: $0) }
  }
}

extension _RecordSlot {
  /// The stamp of an external attribute's bytes; nil if the slot is absent or no such attribute.
  package var stamp: DataStamp? {
    guard code == .external, let start else { return nil }
    return DataStamp(storedAt: start)
  }
}

// MARK: - Value

extension _RecordSlot {
  /// The value without its static type; `.null` if the slot is absent, or external: its value is
  /// not here.
  /// - Parameter store: the store of the record; to-one targets are of the same.
  package func value(store: StoreIdentity) -> PropertyValue {
    if let key = toOne { return .object(ObjectID(store: store, key: key)) }
    return attributeValue ?? .null
  }

  /// The value of an attribute; nil if the slot is absent or no attribute.
  var attributeValue: PropertyValue? {
    switch code {
    case .bool: Bool(self)?.value
    case .int8: Int8(self)?.value
    case .int16: Int16(self)?.value
    case .int32: Int32(self)?.value
    case .int64: Int64(self)?.value
    case .uint8: UInt8(self)?.value
    case .uint16: UInt16(self)?.value
    case .uint32: UInt32(self)?.value
    case .uint64: UInt64(self)?.value
    case .float: Float(self)?.value
    case .double: Double(self)?.value
    case .decimal: Decimal(self)?.value
    case .string: String(self)?.value
    case .data: Data(self)?.value
    case .date: Date(self)?.value
    case .uuid: UUID(self)?.value
    case .url: URL(self)?.value
    case .codable: bytes(.codable).map { .codable(Data($0)) }
    default: nil
    }
  }
}
