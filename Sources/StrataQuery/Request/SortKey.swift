// SPDX-License-Identifier: Apache-2.0
import Foundation

/// One key of a request's order: a property and a direction. Core Data: `NSSortDescriptor`.
///
/// Values are in Swift's order, texts in the order of their normal form (NFC). nil comes before
/// every value. A floating-point value that is not a number comes after every number. The
/// reverse order reverses all of this.
package struct SortKey: Sendable {
  let operand: any OperandNode
  let order: SortOrder
}
