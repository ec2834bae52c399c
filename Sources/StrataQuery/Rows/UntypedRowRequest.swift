// SPDX-License-Identifier: Apache-2.0

/// A request for rows without a static type.
package struct UntypedRowRequest: Sendable {
  /// The objects that the rows are computed from. The rows have their order and window.
  package var objects: UntypedFetchRequest
  /// The columns, with the names that the program has given them.
  package var columns: [(name: String?, node: any OperandNode)]
  package var groupKeys: [any OperandNode]
  /// The condition on groups; nil for all groups.
  package var having: (any PredicateNode)?
  package var isDistinct: Bool
}
