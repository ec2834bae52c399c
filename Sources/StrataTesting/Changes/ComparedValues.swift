// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// The values of an object or of an expectation as a key: equal if all of them are the same.
///
/// A value that no attribute can have equals nothing, not even itself: it is looked up, and never a
/// key of a dictionary.
struct ComparedValues: Hashable {
  /// By slot; nil for a property that is not compared.
  let values: [_ExpectedValue?]

  static func == (left: ComparedValues, right: ComparedValues) -> Bool {
    left.values.elementsEqual(right.values) { left, right in
      switch (left, right) {
      case (let left?, let right?): left.isSame(as: right)
      case (nil, nil): true
      default: false
      }
    }
  }

  func hash(into hasher: inout Hasher) {
    for value in values {
      switch value {
      // NaN is the same as NaN.
      case .value(let value) where !value.isNaN: hasher.combine(value)
      case .members(let ids): hasher.combine(ids)
      case .value, .unfit, nil: hasher.combine(0)
      }
    }
  }
}
