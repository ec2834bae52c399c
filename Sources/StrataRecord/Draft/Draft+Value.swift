// SPDX-License-Identifier: Apache-2.0
internal import Foundation
package import StrataModel
import StrataPrimitives

extension Draft {
  /// Sets the slot to a value without static type.
  ///
  /// Integers fit a slot of any integer type that can represent them, and doubles one of `Float`
  /// (rounded); a value that does not fit the slot (`SlotKind.holds`) stops the program. `.null`
  /// clears it.
  /// - Returns: false if an equal value was there.
  @discardableResult
  package func setValue(_ value: PropertyValue, at slot: Int) -> Bool {
    let code = place(slot).code
    switch (code, value) {
    case (_, .null): return clear(slot)
    case (.toOne, .object(let id)): return setToOne(id.key, at: slot)
    case (.codable, .codable(let data)):
      return data.withUnsafeBytes { store(bytes: $0, at: slot, as: .codable) }
    default:
      guard let type = code.valueType else { unfit(value, slot) }
      return set(type, at: slot, from: value)
    }
  }

  private func set<T: AttributeValue>(_: T.Type, at slot: Int, from value: PropertyValue) -> Bool {
    guard let converted = T(value: value) else { unfit(value, slot) }
    return set(converted, at: slot)
  }

  /// The value itself is the user's and stays out of the message.
  private func unfit(_ value: PropertyValue, _ slot: Int) -> Never {
    stopProgram(
      """
      Slot \(slot) of \(entityName) is described as \(place(slot).code.words), and was set to a \
      value of another type: a property of a class has the type and the slot of its description.
      """)
  }
}

extension SlotCode {
  /// Whether a slot of this code can represent `value`, which is not `.null`.
  func holds(_ value: PropertyValue) -> Bool {
    switch (self, value) {
    case (.toOne, .object), (.codable, .codable): true
    default: valueType.map { Self.isRepresentable(value, as: $0) } ?? false
    }
  }

  private static func isRepresentable<T: AttributeValue>(_ value: PropertyValue, as _: T.Type)
    -> Bool
  {
    T(value: value) != nil
  }

  /// The type of an attribute's values; nil if there is no attribute, or if it has any `Codable`
  /// type.
  package var valueType: (any AttributeValue.Type)? {
    switch self {
    case .bool: Bool.self
    case .int8: Int8.self
    case .int16: Int16.self
    case .int32: Int32.self
    case .int64: Int64.self
    case .uint8: UInt8.self
    case .uint16: UInt16.self
    case .uint32: UInt32.self
    case .uint64: UInt64.self
    case .float: Float.self
    case .double: Double.self
    case .decimal: Decimal.self
    case .string: String.self
    case .data, .external: Data.self
    case .date: Date.self
    case .uuid: UUID.self
    case .url: URL.self
    default: nil
    }
  }
}
