// SPDX-License-Identifier: Apache-2.0
import StrataModel
public import StrataRecord

// Two properties of an object beside each other: `$0.arrival < $0.departure`, or one of a member and
// one of the object whose member it is. nil is equal to nil, and has no order.

/// Whether both values are equal.
public func == <One, Two, V: AttributeValue>(
  left: PropertyPath<One, V>, right: PropertyPath<Two, V>
) -> FetchPredicate {
  FetchPredicate(Comparison(left.operand, .equal, right.operand))
}

/// Whether the values differ.
public func != <One, Two, V: AttributeValue>(
  left: PropertyPath<One, V>, right: PropertyPath<Two, V>
) -> FetchPredicate {
  FetchPredicate(Inequality(left: left.operand, right: right.operand))
}

/// Whether the left value comes before the right one; false if there is none on one side.
public func < <One, Two, V: AttributeValue & Comparable>(
  left: PropertyPath<One, V>, right: PropertyPath<Two, V>
) -> FetchPredicate {
  FetchPredicate(Comparison(left.operand, .less, right.operand))
}

/// Whether the left value comes before the right one or is equal to it; false if there is none on
/// one side.
public func <= <One, Two, V: AttributeValue & Comparable>(
  left: PropertyPath<One, V>, right: PropertyPath<Two, V>
) -> FetchPredicate {
  FetchPredicate(Comparison(left.operand, .lessOrEqual, right.operand))
}

/// Whether the left value comes after the right one; false if there is none on one side.
public func > <One, Two, V: AttributeValue & Comparable>(
  left: PropertyPath<One, V>, right: PropertyPath<Two, V>
) -> FetchPredicate {
  FetchPredicate(Comparison(left.operand, .greater, right.operand))
}

/// Whether the left value comes after the right one or is equal to it; false if there is none on one
/// side.
public func >= <One, Two, V: AttributeValue & Comparable>(
  left: PropertyPath<One, V>, right: PropertyPath<Two, V>
) -> FetchPredicate {
  FetchPredicate(Comparison(left.operand, .greaterOrEqual, right.operand))
}

/// Whether the left value comes before the right one; false if there is none on one side.
public func < <One, Two, V: AttributeValue & Comparable>(
  left: PropertyPath<One, V?>, right: PropertyPath<Two, V?>
) -> FetchPredicate {
  FetchPredicate(Comparison(left.operand, .less, right.operand))
}

/// Whether the left value comes before the right one or is equal to it; false if there is none on
/// one side.
public func <= <One, Two, V: AttributeValue & Comparable>(
  left: PropertyPath<One, V?>, right: PropertyPath<Two, V?>
) -> FetchPredicate {
  FetchPredicate(Comparison(left.operand, .lessOrEqual, right.operand))
}

/// Whether the left value comes after the right one; false if there is none on one side.
public func > <One, Two, V: AttributeValue & Comparable>(
  left: PropertyPath<One, V?>, right: PropertyPath<Two, V?>
) -> FetchPredicate {
  FetchPredicate(Comparison(left.operand, .greater, right.operand))
}

/// Whether the left value comes after the right one or is equal to it; false if there is none on one
/// side.
public func >= <One, Two, V: AttributeValue & Comparable>(
  left: PropertyPath<One, V?>, right: PropertyPath<Two, V?>
) -> FetchPredicate {
  FetchPredicate(Comparison(left.operand, .greaterOrEqual, right.operand))
}
