// SPDX-License-Identifier: Apache-2.0
package import Foundation
import StrataRecord

/// One key of a request's order: a property and a direction. Core Data: `NSSortDescriptor`.
///
/// Values are in Swift's order, texts in the order of their normal form (NFC). nil comes before
/// every value. A floating-point value that is not a number comes after every number. The
/// reverse order reverses all of this.
package struct SortKey: Sendable {
  let operand: any OperandNode
  let order: SortOrder
}

extension SortKey {
  /// A key with the order of the values of a path, as `sorted(by:)` makes one.
  package init<Root, Value>(sortingBy path: PropertyPath<Root, Value>, order: SortOrder) {
    let ranks = (Value.self as? any AttributeValue.Type)?._ranks
    self.init(operand: ranks.map { RankNode(path.operand, $0) } ?? path.operand, order: order)
  }
}
