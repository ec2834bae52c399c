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

  /// The name of an open tree.
  func name(of tree: Tree) -> String? {
    state.withLock { state in state.trees.first { $0.value == tree }?.key }
  }

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

  /// Opens those of `names` that are not open in one read transaction, which waits for no writer
  /// except one that is opening trees.
  ///
  /// - Returns: by name; nil for one that the newest snapshot does not have.
  func open(
    _ names: [String], in environment: OpaquePointer
  ) throws(LMDBError) -> [Tree?] {
    enter()
    var opened: [String: Tree] = [:]
    defer { leave(publishing: opened) }
    var trees: [Tree?] = state.withLock { state in names.map { state.trees[$0] } }
    if !trees.contains(where: { $0 == nil }) { return trees }
    let transaction = try Environment.beginReading(environment)
    do throws(LMDBError) {
      for (place, name) in names.enumerated() where trees[place] == nil {
        trees[place] = try Tree(named: name, in: transaction, creates: false)
      }
    } catch {
      mdb_txn_abort(transaction)
      throw error
    }
    // To commit a read transaction is to keep the trees that it opened.
    try check(mdb_txn_commit(transaction))
    for (place, name) in names.enumerated() { opened[name] = trees[place] }
    return trees
  }
}
