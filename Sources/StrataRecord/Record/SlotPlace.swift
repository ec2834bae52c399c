// SPDX-License-Identifier: Apache-2.0
package import StrataModel

/// The content of a place in a record, in one byte: an `AttributeType`'s raw value, or one of the
/// codes beyond. A reader compares it with the code of the requested type, so a wrong type reads as
/// nothing instead of as other bytes.
@frozen
@usableFromInline
package struct SlotCode: RawRepresentable, Sendable, Hashable {
  @usableFromInline package let rawValue: UInt8

  @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

  package init(_ type: AttributeType) { rawValue = type.rawValue }

  package init(_ slot: SlotDescription) {
    self = slot.isExternal ? .external : SlotCode(slot.kind)
  }

  package init(_ kind: SlotKind) {
    switch kind {
    case .attribute(let type): rawValue = type.rawValue
    case .toOne: self = .toOne
    case .toMany: self = .toMany
    }
  }

  @inlinable package static func == (left: SlotCode, right: SlotCode) -> Bool {
    left.rawValue == right.rawValue
  }

  @inlinable package static var bool: SlotCode { SlotCode(rawValue: 1) }
  @inlinable package static var int8: SlotCode { SlotCode(rawValue: 2) }
  @inlinable package static var int16: SlotCode { SlotCode(rawValue: 3) }
  @inlinable package static var int32: SlotCode { SlotCode(rawValue: 4) }
  @inlinable package static var int64: SlotCode { SlotCode(rawValue: 5) }
  @inlinable package static var uint8: SlotCode { SlotCode(rawValue: 6) }
  @inlinable package static var uint16: SlotCode { SlotCode(rawValue: 7) }
  @inlinable package static var uint32: SlotCode { SlotCode(rawValue: 8) }
  @inlinable package static var uint64: SlotCode { SlotCode(rawValue: 9) }
  @inlinable package static var float: SlotCode { SlotCode(rawValue: 10) }
  @inlinable package static var double: SlotCode { SlotCode(rawValue: 11) }
  @inlinable package static var decimal: SlotCode { SlotCode(rawValue: 12) }
  @inlinable package static var string: SlotCode { SlotCode(rawValue: 13) }
  @inlinable package static var data: SlotCode { SlotCode(rawValue: 14) }
  @inlinable package static var date: SlotCode { SlotCode(rawValue: 15) }
  @inlinable package static var uuid: SlotCode { SlotCode(rawValue: 16) }
  @inlinable package static var url: SlotCode { SlotCode(rawValue: 17) }
  @inlinable package static var codable: SlotCode { SlotCode(rawValue: 18) }
  @inlinable package static var toOne: SlotCode { SlotCode(rawValue: 64) }
  @inlinable package static var toMany: SlotCode { SlotCode(rawValue: 65) }
  /// The stamp of data whose bytes are stored beside the record.
  @inlinable package static var external: SlotCode { SlotCode(rawValue: 66) }
}

extension SlotCode {
  /// Bytes of the value in the fixed part; 0 for one in the variable part or without a place.
  package var fixedByteCount: Int {
    switch self {
    case .bool, .int8, .uint8: 1
    case .int16, .uint16: 2
    case .int32, .uint32, .float: 4
    case .int64, .uint64, .double, .date, .toOne: 8
    case .uuid: 16
    case .decimal: DecimalBytes.byteCount
    case .external: DataStamp.storedByteCount
    default: 0
    }
  }

  package var isVariable: Bool {
    switch self {
    case .string, .data, .url, .codable: true
    default: false
    }
  }

  /// The kind; nil for codes of a later format.
  package var kind: SlotKind? {
    switch self {
    case .toOne: .toOne
    case .toMany: .toMany
    case .external: .attribute(.data)
    default: AttributeType(rawValue: rawValue).map { .attribute($0) }
    }
  }

  /// The kind in a sentence.
  var words: String {
    switch kind {
    case .attribute(let type): "\(type)"
    case .toOne: "a to-one relationship"
    case .toMany: "a to-many relationship"
    case nil: "a type of a later format"
    }
  }
}

/// The place of one slot in every record of a layout.
@frozen
@usableFromInline
package struct SlotPlace: Sendable, Hashable {
  /// The value's offset from the record's first byte; for a variable slot its index among the
  /// variable slots, complemented (`~index`).
  @usableFromInline let position: Int32
  /// The offset of the byte with the presence bit, from the record's first byte.
  @usableFromInline let presenceOffset: UInt16
  /// The presence bit in that byte; 0, and so never present, for a slot without a place.
  @usableFromInline let presenceMask: UInt8
  @usableFromInline package let code: SlotCode

  init(position: Int32, presenceOffset: UInt16, presenceMask: UInt8, code: SlotCode) {
    self.position = position
    self.presenceOffset = presenceOffset
    self.presenceMask = presenceMask
    self.code = code
  }

  /// The place of a slot that has none: it reads as absent.
  static func nowhere(_ code: SlotCode) -> SlotPlace {
    SlotPlace(position: 0, presenceOffset: 0, presenceMask: 0, code: code)
  }

  /// Whether records of the layout have the slot.
  @inlinable package var isPlaced: Bool { presenceMask != 0 }

  /// Whether the record whose first byte is at `record` has a value here.
  @inlinable package func isPresent(in record: UnsafeRawPointer) -> Bool {
    record.load(fromByteOffset: Int(presenceOffset), as: UInt8.self) & presenceMask != 0
  }

  @inlinable @inline(__always)
  func markPresent(in head: UnsafeMutableRawPointer) {
    let presence = head.load(fromByteOffset: Int(presenceOffset), as: UInt8.self)
    head.storeBytes(
      of: presence | presenceMask, toByteOffset: Int(presenceOffset), as: UInt8.self)
  }

  /// Leaves the place without a value (RecordLayout, I1).
  /// - Parameter entries: of the variable values.
  func clear(
    in head: UnsafeMutableRawPointer, _ entries: UnsafeMutablePointer<VariableBytes>
  ) {
    let presence = head.load(fromByteOffset: Int(presenceOffset), as: UInt8.self)
    head.storeBytes(
      of: presence & ~presenceMask, toByteOffset: Int(presenceOffset), as: UInt8.self)
    if position >= 0 {
      UnsafeMutableRawBufferPointer(start: head + Int(position), count: code.fixedByteCount)
        .initializeMemory(as: UInt8.self, repeating: 0)
    } else {
      entries[Int(~position)] = VariableBytes(start: head, count: 0)
    }
  }
}
