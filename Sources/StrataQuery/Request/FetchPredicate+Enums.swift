// SPDX-License-Identifier: Apache-2.0
import StrataModel
public import StrataRecord

// Comparisons of enums, which are stored and compared as their raw values. These overloads are
// disfavored, so that an enum that conforms to `AttributeValue` uses the general ones.

/// Whether the value is equal to an enum constant. Raw values are compared.
@_disfavoredOverload
public func == <Root, V: RawRepresentable>(
  path: PropertyPath<Root, V>, constant: V
) -> FetchPredicate where V.RawValue: AttributeValue {
  path.compared(.equal, constant.rawValue.value)
}

/// Whether the value is equal to an enum constant. Raw values are compared. If the constant is nil,
/// whether the value is nil.
@_disfavoredOverload
public func == <Root, V: RawRepresentable>(
  path: PropertyPath<Root, V?>, constant: V?
) -> FetchPredicate where V.RawValue: AttributeValue {
  path.compared(.equal, constant?.rawValue.value ?? .null)
}

/// Whether the value differs from an enum constant; true if the value is nil. Raw values are
/// compared.
@_disfavoredOverload
public func != <Root, V: RawRepresentable>(
  path: PropertyPath<Root, V>, constant: V
) -> FetchPredicate where V.RawValue: AttributeValue {
  !(path == constant)
}

/// Whether the value differs from an enum constant; true if the value is nil and the constant is
/// not. Raw values are compared. If the constant is nil, whether there is a value.
@_disfavoredOverload
public func != <Root, V: RawRepresentable>(
  path: PropertyPath<Root, V?>, constant: V?
) -> FetchPredicate where V.RawValue: AttributeValue {
  !(path == constant)
}

// MARK: - An optional constant

/// Whether the value is equal to an optional enum constant; false if the constant is nil, because
/// the property always has a value. Raw values are compared.
@_disfavoredOverload
public func == <Root, V: RawRepresentable>(
  path: PropertyPath<Root, V>, constant: V?
) -> FetchPredicate where V.RawValue: AttributeValue {
  path.compared(.equal, constant?.rawValue.value ?? .null)
}

/// Whether the value differs from an optional enum constant; true if the constant is nil, because
/// the property always has a value. Raw values are compared.
@_disfavoredOverload
public func != <Root, V: RawRepresentable>(
  path: PropertyPath<Root, V>, constant: V?
) -> FetchPredicate where V.RawValue: AttributeValue {
  !(path == constant)
}

/// Whether the value is equal to an optional enum constant; false if the constant is nil, because
/// the property always has a value. For an enum that conforms to `AttributeValue`. Stored values
/// are compared.
@_disfavoredOverload
public func == <Root, V: RawRepresentable & AttributeValue>(
  path: PropertyPath<Root, V>, constant: V?
) -> FetchPredicate where V.RawValue: AttributeValue {
  path.compared(.equal, constant.value)
}

/// Whether the value differs from an optional enum constant; true if the constant is nil, because
/// the property always has a value. For an enum that conforms to `AttributeValue`. Stored values
/// are compared.
@_disfavoredOverload
public func != <Root, V: RawRepresentable & AttributeValue>(
  path: PropertyPath<Root, V>, constant: V?
) -> FetchPredicate where V.RawValue: AttributeValue {
  !(path == constant)
}

// MARK: - Order

/// Whether the value precedes an enum constant in the order of the enum's `<`; false if the value
/// is nil.
@_disfavoredOverload
public func < <Root, V: RawRepresentable & CaseIterable & Comparable>(
  path: PropertyPath<Root, V>, constant: V
) -> FetchPredicate where V.RawValue: AttributeValue {
  path.ordered(.less, constant.rawValue.value, _Ranks(of: V.self))
}

/// Whether the value precedes an enum constant in the order of the enum's `<`; false if the value
/// is nil.
@_disfavoredOverload
public func < <Root, V: RawRepresentable & CaseIterable & Comparable>(
  path: PropertyPath<Root, V?>, constant: V
) -> FetchPredicate where V.RawValue: AttributeValue {
  path.ordered(.less, constant.rawValue.value, _Ranks(of: V.self))
}

/// Whether the value precedes or equals an enum constant in the order of the enum's `<`; false if
/// the value is nil.
@_disfavoredOverload
public func <= <Root, V: RawRepresentable & CaseIterable & Comparable>(
  path: PropertyPath<Root, V>, constant: V
) -> FetchPredicate where V.RawValue: AttributeValue {
  path.ordered(.lessOrEqual, constant.rawValue.value, _Ranks(of: V.self))
}

/// Whether the value precedes or equals an enum constant in the order of the enum's `<`; false if
/// the value is nil.
@_disfavoredOverload
public func <= <Root, V: RawRepresentable & CaseIterable & Comparable>(
  path: PropertyPath<Root, V?>, constant: V
) -> FetchPredicate where V.RawValue: AttributeValue {
  path.ordered(.lessOrEqual, constant.rawValue.value, _Ranks(of: V.self))
}

/// Whether the value follows an enum constant in the order of the enum's `<`; false if the value is
/// nil.
@_disfavoredOverload
public func > <Root, V: RawRepresentable & CaseIterable & Comparable>(
  path: PropertyPath<Root, V>, constant: V
) -> FetchPredicate where V.RawValue: AttributeValue {
  path.ordered(.greater, constant.rawValue.value, _Ranks(of: V.self))
}

/// Whether the value follows an enum constant in the order of the enum's `<`; false if the value is
/// nil.
@_disfavoredOverload
public func > <Root, V: RawRepresentable & CaseIterable & Comparable>(
  path: PropertyPath<Root, V?>, constant: V
) -> FetchPredicate where V.RawValue: AttributeValue {
  path.ordered(.greater, constant.rawValue.value, _Ranks(of: V.self))
}

/// Whether the value follows or equals an enum constant in the order of the enum's `<`; false if
/// the value is nil.
@_disfavoredOverload
public func >= <Root, V: RawRepresentable & CaseIterable & Comparable>(
  path: PropertyPath<Root, V>, constant: V
) -> FetchPredicate where V.RawValue: AttributeValue {
  path.ordered(.greaterOrEqual, constant.rawValue.value, _Ranks(of: V.self))
}

/// Whether the value follows or equals an enum constant in the order of the enum's `<`; false if
/// the value is nil.
@_disfavoredOverload
public func >= <Root, V: RawRepresentable & CaseIterable & Comparable>(
  path: PropertyPath<Root, V?>, constant: V
) -> FetchPredicate where V.RawValue: AttributeValue {
  path.ordered(.greaterOrEqual, constant.rawValue.value, _Ranks(of: V.self))
}
