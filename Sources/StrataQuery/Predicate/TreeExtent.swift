// SPDX-License-Identifier: Apache-2.0

/// The size of a tree of nodes: its levels, and its operators and properties.
///
/// Planning, evaluation and release recurse through a tree, so its levels are limited by the stack.
/// A program may use a part several times, as in `p = (p && q) || (p && r)`. Each use is planned,
/// so the number of operators can double with each level, and it is limited too.
///
/// `FetchPredicate`, `PropertyPath` and `FetchColumn` replace a tree beyond the limits by a
/// `RefusedNode`. No tree of theirs therefore has more levels than the limit and one operator.
///
/// ## Invariants
/// - I1 Each node with nodes inside keeps its extent or computes it in constant time, from nodes
///   that keep theirs. Otherwise a doubling tree would take exponential time to measure.
package struct TreeExtent: Sendable, Hashable {
  /// The maximum number of levels. Chains of `&&` and of `||` are one level, and a condition on the
  /// members of a collection is four: evaluating it takes 4 KiB of the stack, and other operators
  /// take less than 1 KiB. The smallest stack of a thread is 512 KiB.
  package static let levelsMax: Int32 = 256
  /// The levels of a condition on the members of a collection.
  static let levelsOfCollection: Int32 = 4
  /// The maximum number of operators and properties. Constants do not count.
  package static let nodesMax: Int32 = 1 << 20

  /// At most `levelsMax + 1`. In 32 bits, so that nodes with an extent remain small.
  let levels: Int32
  /// At most `nodesMax + 1`, which stands for any larger number.
  private let nodes: Int32

  static let constant = TreeExtent(levels: 1, nodes: 0)
  static let leaf = TreeExtent(levels: 1, nodes: 1)
  /// The extent of no nodes, to which others are joined.
  static let nothing = TreeExtent(levels: 0, nodes: 0)

  /// Returns the extent of two parts side by side.
  func beside(_ other: TreeExtent) -> TreeExtent {
    TreeExtent(
      levels: max(levels, other.levels), nodes: min(nodes + other.nodes, Self.nodesMax + 1))
  }

  /// The extent of an operator around these parts.
  var enclosed: TreeExtent {
    TreeExtent(
      levels: min(levels + 1, Self.levelsMax + 1), nodes: min(nodes + 1, Self.nodesMax + 1))
  }

  /// The extent of an operator that evaluates these parts for the members of a collection.
  ///
  /// Whether a step of a path is a collection is known when the path is resolved: `PathResolver`
  /// counts the levels of such collections then.
  var enclosedInCollection: TreeExtent {
    TreeExtent(
      levels: min(levels + Self.levelsOfCollection, Self.levelsMax + 1),
      nodes: min(nodes + 1, Self.nodesMax + 1))
  }

  /// The error of a tree with this extent; nil if it is within the limits.
  var error: QueryError? {
    if levels > Self.levelsMax { return .tooManyLevels(maximum: Int(Self.levelsMax)) }
    return nodes > Self.nodesMax ? .tooManyOperators(maximum: Int(Self.nodesMax)) : nil
  }
}

/// The node in the place of a tree beyond the limits. Planning it throws.
struct RefusedNode: PredicateNode, OperandNode {
  let error: QueryError

  var extent: TreeExtent { .leaf }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition { throw error }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand { throw error }
}

extension TreeExtent {
  /// Returns the node, or a refused node if the tree is beyond the limits. A function of
  /// existentials, because a method would put the node into a new box.
  static func limited(_ node: any PredicateNode) -> any PredicateNode {
    if let error = node.extent.error { RefusedNode(error: error) } else { node }
  }

  /// Returns the node, or a refused node if the tree is beyond the limits.
  static func limited(_ node: any OperandNode) -> any OperandNode {
    if let error = node.extent.error { RefusedNode(error: error) } else { node }
  }
}
