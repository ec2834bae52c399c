// SPDX-License-Identifier: Apache-2.0
import StrataModel
public import StrataRecord

// Comparisons with a constant: `$0.age > 10`, with the path on the left. All operators return the
// same concrete type, so that long predicates are type-checked in milliseconds.

/// Whether the value is equal to a constant. An optional property can be compared with a
/// non-optional constant and with nil.
public func == <Root, V: AttributeValue>(path: PropertyPath<Root, V>, constant: V) -> FetchPredicate
{
  path.compared(.equal, constant.value)
}

/// Whether the value differs from a constant; true if the value is nil and the constant is not.
public func != <Root, V: AttributeValue>(path: PropertyPath<Root, V>, constant: V) -> FetchPredicate
{
  !(path == constant)
}

// MARK: - An optional constant

/// Whether the value is equal to an optional constant; false if the constant is nil, because the
/// property always has a value.
@_disfavoredOverload
public func == <Root, V: AttributeValue>(
  path: PropertyPath<Root, V>, constant: V?
) -> FetchPredicate {
  path.compared(.equal, constant.value)
}

/// Whether the value differs from an optional constant; true if the constant is nil, because the
/// property always has a value.
@_disfavoredOverload
public func != <Root, V: AttributeValue>(
  path: PropertyPath<Root, V>, constant: V?
) -> FetchPredicate {
  !(path == constant)
}

// MARK: - Order

/// Whether the value is less than a constant; false if the value is nil.
public func < <Root, V: AttributeValue & Comparable>(
  path: PropertyPath<Root, V>, constant: V
) -> FetchPredicate {
  path.ordered(.less, constant)
}

/// Whether the value is less than or equal to a constant; false if the value is nil.
public func <= <Root, V: AttributeValue & Comparable>(
  path: PropertyPath<Root, V>, constant: V
) -> FetchPredicate {
  path.ordered(.lessOrEqual, constant)
}

/// Whether the value is greater than a constant; false if the value is nil.
public func > <Root, V: AttributeValue & Comparable>(
  path: PropertyPath<Root, V>, constant: V
) -> FetchPredicate {
  path.ordered(.greater, constant)
}

/// Whether the value is greater than or equal to a constant; false if the value is nil.
public func >= <Root, V: AttributeValue & Comparable>(
  path: PropertyPath<Root, V>, constant: V
) -> FetchPredicate {
  path.ordered(.greaterOrEqual, constant)
}

/// Whether the value is less than a constant; false if the value is nil.
public func < <Root, V: AttributeValue & Comparable>(
  path: PropertyPath<Root, V?>, constant: V
) -> FetchPredicate {
  path.ordered(.less, constant)
}

/// Whether the value is less than or equal to a constant; false if the value is nil.
public func <= <Root, V: AttributeValue & Comparable>(
  path: PropertyPath<Root, V?>, constant: V
) -> FetchPredicate {
  path.ordered(.lessOrEqual, constant)
}

/// Whether the value is greater than a constant; false if the value is nil.
public func > <Root, V: AttributeValue & Comparable>(
  path: PropertyPath<Root, V?>, constant: V
) -> FetchPredicate {
  path.ordered(.greater, constant)
}

/// Whether the value is greater than or equal to a constant; false if the value is nil.
public func >= <Root, V: AttributeValue & Comparable>(
  path: PropertyPath<Root, V?>, constant: V
) -> FetchPredicate {
  path.ordered(.greaterOrEqual, constant)
}
