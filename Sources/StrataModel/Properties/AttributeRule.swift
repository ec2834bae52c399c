// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A rule that an attribute's value must satisfy when a context saves the object: part of the
/// model, checked for every inserted or updated object that has it. Core Data: a validation
/// predicate.
///
/// Nil breaks no rule but `.required`. An attribute that is not optional and was never set is
/// checked with the value that it reads as: its default, or the zero of its type.
public enum AttributeRule: Sendable, Hashable {
  /// There must be a value: not nil, and for an attribute that is not optional, one that was set or
  /// that is the default. Core Data: not `isOptional`.
  case required
  /// The length of a `String` in characters, or of `Data` in bytes. A nil `max` means no bound.
  case length(min: Int, max: Int?)
  /// A number or a `Date`, bounds included. A nil bound means no limit. NaN is in no range.
  case range(min: PropertyValue?, max: PropertyValue?)
  /// A `String` that must match this regular expression as a whole, written as for Swift's `Regex`.
  case matches(String)
}

extension AttributeRule: CustomStringConvertible {
  /// The rule as a program writes it: `.length(1...80)`.
  public var description: String {
    switch self {
    case .required: ".required"
    case .length(let min, let max): ".length(\(min)...\(max.map(String.init) ?? ""))"
    case .range(let min, let max): ".range(\(min?.plain ?? "")...\(max?.plain ?? ""))"
    case .matches(let pattern): ".matches(\(String(reflecting: pattern)))"
    }
  }
}

extension AttributeOption {
  /// There must be a value when a context saves the object: not nil, and for an attribute that is
  /// not optional, one that was set or that is the default.
  public static var required: AttributeOption { .rule(.required) }

  /// How long a `String` is in characters, or `Data` in bytes.
  public static func length(_ bounds: ClosedRange<Int>) -> AttributeOption {
    .rule(.length(min: bounds.lowerBound, max: bounds.upperBound))
  }

  /// How long a `String` is at least in characters, or `Data` in bytes.
  public static func length(_ bounds: PartialRangeFrom<Int>) -> AttributeOption {
    .rule(.length(min: bounds.lowerBound, max: nil))
  }

  /// How long a `String` is at most in characters, or `Data` in bytes.
  public static func length(_ bounds: PartialRangeThrough<Int>) -> AttributeOption {
    .rule(.length(min: 0, max: bounds.upperBound))
  }

  /// The regular expression that the whole of a `String` must match, written as for Swift's
  /// `Regex`. It is checked when the model is built.
  public static func matches(_ pattern: String) -> AttributeOption { .rule(.matches(pattern)) }
}

// MARK: - Types that rules fit

extension AttributeRule {
  /// Whether the rule can be asked of values of `type`, and its own bounds make sense.
  func fits(_ type: AttributeType) -> Bool {
    switch self {
    case .required: true
    case .length(let min, let max):
      (type == .string || type == .data) && min >= 0 && max.map { $0 >= min } ?? true
    case .range(nil, nil): false
    case .range(let min, let max):
      [min, max].allSatisfy { $0.map { type.bound($0) != nil } ?? true }
        && type.isOrdered(min, max)
    case .matches: type == .string
    }
  }
}

extension AttributeType {
  /// Whether the bounds, where there are two, leave anything between them.
  fileprivate func isOrdered(_ min: PropertyValue?, _ max: PropertyValue?) -> Bool {
    guard let min = min.flatMap(bound), let max = max.flatMap(bound) else { return true }
    return min.isAtMost(max)
  }

  /// `value` as a bound for values of this type, in the case that those have; nil if they cannot be
  /// compared with it.
  package func bound(_ value: PropertyValue) -> PropertyValue? {
    switch (self, value) {
    case (.int8, .int), (.int16, .int), (.int32, .int), (.int64, .int): value
    case (.int8, .uint(let bound)), (.int16, .uint(let bound)), (.int32, .uint(let bound)),
      (.int64, .uint(let bound)):
      Int64(exactly: bound).map(PropertyValue.int)
    case (.uint8, .uint), (.uint16, .uint), (.uint32, .uint), (.uint64, .uint): value
    case (.uint8, .int(let bound)), (.uint16, .int(let bound)), (.uint32, .int(let bound)),
      (.uint64, .int(let bound)):
      UInt64(exactly: bound).map(PropertyValue.uint)
    // As near to the bound as such an attribute can be: 0.1 is within `.range(0...0.1)`.
    case (.float, .double(let bound)): bound.isNaN ? nil : .double(Double(Float(bound)))
    case (.float, .int(let bound)): .double(Double(Float(bound)))
    case (.float, .uint(let bound)): .double(Double(Float(bound)))
    case (.double, .double(let bound)): bound.isNaN ? nil : value
    case (.double, .int(let bound)): .double(Double(bound))
    case (.double, .uint(let bound)): .double(Double(bound))
    case (.decimal, .decimal(let bound)): bound.isNaN ? nil : value
    case (.decimal, .int(let bound)): .decimal(Decimal(bound))
    case (.decimal, .uint(let bound)): .decimal(Decimal(bound))
    case (.date, .date(let bound)):
      bound.timeIntervalSinceReferenceDate.isNaN ? nil : value
    default: nil
    }
  }
}

extension PropertyValue {
  /// Whether this number or date is no greater than `other`, which is of the same case. False for
  /// NaN and for values of different cases.
  package func isAtMost(_ other: PropertyValue) -> Bool {
    switch (self, other) {
    case (.int(let left), .int(let right)): left <= right
    case (.uint(let left), .uint(let right)): left <= right
    case (.double(let left), .double(let right)): left <= right
    case (.decimal(let left), .decimal(let right)): !left.isNaN && !right.isNaN && left <= right
    case (.date(let left), .date(let right)):
      left.timeIntervalSinceReferenceDate <= right.timeIntervalSinceReferenceDate
    default: false
    }
  }

  /// A bound as a program writes it.
  package var plain: String {
    switch self {
    case .int(let value): "\(value)"
    case .uint(let value): "\(value)"
    case .double(let value): "\(value)"
    case .decimal(let value): "\(value)"
    case .date(let value): "\(value)"
    default: "\(self)"
    }
  }
}
