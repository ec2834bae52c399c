// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataRecord

/// Compares values with the rules of attributes.
///
/// It caches the compiled patterns: a `Regex` is not `Sendable`, so each context compiles those
/// that it needs, once.
///
/// ## Isolation
/// The context's.
struct RuleChecker {
  private var patterns: [String: Regex<AnyRegexOutput>] = [:]

  /// The rules of the attribute that the record breaks, and the value that does: of an external one
  /// its length, for its bytes are not read.
  mutating func broken(
    _ check: EntityValidation.AttributeCheck, by record: Record, _ layout: RecordLayout,
    store: StoreIdentity
  ) -> (rules: [AttributeRule], value: PropertyValue) {
    let isPresent = record.isPresent(check.slot, layout)
    let stamp = record.stamp(at: check.slot, layout)
    let value =
      stamp.map { PropertyValue.int(Int64(clamping: $0.byteCount)) }
      ?? (isPresent ? record.value(at: check.slot, layout: layout, store: store) : check.unset)
    var broken: [AttributeRule] = []
    for rule in check.rules {
      let isKept =
        switch rule {
        case .required: isPresent
        case .length(let min, let max):
          Self.isLength(stamp, of: value, atLeast: min, atMost: max)
        case .range(let min, let max): Self.is(value, of: check.type, from: min, through: max)
        case .matches(let pattern): isMatch(value, of: pattern)
        }
      if !isKept { broken.append(rule) }
    }
    return (broken, value)
  }

  private static func isLength(
    _ stamp: DataStamp?, of value: PropertyValue, atLeast min: Int, atMost max: Int?
  ) -> Bool {
    let length: Int
    switch (stamp, value) {
    case (let stamp?, _): length = Int(clamping: stamp.byteCount)
    case (nil, .string(let text)): length = text.count
    case (nil, .data(let data)): length = data.count
    default: return true
    }
    return length >= min && max.map { length <= $0 } ?? true
  }

  private static func `is`(
    _ value: PropertyValue, of type: AttributeType, from min: PropertyValue?,
    through max: PropertyValue?
  ) -> Bool {
    if value == .null { return true }
    if let min, let bound = type.bound(min), !bound.isAtMost(value) { return false }
    if let max, let bound = type.bound(max), !value.isAtMost(bound) { return false }
    return true
  }

  private mutating func isMatch(_ value: PropertyValue, of pattern: String) -> Bool {
    guard case .string(let text) = value else { return true }
    // The model has been built, so the pattern is one.
    guard let regex = patterns[pattern] ?? (try? Regex(pattern)) else { return true }
    patterns[pattern] = regex
    return text.wholeMatch(of: regex) != nil
  }
}
