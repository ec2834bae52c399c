// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// As `TextComparison`, of folded texts. No index answers it.
struct FoldedTextComparison: SlotTest {
  private let comparison: ComparisonOperator
  private let constant: String
  private let options: TextOptions

  init(_ comparison: ComparisonOperator, _ constant: String, _ options: TextOptions) {
    self.comparison = comparison
    self.constant = options.folded(constant)
    self.options = options
  }

  func isTrue(of slot: RecordSlot) -> Bool { String(slot).map(isTrue) ?? false }

  func isTrue(of value: Value) -> Bool {
    guard case .string(let text) = value else { return false }
    return isTrue(of: text)
  }

  private func isTrue(of text: String) -> Bool {
    comparison.holds(NormalForm.compare(options.folded(text), constant))
  }

  func stretch(in kind: SlotKind) -> KeyStretch? { nil }

  var name: String { "\(comparison.rawValue)\(options)" }
}
