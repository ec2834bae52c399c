// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataPrimitives

/// A list of entries as a balanced tree that counts the entries and sections of each part. An old
/// list stays unchanged when a new one is made from it, and shares all but O(log n) nodes with it.
///
/// With it, a change of one object in a list of a million costs twenty steps, indexes in the old
/// and the new list can both be looked up, and a snapshot of the list is a pointer.
///
/// It is a treap: in the order of the list from left to right, and a heap by a number that is
/// calculated from the object's key. So its shape depends only on its contents, and all operations
/// take O(log n) steps for all but unbelievable sets of keys.
///
/// A *run* is a range of neighbours of one section; `runCount` is their number.
///
/// ## Invariants
/// - I1 A node's `weight` is not less than its children's.
///
/// ## Isolation
/// Sendable: immutable.
package final class ResultNode: Sendable {
  package let entry: ResultEntry
  let left: ResultNode?
  let right: ResultNode?
  let count: Int
  let runCount: Int
  /// The sections of the first and the last entry.
  let first: SectionName
  let last: SectionName

  package init(_ entry: ResultEntry, left: ResultNode?, right: ResultNode?) {
    self.entry = entry
    self.left = left
    self.right = right
    count = (left?.count ?? 0) + 1 + (right?.count ?? 0)
    first = left?.first ?? entry.section
    last = right?.last ?? entry.section
    var runs = 1
    if let left { runs += left.runCount - (left.last === entry.section ? 1 : 0) }
    if let right { runs += right.runCount - (right.first === entry.section ? 1 : 0) }
    runCount = runs
    checkInvariants()
  }

  var weight: UInt64 {
    var bits = entry.key.rawValue &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }

  // MARK: - Making lists

  /// All of `left`, then all of `right`. O(log n).
  static func joining(_ left: ResultNode?, _ right: ResultNode?) -> ResultNode? {
    guard let left else { return right }
    guard let right else { return left }
    if left.weight > right.weight {
      return ResultNode(left.entry, left: left.left, right: joining(left.right, right))
    }
    return ResultNode(right.entry, left: joining(left, right.left), right: right.right)
  }

  /// The first `count` entries, and the others. O(log n).
  static func splitting(
    _ node: ResultNode?, at count: Int
  ) -> (ResultNode?, ResultNode?) {
    guard let node else { return (nil, nil) }
    let before = node.left?.count ?? 0
    if count <= before {
      let (low, high) = splitting(node.left, at: count)
      return (low, ResultNode(node.entry, left: high, right: node.right))
    }
    let (low, high) = splitting(node.right, at: count - before - 1)
    return (ResultNode(node.entry, left: node.left, right: low), high)
  }

  /// A list of entries in this order. O(n).
  static func list(of entries: ArraySlice<ResultEntry>) -> ResultNode? {
    guard entries.count > 1 else {
      return entries.first.map { ResultNode($0, left: nil, right: nil) }
    }
    let middle = entries.startIndex + entries.count / 2
    return joining(
      list(of: entries[entries.startIndex..<middle]), list(of: entries[middle...]))
  }

  // MARK: - Looking

  /// The entry at `index`. O(log n).
  func entry(at index: Int) -> ResultEntry {
    var node = self
    var index = index
    while true {
      let before = node.left?.count ?? 0
      if index == before { return node.entry }
      let next = index < before ? node.left : node.right
      if index > before { index -= before + 1 }
      guard let next else { stopProgram("the index is beyond the list") }
      node = next
    }
  }

  /// How many entries come before `entry`. O(log n).
  func countBefore(_ entry: ResultEntry) -> Int {
    var count = 0
    var node: ResultNode? = self
    while let current = node {
      if current.entry.precedes(entry) {
        count += (current.left?.count ?? 0) + 1
        node = current.right
      } else {
        node = current.left
      }
    }
    return count
  }

  /// How many runs the first `count` entries have. O(log n).
  func runCount(upTo count: Int) -> Int {
    var runs = 0
    var rest = count
    var last: SectionName?
    var node: ResultNode? = self
    while let current = node, rest > 0 {
      let before = current.left?.count ?? 0
      if rest <= before {
        node = current.left
        continue
      }
      if let left = current.left {
        runs += left.runCount - (left.first === last ? 1 : 0)
        last = left.last
      }
      if current.entry.section !== last { runs += 1 }
      last = current.entry.section
      rest -= before + 1
      node = current.right
    }
    return runs
  }

  /// The index at which run number `run` begins; the list's count if there are not as many. O(log
  /// n).
  func start(ofRun run: Int) -> Int {
    if run >= runCount { return count }
    var start = 0
    var rest = run
    var last: SectionName?
    var node: ResultNode? = self
    while let current = node {
      let runsBefore =
        current.left.map { $0.runCount - ($0.first === last ? 1 : 0) } ?? 0
      if rest < runsBefore {
        node = current.left
        continue
      }
      rest -= runsBefore
      last = current.left?.last ?? last
      start += current.left?.count ?? 0
      if current.entry.section !== last {
        if rest == 0 { return start }
        rest -= 1
      }
      last = current.entry.section
      start += 1
      node = current.right
    }
    return start
  }

  /// Calls `body` with each entry of `range`, in order. O(log n + entries).
  func forEach(in range: Range<Int>, _ body: (ResultEntry) -> Void) {
    if range.isEmpty { return }
    let before = left?.count ?? 0
    if let left, range.lowerBound < before {
      left.forEach(in: range.clamped(to: 0..<before), body)
    }
    if range.contains(before) { body(entry) }
    if let right, range.upperBound > before + 1 {
      let start = max(range.lowerBound, before + 1) - before - 1
      right.forEach(in: start..<(range.upperBound - before - 1), body)
    }
  }
}
