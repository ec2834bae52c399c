// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// A comparison of texts with a constant, by canonical equivalence and in the order of indexes.
struct TextComparison: SlotTest {
  let comparison: ComparisonOperator
  let constant: TextBytes

  func isTrue(of slot: _RecordSlot) -> Bool {
    guard let text = slot.bytes(.string) else { return false }
    if comparison == .equal { return constant.isEqual(to: text) }
    return comparison.holds(constant.order(of: text))
  }

  func isTrue(of value: PropertyValue) -> Bool {
    guard case .string(let text) = value else { return false }
    return comparison.holds(constant.order(of: text))
  }

  func range(in kind: SlotKind) -> IndexRange? {
    guard constant.options.isEmpty else { return nil }
    return comparison.range(.string(constant.string), in: kind)
  }

  func with(_ constant: PropertyValue) -> TextComparison? {
    guard case .string(let text) = constant else { return nil }
    return TextComparison(comparison: comparison, constant: TextBytes(text, self.constant.options))
  }

  var equalities: Equalities? {
    comparison == .equal && constant.options.isEmpty ? .values([.string(constant.string)]) : nil
  }

  var name: String { "\(comparison.rawValue)\(constant.options)" }
}
