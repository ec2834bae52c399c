// SPDX-License-Identifier: Apache-2.0

/// The operands of a junction, in order, in blocks. A program that joins predicates in a loop,
/// `all = all && next`, copies at most one block for each predicate. Every 64th predicate, it also
/// copies the list of the blocks.
///
/// Up to 64 operands are a single array. The list takes two words, so that a junction is stored in
/// an existential without a box.
///
/// ## Invariants
/// - I1 No block has more than `blockCountMax` operands, except one that was created at once.
struct JoinedNodes: Sendable {
  private static let blockCountMax = 64

  /// The blocks before the last one.
  private final class Former: Sendable {
    /// The block at the beginning, to which operands are prepended.
    let head: [any PredicateNode]
    let blocks: [[any PredicateNode]]

    init(_ head: [any PredicateNode], _ blocks: [[any PredicateNode]]) {
      self.head = head
      self.blocks = blocks
    }
  }

  /// nil in a list of one block.
  private let former: Former?
  /// The block at the end, to which operands are appended.
  private let tail: [any PredicateNode]

  init(_ nodes: [any PredicateNode]) { self.init(nil, nodes) }

  private init(_ former: Former?, _ tail: [any PredicateNode]) {
    self.former = former
    self.tail = tail
  }

  /// Joins two lists.
  init(_ left: JoinedNodes, _ right: JoinedNodes) {
    let before = left.former
    guard let after = right.former else {
      let fits = left.tail.count + right.tail.count <= Self.blockCountMax
      self.init(
        fits ? before : Former(before?.head ?? [], (before?.blocks ?? []) + [left.tail]),
        fits ? left.tail + right.tail : right.tail)
      return
    }
    if let before {
      let blocks = before.blocks + [left.tail, after.head] + after.blocks
      self.init(Former(before.head, blocks), right.tail)
    } else if left.tail.count + after.head.count <= Self.blockCountMax {
      self.init(Former(left.tail + after.head, after.blocks), right.tail)
    } else {
      self.init(Former(left.tail, [after.head] + after.blocks), right.tail)
    }
  }

  /// All operands. O(operands).
  var all: [any PredicateNode] {
    guard let former else { return tail }
    return former.head + former.blocks.joined() + tail
  }
}
