// SPDX-License-Identifier: Apache-2.0
package import StrataModel
import StrataRecord

/// A resolved operand: a value that each object has.
///
/// ## Isolation
/// Sendable and without state.
package protocol Operand: Sendable, CustomStringConvertible {
  /// What kind of value it is; nil if any will do, as for a constant nil.
  var kind: OperandKind? { get }

  /// Its value for an object; `.null` for none.
  ///
  /// - Throws: what the store throws.
  func value(of row: Row, _ reader: RowReader) throws -> Value

  /// The value that is the same for all objects; nil for an operand that is no constant.
  var constant: Constant? { get }

  /// The property that it is; nil if it is none.
  var property: ResolvedPath? { get }

  /// Whether it is an object itself.
  var isIdentity: Bool { get }
}

extension Operand {
  package var constant: Constant? { nil }
  package var property: ResolvedPath? { nil }
  package var isIdentity: Bool { false }
}

/// The kinds of values that can be compared among each other.
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

  init?(_ value: Value) {
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

  /// Whether one value of the kind can be less than another.
  var isOrdered: Bool { self == .number || self == .text || self == .date }
}
