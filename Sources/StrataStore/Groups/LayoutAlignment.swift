// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataModel
import StrataRecord

/// Gives the layout of each entity the same version in all stores of a group, so that a record of
/// one store has the same head as a record of another.
///
/// A version counts the models that a store has had. Stores of one model differ in it if one of
/// them has had a model in between that the other has not. The lower version is raised to the
/// highest one: the store's catalog notes that records of the lower version have the same layout.
/// No record is rewritten.
///
/// Each store is raised in a transaction of its own. After a crash, the next opening raises the
/// others.
struct LayoutAlignment {
  private var highest: [EntityNumber: UInt16] = [:]

  /// - Parameter schemas: with the same numbers.
  init(of schemas: [Schema]) {
    for schema in schemas {
      for entity in schema.entities where !entity.description.isAbstract {
        highest[entity.number] = max(highest[entity.number] ?? 1, entity.layout.version)
      }
    }
  }

  /// The entities of a store whose layouts have a lower version.
  private func late(in schema: Schema) -> [EntitySchema] {
    schema.entities.filter { entity in
      highest[entity.number].map { $0 > entity.layout.version } ?? false
    }
  }

  func includes(_ schema: Schema) -> Bool { late(in: schema).isEmpty }

  /// Raises the layouts of a store. The store has to be opened again: its transactions fail with
  /// `modelChanged` from now on.
  ///
  /// - Throws: `tooManyModels` if the store has had 32,767 models; `modelChanged`, `closed`,
  ///   `diskFull`, `damaged`, `storage`.
  func raise(_ store: LMDBStore) throws(StoreError) {
    let schema = store.schema
    var (layouts, version) = (schema.layouts, schema.version)
    guard version < RecordLayout.versionMax else { throw .tooManyModels }
    version += 1
    for entity in late(in: schema) {
      guard let raised = highest[entity.number] else { continue }
      let layout = RecordLayout(
        version: raised, slots: entity.layout.slots, of: entity.layout.entityName)
      var arena = RecordArena()
      let template = layout.edited(nil, into: &arena) { _ in }
      do throws(RecordError) {
        try layouts.replaceLayout(
          of: entity.number,
          by: RecordUpgrade(from: entity.layout, to: layout, template: template))
      } catch {
        throw .damaged(tree: Trees.catalogName, key: "layouts", reason: error.description)
      }
      version = max(version, raised)
    }
    let environment = try store.openEnvironment()
    do {
      try environment.writeSync { [version, layouts] transaction in
        guard let tree = try transaction.tree(named: Trees.catalogName) else { return }
        let generation = try Catalog.generation(in: transaction, ofVersion: schema.version)
        let catalog = Catalog(
          uuid: store.uuid, outline: ModelOutline(schema.model), numbers: schema.numbers,
          version: version, layouts: layouts, hasPresentTexts: false,
          formerNames: try Catalog.knownFormerNames(
            in: transaction, tree, ofVersion: schema.version))
        try catalog.writeModel(in: transaction, tree)
        try Catalog.setGeneration(generation, ofVersion: version, in: transaction)
      }
    } catch {
      throw StoreError(catching: error)
    }
  }
}
