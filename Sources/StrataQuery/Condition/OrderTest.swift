// SPDX-License-Identifier: Apache-2.0
import Foundation
package import StrataModel
package import StrataRecord

/// A comparison of a number or date with a constant, as the type's own operators have it: nothing is
/// less or greater than a floating-point value that is not a number, or equal to it.
package struct OrderTest<V: AttributeValue & Comparable>: SlotTest {
  let comparison: ComparisonOperator
  let constant: V

  package func isTrue(of slot: RecordSlot) -> Bool { V(slot).map(isTrue) ?? false }

  package func isTrue(of value: Value) -> Bool { V(value: value).map(isTrue) ?? false }

  /// By `<` and `==` alone: `<=` of dates, which is made of `<`, would hold of one that is no date.
  private func isTrue(of value: V) -> Bool {
    if value == constant { return comparison.holds(0) }
    switch comparison {
    case .equal: return false
    case .less, .lessOrEqual: return value < constant && !Self.isNaN(value) && !Self.isNaN(constant)
    case .greater, .greaterOrEqual:
      return constant < value && !Self.isNaN(value) && !Self.isNaN(constant)
    }
  }

  /// A decimal that is not a number is equal to itself and less than all others in Foundation; here it
  /// has no order.
  private static func isNaN(_ value: V) -> Bool { (value as? Decimal)?.isNaN == true }

  package func range(in kind: SlotKind) -> IndexRange? {
    guard constant == constant else { return IndexRange.none }
    if Self.isNaN(constant) {
      return comparison.holds(0)
        ? ComparisonOperator.equal.range(constant.value, in: kind) : IndexRange.none
    }
    return comparison.range(constant.value, in: kind)
  }

  package var name: String { comparison.rawValue }
}
