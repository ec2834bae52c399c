// SPDX-License-Identifier: Apache-2.0
import StrataModel
public import StrataRecord

// `$0.age > 10`: a path on the left, a constant on the right. The result is of one concrete type, so
// that long predicates are type-checked in milliseconds.

/// Whether the value is equal to a constant. An optional property may be compared with a plain
/// constant, and with nil.
public func == <Root, V: AttributeValue>(path: PropertyPath<Root, V>, constant: V) -> FetchPredicate
{
  path.compared(.equal, constant.value)
}

/// Whether the value differs from a constant, or there is none.
public func != <Root, V: AttributeValue>(path: PropertyPath<Root, V>, constant: V) -> FetchPredicate
{
  !(path == constant)
}

// MARK: - Order

/// Whether the value comes before a constant; false if there is no value.
public func < <Root, V: AttributeValue & Comparable>(
  path: PropertyPath<Root, V>, constant: V
) -> FetchPredicate {
  path.compared(.less, constant.value)
}

/// Whether the value comes before a constant or is equal to it; false if there is no value.
public func <= <Root, V: AttributeValue & Comparable>(
  path: PropertyPath<Root, V>, constant: V
) -> FetchPredicate {
  path.compared(.lessOrEqual, constant.value)
}

/// Whether the value comes after a constant; false if there is no value.
public func > <Root, V: AttributeValue & Comparable>(
  path: PropertyPath<Root, V>, constant: V
) -> FetchPredicate {
  path.compared(.greater, constant.value)
}

/// Whether the value comes after a constant or is equal to it; false if there is no value.
public func >= <Root, V: AttributeValue & Comparable>(
  path: PropertyPath<Root, V>, constant: V
) -> FetchPredicate {
  path.compared(.greaterOrEqual, constant.value)
}

/// Whether the value comes before a constant; false if there is no value.
public func < <Root, V: AttributeValue & Comparable>(
  path: PropertyPath<Root, V?>, constant: V
) -> FetchPredicate {
  path.compared(.less, constant.value)
}

/// Whether the value comes before a constant or is equal to it; false if there is no value.
public func <= <Root, V: AttributeValue & Comparable>(
  path: PropertyPath<Root, V?>, constant: V
) -> FetchPredicate {
  path.compared(.lessOrEqual, constant.value)
}

/// Whether the value comes after a constant; false if there is no value.
public func > <Root, V: AttributeValue & Comparable>(
  path: PropertyPath<Root, V?>, constant: V
) -> FetchPredicate {
  path.compared(.greater, constant.value)
}

/// Whether the value comes after a constant or is equal to it; false if there is no value.
public func >= <Root, V: AttributeValue & Comparable>(
  path: PropertyPath<Root, V?>, constant: V
) -> FetchPredicate {
  path.compared(.greaterOrEqual, constant.value)
}
