// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// Equality with a constant, for types without an order.
package struct EqualityTest<V: AttributeValue>: SlotTest {
  let constant: V

  package func isTrue(of slot: _RecordSlot) -> Bool { V(slot) == constant }

  package func isTrue(of value: PropertyValue) -> Bool { V(value: value) == constant }

  package func range(in kind: SlotKind) -> IndexRange? {
    ComparisonOperator.equal.range(constant.value, in: kind)
  }

  package func with(_ constant: PropertyValue) -> EqualityTest? {
    guard let constant = V(constant) else { return nil }
    return EqualityTest(constant: constant)
  }

  package var equalities: Equalities? { .values([constant.value]) }

  package var name: String { "==" }
}
