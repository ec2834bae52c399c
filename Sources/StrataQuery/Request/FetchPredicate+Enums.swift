// SPDX-License-Identifier: Apache-2.0
import StrataModel
public import StrataRecord

// Enums are stored as their raw values, and compared as such. These overloads step back where an
// enum is an `AttributeValue` itself.

/// Whether the value is equal to a constant.
@_disfavoredOverload
public func == <Root, V: RawRepresentable>(
  path: PropertyPath<Root, V>, constant: V
) -> FetchPredicate where V.RawValue: AttributeValue {
  path.compared(.equal, constant.rawValue.value)
}

/// Whether the value is equal to a constant, or nil if the constant is.
@_disfavoredOverload
public func == <Root, V: RawRepresentable>(
  path: PropertyPath<Root, V?>, constant: V?
) -> FetchPredicate where V.RawValue: AttributeValue {
  path.compared(.equal, constant?.rawValue.value ?? .null)
}

/// Whether the value differs from a constant, or there is none.
@_disfavoredOverload
public func != <Root, V: RawRepresentable>(
  path: PropertyPath<Root, V>, constant: V
) -> FetchPredicate where V.RawValue: AttributeValue {
  !(path == constant)
}

/// Whether the value differs from a constant; if the constant is nil, whether there is a value.
@_disfavoredOverload
public func != <Root, V: RawRepresentable>(
  path: PropertyPath<Root, V?>, constant: V?
) -> FetchPredicate where V.RawValue: AttributeValue {
  !(path == constant)
}
