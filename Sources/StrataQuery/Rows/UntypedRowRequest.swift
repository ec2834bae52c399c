// SPDX-License-Identifier: Apache-2.0

/// Which columns are wanted of which objects, grouped or not: what both forms of it,
/// `RowRequest` and `DictionaryRequest`, come down to.
package struct UntypedRowRequest: Sendable {
  /// Which objects; its order and window are those of the rows.
  package var objects: UntypedFetchRequest
  /// With their names, where the program has given one.
  package var columns: [(name: String?, node: any OperandNode)]
  package var groupKeys: [any OperandNode]
  /// Which groups; nil for all.
  package var having: (any PredicateNode)?
  package var isDistinct: Bool
}
