// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// A comparison of texts with a constant, by canonical equivalence and in the order of indexes.
package struct TextComparison: SlotTest {
  private let comparison: ComparisonOperator
  private let constant: TextBytes

  package init(_ comparison: ComparisonOperator, _ constant: String) {
    self.comparison = comparison
    self.constant = TextBytes(constant)
  }

  package func isTrue(of slot: RecordSlot) -> Bool {
    guard let text = slot.bytes(.string) else { return false }
    if comparison == .equal { return constant.isEqual(to: text) }
    return comparison.holds(constant.order(of: text))
  }

  package func isTrue(of value: Value) -> Bool {
    guard case .string(let text) = value else { return false }
    return comparison.holds(constant.order(of: text))
  }

  package func range(in kind: SlotKind) -> IndexRange? {
    comparison.range(.string(constant.string), in: kind)
  }

  package var name: String { comparison.rawValue }
}
