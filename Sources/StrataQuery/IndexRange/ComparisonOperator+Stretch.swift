// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataModel
import StrataRecord

extension ComparisonOperator {
  /// The entries of an index over a slot of `kind` whose values compare so with `constant`.
  func stretch(_ constant: Value, in kind: SlotKind) -> KeyStretch {
    var key: [UInt8] = []
    let isCut = KeyEncoder.append(value: constant, kind: kind, to: &key)
    let certainty = isCut ? KeyStretch.Certainty.none : .all
    if self == .equal {
      return KeyStretch(
        ranges: KeyRanges(prefix: key), bounds: .point, certainty: certainty,
        points: isCut ? nil : [key])
    }
    let range: KeyRange
    switch self {
    // A value that is cut shares its key with others, on either side of the constant.
    case .less where !isCut: range = KeyRange(lower: kind.beginning, upper: key)
    case .less, .lessOrEqual:
      range = KeyRange(lower: kind.beginning, upper: KeyRange.successor(ofPrefix: key))
    case .greater where !isCut:
      guard let after = KeyRange.successor(ofPrefix: key) else { return .none }
      range = KeyRange(lower: after, upper: kind.end)
    case .greater, .greaterOrEqual, .equal: range = KeyRange(lower: key, upper: kind.end)
    }
    let isUpper = self == .less || self == .lessOrEqual
    return KeyStretch(
      ranges: KeyRanges(range), bounds: isUpper ? .above : .below, certainty: certainty)
  }
}

extension SlotKind {
  /// The key that no value is below, but that of an absent slot.
  fileprivate var beginning: [UInt8] {
    KeyRange.successor(ofPrefix: KeyRanges.absentKey(self)) ?? []
  }

  /// The key that all values of the kind which have an order lie below: that of "not a number", which
  /// is greater than nothing. nil if there is no such value.
  fileprivate var end: [UInt8]? {
    let notANumber: Value
    switch self {
    case .attribute(.float), .attribute(.double): notANumber = .double(.nan)
    case .attribute(.date): notANumber = .date(Date(timeIntervalSinceReferenceDate: .nan))
    case .attribute(.decimal): notANumber = .decimal(.nan)
    default: return nil
    }
    var key: [UInt8] = []
    KeyEncoder.append(value: notANumber, kind: self, to: &key)
    return key
  }
}
