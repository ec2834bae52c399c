// SPDX-License-Identifier: Apache-2.0
package import StrataModel

/// An operand with the same value for all objects.
package struct Constant: Operand {
  package let value: PropertyValue

  package init(_ value: PropertyValue) { self.value = value }

  package var kind: OperandKind? { OperandKind(value) }
  package var constant: Constant? { self }

  var isNil: Bool { if case .null = value { true } else { false } }

  package func value(of row: Row, _ reader: RowReader) throws -> PropertyValue { value }

  /// A description without the value, which is the user's.
  package var description: String { kind.map { "a \($0)" } ?? "nil" }
}
