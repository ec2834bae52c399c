// SPDX-License-Identifier: Apache-2.0
import Strata

extension AttributeType {
  /// Whether values are numbers, which stand on the right of their columns.
  var isNumeric: Bool {
    switch self {
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double,
      .decimal:
      true
    default: false
    }
  }
}
