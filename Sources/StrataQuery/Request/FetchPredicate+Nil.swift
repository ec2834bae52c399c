// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// What `nil` is in `$0.country.name == nil`, where the property itself is not optional but the way
/// to it is.
public struct NilConstant: ExpressibleByNilLiteral, Sendable {
  public init(nilLiteral: ()) {}
}

/// Whether there is no value, because the property is nil or a relationship on the way leads nowhere.
@_disfavoredOverload
public func == <Root, Leaf>(path: PropertyPath<Root, Leaf>, _: NilConstant) -> FetchPredicate {
  path.compared(.equal, .null)
}

/// Whether there is a value.
@_disfavoredOverload
public func != <Root, Leaf>(path: PropertyPath<Root, Leaf>, _: NilConstant) -> FetchPredicate {
  !path.compared(.equal, .null)
}
