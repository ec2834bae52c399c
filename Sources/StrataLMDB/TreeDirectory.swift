// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB

/// The trees that an environment has opened, by name.
///
/// LMDB allows one transaction at a time to open trees: "A transaction that uses this function must
/// finish (either commit or abort) before any other transaction in the process may use this
/// function" (lmdb.h: mdb_dbi_open). The directory is the door that lets one through.
///
/// ## Isolation
/// Any thread. Between `enter` and `leave` no other transaction opens a tree; a write transaction
/// enters at its first opening and leaves when it ends.
final class TreeDirectory: Sendable {
  private struct State {
    var trees: [String: Tree] = [:]
    var isOccupied = false
  }

  private let state = Monitor(State())

  subscript(name: String) -> Tree? { state.withLock { $0.trees[name] } }

  /// Waits until no other transaction is opening trees.
  func enter() {
    state.wait { state -> Void? in
      if state.isOccupied { return nil }
      state.isOccupied = true
      return ()
    }
  }

  /// Lets the next transaction through; `trees` are those that the leaving one has committed.
  func leave(publishing trees: [String: Tree]) {
    state.change { state in
      state.trees.merge(trees) { _, new in new }
      state.isOccupied = false
    }
  }

  func forget(_ tree: Tree) {
    state.withLock { state in state.trees = state.trees.filter { $0.value != tree } }
  }

  /// Opens `name` in a read transaction of its own, which waits for no writer but one that is
  /// opening trees.
  func open(_ name: String, in environment: OpaquePointer) throws(LMDBError) -> Tree? {
    enter()
    if let tree = self[name] {
      leave(publishing: [:])
      return tree
    }
    var opened: [String: Tree] = [:]
    defer { leave(publishing: opened) }
    let transaction = try ReaderPool.begin(in: environment)
    let tree: Tree?
    do {
      tree = try Tree(named: name, in: transaction, creates: false)
    } catch {
      mdb_txn_abort(transaction)
      throw error
    }
    // To commit a read transaction is to keep the trees that it opened.
    try check(mdb_txn_commit(transaction))
    if let tree { opened[name] = tree }
    return tree
  }
}
