// SPDX-License-Identifier: Apache-2.0
package import StrataModel
import StrataRecord

/// A resolved operand, which has a value for each object.
///
/// ## Isolation
/// Sendable and without state.
package protocol Operand: Sendable, CustomStringConvertible {
  /// The kind of the value; nil if the operand fits any kind, such as a constant nil.
  var kind: OperandKind? { get }

  /// Returns the value for an object; `.null` for nil.
  ///
  /// - Throws: errors of the store.
  func value(of row: Row, _ reader: RowReader) throws -> PropertyValue

  /// The constant that the operand is; nil for other operands.
  var constant: Constant? { get }

  /// The property that the operand is; nil for other operands.
  var property: ResolvedPath? { get }

  /// Whether the operand is an object itself.
  var isIdentity: Bool { get }
}

extension Operand {
  package var constant: Constant? { nil }
  package var property: ResolvedPath? { nil }
  package var isIdentity: Bool { false }
}

/// The kinds of values. Values of one kind can be compared with each other.
package enum OperandKind: String, Sendable, Hashable {
  case number, text, truth, date, uuid, url, data, object, codable

  init(_ kind: SlotKind) {
    guard case .attribute(let type) = kind else {
      self = .object
      return
    }
    switch type {
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: self = .number
    case .float, .double, .decimal: self = .number
    case .string: self = .text
    case .bool: self = .truth
    case .date: self = .date
    case .uuid: self = .uuid
    case .url: self = .url
    case .data: self = .data
    case .codable: self = .codable
    }
  }

  init?(_ value: PropertyValue) {
    switch value {
    case .null: return nil
    case .bool: self = .truth
    case .int, .uint, .double, .decimal: self = .number
    case .string: self = .text
    case .data: self = .data
    case .date: self = .date
    case .uuid: self = .uuid
    case .url: self = .url
    case .codable: self = .codable
    case .object: self = .object
    }
  }

  /// Whether values of the kind have an order.
  var isOrdered: Bool { self == .number || self == .text || self == .date }
}
