// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// A comparison of an object's property with a constant, before it is resolved: the predicate of
/// most requests.
package struct ConstantTerm: Sendable {
  enum Operation: Sendable, Equatable {
    case comparison(ComparisonOperator)
    case match(TextPart)
  }

  let keyPath: any AnyKeyPath & Sendable
  let operation: Operation
  let constant: PropertyValue

  /// Whether the terms are equal apart from their constants. Two key path expressions of the same
  /// property may differ.
  func hasForm(of other: ConstantTerm) -> Bool {
    keyPath === other.keyPath && operation == other.operation
  }
}
