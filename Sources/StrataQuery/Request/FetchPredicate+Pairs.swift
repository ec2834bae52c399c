// SPDX-License-Identifier: Apache-2.0
import StrataModel
public import StrataRecord

// Comparisons of two properties: `$0.arrival < $0.departure`, or a property of a member with one of
// its owner. nil equals nil and has no order.

/// Whether both values are equal, or both are nil.
public func == <One, Two, V: AttributeValue>(
  left: PropertyPath<One, V>, right: PropertyPath<Two, V>
) -> FetchPredicate {
  FetchPredicate(Comparison(left.operand, .equal, right.operand))
}

/// Whether the values differ. nil differs from every value and equals nil.
public func != <One, Two, V: AttributeValue>(
  left: PropertyPath<One, V>, right: PropertyPath<Two, V>
) -> FetchPredicate {
  FetchPredicate(Inequality(left: left.operand, right: right.operand))
}

/// Whether the left value is less than the right one; false if one of them is nil.
public func < <One, Two, V: AttributeValue & Comparable>(
  left: PropertyPath<One, V>, right: PropertyPath<Two, V>
) -> FetchPredicate {
  left.ordered(.less, right, V.self)
}

/// Whether the left value is less than or equal to the right one; false if one of them is nil.
public func <= <One, Two, V: AttributeValue & Comparable>(
  left: PropertyPath<One, V>, right: PropertyPath<Two, V>
) -> FetchPredicate {
  left.ordered(.lessOrEqual, right, V.self)
}

/// Whether the left value is greater than the right one; false if one of them is nil.
public func > <One, Two, V: AttributeValue & Comparable>(
  left: PropertyPath<One, V>, right: PropertyPath<Two, V>
) -> FetchPredicate {
  left.ordered(.greater, right, V.self)
}

/// Whether the left value is greater than or equal to the right one; false if one of them is nil.
public func >= <One, Two, V: AttributeValue & Comparable>(
  left: PropertyPath<One, V>, right: PropertyPath<Two, V>
) -> FetchPredicate {
  left.ordered(.greaterOrEqual, right, V.self)
}

/// Whether the left value is less than the right one; false if one of them is nil.
public func < <One, Two, V: AttributeValue & Comparable>(
  left: PropertyPath<One, V?>, right: PropertyPath<Two, V?>
) -> FetchPredicate {
  left.ordered(.less, right, V.self)
}

/// Whether the left value is less than or equal to the right one; false if one of them is nil.
public func <= <One, Two, V: AttributeValue & Comparable>(
  left: PropertyPath<One, V?>, right: PropertyPath<Two, V?>
) -> FetchPredicate {
  left.ordered(.lessOrEqual, right, V.self)
}

/// Whether the left value is greater than the right one; false if one of them is nil.
public func > <One, Two, V: AttributeValue & Comparable>(
  left: PropertyPath<One, V?>, right: PropertyPath<Two, V?>
) -> FetchPredicate {
  left.ordered(.greater, right, V.self)
}

/// Whether the left value is greater than or equal to the right one; false if one of them is nil.
public func >= <One, Two, V: AttributeValue & Comparable>(
  left: PropertyPath<One, V?>, right: PropertyPath<Two, V?>
) -> FetchPredicate {
  left.ordered(.greaterOrEqual, right, V.self)
}

// MARK: - An optional value and one that is not

/// Whether both values are equal; false if the optional one is nil.
@_disfavoredOverload
public func == <One, Two, V: AttributeValue>(
  left: PropertyPath<One, V?>, right: PropertyPath<Two, V>
) -> FetchPredicate {
  FetchPredicate(Comparison(left.operand, .equal, right.operand))
}

/// Whether both values are equal; false if the optional one is nil.
@_disfavoredOverload
public func == <One, Two, V: AttributeValue>(
  left: PropertyPath<One, V>, right: PropertyPath<Two, V?>
) -> FetchPredicate {
  FetchPredicate(Comparison(left.operand, .equal, right.operand))
}

/// Whether the values differ; true if the optional one is nil.
@_disfavoredOverload
public func != <One, Two, V: AttributeValue>(
  left: PropertyPath<One, V?>, right: PropertyPath<Two, V>
) -> FetchPredicate {
  FetchPredicate(Inequality(left: left.operand, right: right.operand))
}

/// Whether the values differ; true if the optional one is nil.
@_disfavoredOverload
public func != <One, Two, V: AttributeValue>(
  left: PropertyPath<One, V>, right: PropertyPath<Two, V?>
) -> FetchPredicate {
  FetchPredicate(Inequality(left: left.operand, right: right.operand))
}

/// Whether the left value is less than the right one; false if one of them is nil.
@_disfavoredOverload
public func < <One, Two, V: AttributeValue & Comparable>(
  left: PropertyPath<One, V?>, right: PropertyPath<Two, V>
) -> FetchPredicate {
  left.ordered(.less, right, V.self)
}

/// Whether the left value is less than the right one; false if one of them is nil.
@_disfavoredOverload
public func < <One, Two, V: AttributeValue & Comparable>(
  left: PropertyPath<One, V>, right: PropertyPath<Two, V?>
) -> FetchPredicate {
  left.ordered(.less, right, V.self)
}

/// Whether the left value is less than or equal to the right one; false if one of them is nil.
@_disfavoredOverload
public func <= <One, Two, V: AttributeValue & Comparable>(
  left: PropertyPath<One, V?>, right: PropertyPath<Two, V>
) -> FetchPredicate {
  left.ordered(.lessOrEqual, right, V.self)
}

/// Whether the left value is less than or equal to the right one; false if one of them is nil.
@_disfavoredOverload
public func <= <One, Two, V: AttributeValue & Comparable>(
  left: PropertyPath<One, V>, right: PropertyPath<Two, V?>
) -> FetchPredicate {
  left.ordered(.lessOrEqual, right, V.self)
}

/// Whether the left value is greater than the right one; false if one of them is nil.
@_disfavoredOverload
public func > <One, Two, V: AttributeValue & Comparable>(
  left: PropertyPath<One, V?>, right: PropertyPath<Two, V>
) -> FetchPredicate {
  left.ordered(.greater, right, V.self)
}

/// Whether the left value is greater than the right one; false if one of them is nil.
@_disfavoredOverload
public func > <One, Two, V: AttributeValue & Comparable>(
  left: PropertyPath<One, V>, right: PropertyPath<Two, V?>
) -> FetchPredicate {
  left.ordered(.greater, right, V.self)
}

/// Whether the left value is greater than or equal to the right one; false if one of them is
/// nil.
@_disfavoredOverload
public func >= <One, Two, V: AttributeValue & Comparable>(
  left: PropertyPath<One, V?>, right: PropertyPath<Two, V>
) -> FetchPredicate {
  left.ordered(.greaterOrEqual, right, V.self)
}

/// Whether the left value is greater than or equal to the right one; false if one of them is
/// nil.
@_disfavoredOverload
public func >= <One, Two, V: AttributeValue & Comparable>(
  left: PropertyPath<One, V>, right: PropertyPath<Two, V?>
) -> FetchPredicate {
  left.ordered(.greaterOrEqual, right, V.self)
}
