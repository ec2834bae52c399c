// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// A comparison of a number or date with a constant, as the type's own operators have it: nothing is
/// less or greater than a floating-point value that is not a number, or equal to it.
package struct OrderTest<V: AttributeValue & Comparable>: SlotTest {
  let comparison: Comparison.Operator
  let constant: V

  package func isTrue(of slot: RecordSlot) -> Bool { V(slot).map(isTrue) ?? false }

  package func isTrue(of value: Value) -> Bool { V(value: value).map(isTrue) ?? false }

  private func isTrue(of value: V) -> Bool {
    switch comparison {
    case .equal: value == constant
    case .less: value < constant
    case .lessOrEqual: value <= constant
    case .greater: value > constant
    case .greaterOrEqual: value >= constant
    }
  }

  package func stretch(in kind: SlotKind) -> KeyStretch? {
    guard constant == constant else { return KeyStretch.none }
    return comparison.stretch(constant.value, in: kind)
  }

  package var name: String { comparison.rawValue }
}
