// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// The type of `nil` in `$0.address == nil`, where `address` is a `Codable` attribute.
public struct _NilLiteral: ExpressibleByNilLiteral, Sendable {
  public init(nilLiteral: ()) {}
}

/// Whether the value is nil. The value is nil if the property is, or if a to-one relationship on
/// the path is.
@_disfavoredOverload
public func == <Root, Leaf>(path: PropertyPath<Root, Leaf?>, _: _NilLiteral) -> FetchPredicate {
  path.compared(.equal, .null)
}

/// Whether the value is not nil.
@_disfavoredOverload
public func != <Root, Leaf>(path: PropertyPath<Root, Leaf?>, _: _NilLiteral) -> FetchPredicate {
  !path.compared(.equal, .null)
}
