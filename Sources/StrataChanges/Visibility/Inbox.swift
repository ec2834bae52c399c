// SPDX-License-Identifier: Apache-2.0

/// The children's saves that wait in a layer until its context integrates them, oldest first.
///
/// A value: copies share their elements, and adding a push to one copy leaves the others as they
/// are. It takes O(1) even while others hold a copy, because pushes are added under the lock that
/// all readers take.
///
/// ## Isolation
/// Sendable: nodes are constant until their deinitialization.
package struct Inbox: Sendable {
  private final class Node: Sendable {
    let push: ContextLayer.Push
    // Safety: constant until `deinit`.
    private(set) nonisolated(unsafe) var older: Node?

    init(_ push: ContextLayer.Push, older: Node?) {
      self.push = push
      self.older = older
    }

    // One after the other: a long list would overflow the stack.
    deinit {
      var rest = older.take()
      while isKnownUniquelyReferenced(&rest), let node = rest { rest = node.older.take() }
    }
  }

  private var newest: Node?
  package private(set) var count = 0

  package init() {}

  package init(_ pushes: some Sequence<ContextLayer.Push>) {
    for push in pushes { append(push) }
  }

  package var isEmpty: Bool { count == 0 }

  /// Adds a push as the newest one. O(1).
  package mutating func append(_ push: ContextLayer.Push) {
    newest = Node(push, older: newest)
    count += 1
  }

  /// The pushes without the oldest `number` ones, oldest first. O(their number).
  package func dropFirst(_ number: Int) -> [ContextLayer.Push] {
    var pushes: [ContextLayer.Push] = []
    append(count - number, to: &pushes)
    return pushes
  }

  /// Appends the pushes that are newer than those of `pushes`, which are this inbox's oldest ones.
  package func appendRest(to pushes: inout [ContextLayer.Push]) {
    append(count - pushes.count, to: &pushes)
  }

  /// Appends the newest pushes, oldest first.
  private func append(_ number: Int, to pushes: inout [ContextLayer.Push]) {
    let start = pushes.count
    var next = newest
    while pushes.count - start < number, let node = next {
      pushes.append(node.push)
      next = node.older
    }
    if number > 1 { pushes[start...].reverse() }
  }
}
