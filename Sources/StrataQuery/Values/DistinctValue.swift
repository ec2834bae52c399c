// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel

/// A value as grouping tells it from others: equal where `ValueOrder` says so, and what is not a number
/// is like itself, so that it makes one group.
enum DistinctValue: Hashable {
  case value(Value)
  case notANumber

  init(_ value: Value) {
    // One form for each integer, whether its type has a sign or not.
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
