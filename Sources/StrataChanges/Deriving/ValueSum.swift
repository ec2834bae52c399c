// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel

/// Adds up attributes' values, which are all of one type. Integers stop at the bounds of `Int64`.
struct ValueSum {
  private var integer: Int64 = 0
  private var double = 0.0
  private var decimal: Decimal = 0

  mutating func add(_ value: PropertyValue) {
    switch value {
    case .int(let value): add(value)
    case .uint(let value): add(Int64(clamping: value))
    case .double(let value): double += value
    case .decimal(let value): decimal += value
    default: break
    }
  }

  private mutating func add(_ value: Int64) {
    let (sum, isBeyond) = integer.addingReportingOverflow(value)
    integer = isBeyond ? (value > 0 ? .max : .min) : sum
  }

  /// The sum as a value of `type`.
  func value(as type: AttributeType) -> PropertyValue {
    switch type {
    case .double: .double(double)
    case .decimal: .decimal(decimal)
    default: .int(integer)
    }
  }
}
