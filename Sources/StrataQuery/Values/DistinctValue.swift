// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel

/// A value for grouping. Values are equal as in `ValueOrder`, but NaN equals itself, so that it
/// forms one group.
enum DistinctValue: Hashable {
  case value(PropertyValue)
  case notANumber

  init(_ value: PropertyValue) {
    // One form for each integer, whether its type is signed or not.
    switch Number(value) {
    case .integer(let number)?: self = .value(Number.integer(number).value)
    case let number? where number.isNaN: self = .notANumber
    default:
      if case .date(let date) = value, date.timeIntervalSinceReferenceDate.isNaN {
        self = .notANumber
      } else {
        self = .value(value)
      }
    }
  }
}
