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
    var next = newest
    for _ in 0..<max(0, count - number) {
      guard let node = next else { break }
      pushes.append(node.push)
      next = node.older
    }
    pushes.reverse()
    return pushes
  }
}
