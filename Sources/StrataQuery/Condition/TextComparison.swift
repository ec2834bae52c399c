// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// A comparison of text with a constant, by canonical equivalence and in the order of
/// indexes.
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
    return isTrue(ofOrder: constant.order(of: text))
  }

  package func isTrue(of value: Value) -> Bool {
    guard case .string(let text) = value else { return false }
    return isTrue(ofOrder: constant.order(of: text))
  }

  private func isTrue(ofOrder order: Int) -> Bool {
    switch comparison {
    case .equal: order == 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    }
  }

  package func stretch(in kind: SlotKind) -> KeyStretch? {
    comparison.stretch(.string(constant.string), in: kind)
  }

  package var name: String { comparison.rawValue }
}
