// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataModel
import StrataRecord

/// The pages of a store's file, tree by tree, read without a program's model.
package struct StoredStatistics: Sendable {
  /// One tree of the file.
  package struct Tree: Sendable {
    /// The tree's name in the file: `Trees`.
    package let name: String
    /// The entity that the tree belongs to; nil for the catalog and the history, and for an entity
    /// that the store's model does not have any more.
    package let entity: String?
    package let entryCount: Int
    /// Pages from the root to a leaf.
    package let depth: Int
    package let pageCount: Int
  }

  package let pageByteCount: Int
  /// The pages of the file up to the last one that is or was used.
  package let pageCount: Int
  /// The pages that later saves use.
  package let freePageCount: Int
  /// Sorted by name.
  package let trees: [Tree]

  /// - Throws: as `StoredMetadata.init(ofStoreAt:)`.
  package init(ofStoreAt path: String) throws(StoreError) {
    guard try StoreFile.kind(at: path) == .lmdb else { throw .notAStrataStore(path: path) }
    let environment = try StoreFiles.environment(at: path)
    let catalog = try OpenStore.catalog(
      of: environment, path: path, expecting: ModelOutline(entities: []), SchemaNumbers())
    let names = Dictionary(
      catalog.numbers.entities.map { ($0.value, $0.key) },
      uniquingKeysWith: { first, _ in first })
    do {
      // Trees are opened before the snapshot that they are read in.
      let found = try environment.read().treeNames()
      let opened = try environment.trees(named: found)
      let transaction = try environment.read()
      var trees: [Tree] = []
      var ownPageCount = try transaction.statisticsOfOwnTrees().reduce(2) { $0 + $1.pageCount }
      for (name, tree) in zip(found, opened) {
        guard let tree else { continue }
        let statistics = try transaction.statistics(of: tree)
        ownPageCount += statistics.pageCount
        trees.append(
          Tree(
            name: name, entity: TreeKind.entity(ofTree: name).flatMap { names[$0.rawValue] },
            entryCount: statistics.entryCount, depth: statistics.depth,
            pageCount: statistics.pageCount))
      }
      pageByteCount = environment.pageByteCount
      pageCount = environment.usedByteCount / max(1, pageByteCount)
      // Another process may save in between.
      freePageCount = max(0, pageCount - ownPageCount)
      self.trees = trees
    } catch {
      throw StoreError(catching: error)
    }
  }
}
