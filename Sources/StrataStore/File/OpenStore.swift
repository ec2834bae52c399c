// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataModel
import StrataRecord

/// An open file with its description, shared by a store, its snapshots and its saves.
///
/// ## Lifetime
/// Each reference keeps the file open.
///
/// ## Isolation
/// Sendable: constant, and its parts are Sendable themselves.
final class OpenStore: Sendable {
  let readers: TreeReaderPool
  let queue: CommitQueue

  /// Reads the file's catalog, and takes the store to `model` and to the present folding of texts
  /// if it has another one and may be written to.
  ///
  /// - Parameter removing: the data that may be deleted if `model` does not have its entities and
  ///   properties.
  /// - Throws: `notAStrataStore`, `unsupportedFormat`, `modelMismatch`, `migrationRequired`,
  ///   `tooManyModels`, `uniquenessViolations`, `damaged`, `diskFull`, `storage`.
  init(
    _ environment: Environment, model: ManagedObjectModel, removing: DataRemoval = DataRemoval(),
    isReadOnly: Bool = false, path: String, clock: StoreClock = .system
  ) throws(StoreError) {
    let outline = ModelOutline(model)
    let numbers = SchemaNumbers(newStoreOf: model)
    var catalog = try Self.catalog(of: environment, path: path, expecting: outline, numbers)
    while try !catalog.has(model, outline) || !isReadOnly && catalog.hasFormerTexts(of: model) {
      let evolution = try StoreEvolution(from: catalog, to: model, removing: removing)
      if isReadOnly { throw .migrationRequired(path: path) }
      try StoreFile.makeTrees(of: evolution.schema, in: environment)
      let trees = try Trees(evolution.schema, in: environment)
      // Otherwise another process was faster: the model is compared again.
      _ = try evolution.perform(in: environment, trees)
      catalog = try Self.catalog(of: environment, path: path, expecting: outline, numbers)
    }
    if !isReadOnly, !catalog.isOfLastFormat {
      try Self.writeFormat(of: catalog, in: environment)
    }
    let schema = Schema(
      model: model, numbers: catalog.numbers, store: StoreIdentity(catalog.uuid),
      version: catalog.version, layouts: catalog.layouts, clock: clock)
    let trees = try Trees(schema, in: environment)
    readers = TreeReaderPool()
    queue = CommitQueue(
      environment: environment, trees: trees, schema: schema, isReadOnly: isReadOnly)
  }

  /// Opens the file of a store again.
  ///
  /// - Parameters:
  ///   - schema: the store's. If another process has changed the store's model, each transaction
  ///     fails with `modelChanged`.
  ///   - readers: the store's.
  ///   - isReadOnly: as the store was opened.
  /// - Throws: `damaged`, `storage`.
  init(
    reopening environment: Environment, schema: Schema, readers: TreeReaderPool, isReadOnly: Bool
  ) throws(StoreError) {
    self.readers = readers
    let trees = try Trees(schema, in: environment)
    queue = CommitQueue(
      environment: environment, trees: trees, schema: schema, isReadOnly: isReadOnly)
  }

  /// Gives a store of a former format the present one. The commit seals all that is in the file.
  private static func writeFormat(
    of catalog: Catalog, in environment: Environment
  ) throws(StoreError) {
    let (outline, version) = (catalog.outline, catalog.version)
    do {
      try environment.writeSync { transaction in
        guard let tree = try transaction.tree(named: Trees.catalogName) else { return }
        // Otherwise another process has changed the model since, and has written the format.
        guard try Catalog.version(in: transaction, tree) == version else { return }
        try Catalog.writeFormat(of: outline, in: transaction, tree)
      }
    } catch {
      throw StoreError(catching: error)
    }
  }

  static func catalog(
    of environment: Environment, path: String, expecting outline: ModelOutline,
    _ numbers: SchemaNumbers
  ) throws(StoreError) -> Catalog {
    try openCatalog(of: environment, path: path, expecting: outline, numbers).catalog
  }

  /// Reads the catalog, with the transaction and the tree that it was read from.
  static func openCatalog(
    of environment: Environment, path: String, expecting outline: ModelOutline,
    _ numbers: SchemaNumbers
  ) throws(StoreError) -> (catalog: Catalog, transaction: ReadTransaction, tree: Tree) {
    let transaction: ReadTransaction
    let tree: Tree?
    do throws(LMDBError) {
      tree = try environment.tree(named: Trees.catalogName)
      transaction = try environment.read()
    } catch .incompatibleTree {
      throw .notAStrataStore(path: path)
    } catch {
      throw StoreError(error, opening: path)
    }
    guard let tree else { throw .notAStrataStore(path: path) }
    let catalog = try Catalog(in: transaction, tree, path: path, expecting: outline, numbers)
    return (catalog, transaction, tree)
  }
}
