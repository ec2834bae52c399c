// SPDX-License-Identifier: Apache-2.0
public import StrataModel
public import StrataRecord

// Ranges as rules, of any type that an attribute can have; the model says which of them fit.

extension AttributeOption {
  /// The range that a number or a `Date` must be in when a context saves the object, bounds
  /// included. The bounds are of the attribute's type, or integers for any type of number.
  public static func range<T: AttributeValue & Comparable>(_ bounds: ClosedRange<T>) -> Self {
    .rule(.range(min: bounds.lowerBound.value, max: bounds.upperBound.value))
  }

  /// The least that a number or a `Date` may be when a context saves the object.
  public static func range<T: AttributeValue & Comparable>(_ bounds: PartialRangeFrom<T>) -> Self {
    .rule(.range(min: bounds.lowerBound.value, max: nil))
  }

  /// The most that a number or a `Date` may be when a context saves the object.
  public static func range<T: AttributeValue & Comparable>(_ bounds: PartialRangeThrough<T>) -> Self
  {
    .rule(.range(min: nil, max: bounds.upperBound.value))
  }
}
