// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataPrimitives

extension ChangeTable: CheckedInvariants {
  package var brokenInvariant: String? {
    var end = 0
    for (number, span) in spans.enumerated() {
      let isInOrder = number == 0 || spans[number - 1].entity < span.entity
      guard isInOrder, span.range.lowerBound == end, span.range.upperBound <= keys.count,
        keys[span.range].allSatisfy({ $0.entity == span.entity })
      else { return Self.spansSentence }
      end = span.range.upperBound
    }
    if end != keys.count { return Self.spansSentence }
    guard values.count == keys.count, zip(keys, keys.dropFirst()).allSatisfy({ $0 < $1 }) else {
      return "I1 Keys ascend without repetition; `values` has the change of each."
    }
    return nil
  }

  private static let spansSentence =
    "I2 `spans` has each entity of the keys once, ascending; together they cover all."
}
