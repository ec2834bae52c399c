// SPDX-License-Identifier: Apache-2.0
import Foundation
package import StrataModel
import StrataRecord

/// Comparisons of two values with types known only at run time. The results agree with the tests of
/// slots, which know the type of a constant.
package enum ValueOrder {
  /// Returns the order: negative if `left` comes first, 0 if both are equal, positive if `right`
  /// comes first; nil if one is nil or NaN, or if the values are of different kinds.
  package static func order(_ left: PropertyValue, _ right: PropertyValue) -> Int? {
    switch (left, right) {
    case (.string(let left), .string(let right)): return NormalForm.compare(left, right)
    case (.date(let left), .date(let right)):
      return left == right ? 0 : left < right ? -1 : left > right ? 1 : nil
    default:
      guard let left = Number(left), let right = Number(right) else { return nil }
      return Number.order(left, right)
    }
  }

  /// Whether the values are equal; nil is equal only to nil.
  package static func areEqual(_ left: PropertyValue, _ right: PropertyValue) -> Bool {
    switch (left, right) {
    case (.string(let left), .string(let right)):
      return left.withOrderedMarks == right.withOrderedMarks
    case (.date(let left), .date(let right)): return left == right
    default:
      guard let one = Number(left), let two = Number(right) else { return left == right }
      return Number.order(one, two) == 0
    }
  }
}
