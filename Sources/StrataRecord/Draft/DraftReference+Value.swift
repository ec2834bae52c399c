// SPDX-License-Identifier: Apache-2.0
internal import Foundation
package import StrataModel

extension DraftReference {
  /// Sets the slot to a value without static type.
  ///
  /// Integers fit a slot of any integer type that can represent them, and doubles one of `Float`
  /// (rounded); a value that does not fit the slot (`SlotKind.holds`) traps. `.null` clears it.
  /// - Returns: false if an equal value was there.
  @discardableResult
  package func setValue(_ value: Value, at slot: Int) -> Bool {
    switch place(slot).code {
    case _ where value == .null: clear(slot)
    case .bool: set(Bool(value: value), at: slot, from: value)
    case .int8: set(Int8(value: value), at: slot, from: value)
    case .int16: set(Int16(value: value), at: slot, from: value)
    case .int32: set(Int32(value: value), at: slot, from: value)
    case .int64: set(Int64(value: value), at: slot, from: value)
    case .uint8: set(UInt8(value: value), at: slot, from: value)
    case .uint16: set(UInt16(value: value), at: slot, from: value)
    case .uint32: set(UInt32(value: value), at: slot, from: value)
    case .uint64: set(UInt64(value: value), at: slot, from: value)
    case .float: set(Float(value: value), at: slot, from: value)
    case .double: set(Double(value: value), at: slot, from: value)
    case .decimal: set(Decimal(value: value), at: slot, from: value)
    case .string: set(String(value: value), at: slot, from: value)
    case .data, .external: set(Data(value: value), at: slot, from: value)
    case .date: set(Date(value: value), at: slot, from: value)
    case .uuid: set(UUID(value: value), at: slot, from: value)
    case .url: set(URL(value: value), at: slot, from: value)
    case .codable: setEncoded(value, at: slot)
    case .toOne: setTarget(value, at: slot)
    default: unfit(value, slot)
    }
  }

  private func set<T: AttributeValue>(_ converted: T?, at slot: Int, from value: Value) -> Bool {
    guard let converted else { unfit(value, slot) }
    return set(converted, at: slot)
  }

  private func setEncoded(_ value: Value, at slot: Int) -> Bool {
    guard case .codable(let data) = value else { unfit(value, slot) }
    return data.withUnsafeBytes { store(bytes: $0, at: slot, as: .codable) }
  }

  private func setTarget(_ value: Value, at slot: Int) -> Bool {
    guard case .object(let id) = value else { unfit(value, slot) }
    return setToOne(id.key, at: slot)
  }

  /// The value itself is the user's and stays out of the message.
  private func unfit(_ value: Value, _ slot: Int) -> Never {
    preconditionFailure(
      """
      slot \(slot) holds \(String(describing: place(slot).code.kind)), which cannot \
      represent the value that it is set to
      """)
  }
}

extension SlotCode {
  /// Whether a slot of this code can represent `value`, which is not `.null`.
  func holds(_ value: Value) -> Bool {
    switch self {
    case .bool: Bool(value: value) != nil
    case .int8: Int8(value: value) != nil
    case .int16: Int16(value: value) != nil
    case .int32: Int32(value: value) != nil
    case .int64: Int64(value: value) != nil
    case .uint8: UInt8(value: value) != nil
    case .uint16: UInt16(value: value) != nil
    case .uint32: UInt32(value: value) != nil
    case .uint64: UInt64(value: value) != nil
    case .float, .double: Double(value: value) != nil
    case .decimal: Decimal(value: value) != nil
    case .string: String(value: value) != nil
    case .data, .external: Data(value: value) != nil
    case .date: Date(value: value) != nil
    case .uuid: UUID(value: value) != nil
    case .url: URL(value: value) != nil
    case .codable: if case .codable = value { true } else { false }
    case .toOne: if case .object = value { true } else { false }
    default: false
    }
  }
}
