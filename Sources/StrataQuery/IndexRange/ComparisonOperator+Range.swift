// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataModel
import StrataRecord

extension ComparisonOperator {
  /// Returns the entries of an index over a slot of `kind` with values that satisfy the comparison
  /// with `constant`.
  func range(_ constant: PropertyValue, in kind: SlotKind) -> IndexRange {
    guard kind == .attribute(.decimal), let notANumber = kind.end else {
      return orderedRange(constant, in: kind)
    }
    // A decimal NaN is less than all numbers, and its key is above all of theirs.
    let lowest = IndexRange([KeyRange(prefix: notANumber)], .point, points: [notANumber])
    let numbers = IndexRange([KeyRange(lower: kind.beginning, upper: notANumber)])
    switch self {
    case _ where constant != .decimal(.nan):
      let range = orderedRange(constant, in: kind)
      return holds(-1) ? .union([range, lowest]) : range
    case .equal, .lessOrEqual: return lowest
    case .less: return .none
    case .greater: return numbers
    case .greaterOrEqual: return .union([numbers, lowest])
    }
  }

  /// The range in the order of keys.
  private func orderedRange(_ constant: PropertyValue, in kind: SlotKind) -> IndexRange {
    var key: [UInt8] = []
    let isCut = KeyEncoder.append(value: constant, kind: kind, to: &key)
    let certainty = isCut ? Certainty.none : .all
    switch self {
    case .equal:
      return IndexRange([KeyRange(prefix: key)], .point, certainty, points: isCut ? nil : [key])
    // A cut value shares its key with values on either side of the constant.
    case .less where !isCut:
      return IndexRange([KeyRange(lower: kind.beginning, upper: key)], .above, certainty)
    case .less, .lessOrEqual:
      let upper = KeyRange.successor(ofPrefix: key)
      return IndexRange([KeyRange(lower: kind.beginning, upper: upper)], .above, certainty)
    case .greater where !isCut:
      guard let after = KeyRange.successor(ofPrefix: key) else { return .none }
      return IndexRange([KeyRange(lower: after, upper: kind.end)], .below, certainty)
    case .greater, .greaterOrEqual:
      return IndexRange([KeyRange(lower: key, upper: kind.end)], .below, certainty)
    }
  }
}

extension SlotKind {
  /// The least key of a value. Only the key of an absent slot is less.
  fileprivate var beginning: [UInt8] {
    KeyRange.successor(ofPrefix: KeyEncoder.absentKey(self)) ?? []
  }

  /// The key above all ordered values of the kind: the key of NaN. nil for a kind without NaN.
  fileprivate var end: [UInt8]? { KeyEncoder.notANumberKey(self) }
}
