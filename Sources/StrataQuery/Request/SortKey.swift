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
  package let order: SortOrder
}

extension SortKey {
  /// A key with the order of the values of a path, as `sorted(by:)` makes one.
  package init<Root, Value>(sortingBy path: PropertyPath<Root, Value>, order: SortOrder) {
    self.init(path.operand, ofType: Value.self, order: order)
  }

  /// A key with the order of the values of a type that is known at run time only.
  init(_ operand: any OperandNode, ofType type: Any.Type, order: SortOrder) {
    let ranks = _Ranks(ofAny: type)
    self.init(operand: ranks.map { RankNode(operand, $0) } ?? operand, order: order)
  }
}
