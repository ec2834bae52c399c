// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// A comparison of a number or a date with a constant, by the operators of the type. So NaN is
/// neither less than, nor greater than, nor equal to any value, except for a decimal NaN: it is
/// equal to itself and less than all other decimals.
package struct OrderTest<V: AttributeValue & Comparable>: SlotTest {
  let comparison: ComparisonOperator
  let constant: V

  package func isTrue(of slot: _RecordSlot) -> Bool { V(slot).map(isTrue) ?? false }

  package func isTrue(of value: PropertyValue) -> Bool { V(value: value).map(isTrue) ?? false }

  /// Uses only `<` and `==`: the `<=` of dates is defined by `<` and would be true for a date that
  /// is NaN.
  @inline(__always)
  private func isTrue(of value: V) -> Bool {
    if value == constant { return comparison.holds(0) }
    return value < constant ? comparison.holds(-1) : constant < value && comparison.holds(1)
  }

  package func range(in kind: SlotKind) -> IndexRange? {
    guard constant == constant else { return IndexRange.none }
    return comparison.range(constant.value, in: kind)
  }

  package func with(_ constant: PropertyValue) -> OrderTest? {
    guard let constant = V(constant) else { return nil }
    return OrderTest(comparison: comparison, constant: constant)
  }

  package var equalities: Equalities? {
    comparison == .equal ? .values([constant.value]) : nil
  }

  package var name: String { comparison.rawValue }
}
