// SPDX-License-Identifier: Apache-2.0
import Foundation
package import StrataModel
import StrataRecord

/// How two values compare whose types are known at run time alone. It says the same as the tests of
/// slots, which know the type of a constant.
package enum ValueOrder {
  /// Negative if `left` comes first, 0 if they are equal, positive if it comes last; nil if they have
  /// no order: if one has no value, is not a number, or they are of different kinds.
  package static func order(_ left: Value, _ right: Value) -> Int? {
    switch (left, right) {
    case (.string(let left), .string(let right)): return NormalForm.compare(left, right)
    case (.date(let left), .date(let right)):
      return left == right ? 0 : left < right ? -1 : left > right ? 1 : nil
    default:
      guard let left = Number(left), let right = Number(right) else { return nil }
      return Number.order(left, right)
    }
  }

  /// Whether they are equal; nil is equal to nil alone.
  package static func areEqual(_ left: Value, _ right: Value) -> Bool {
    switch (left, right) {
    case (.string(let left), .string(let right)): return left == right
    case (.date(let left), .date(let right)): return left == right
    default:
      guard let one = Number(left), let two = Number(right) else { return left == right }
      return Number.order(one, two) == 0
    }
  }
}
