// SPDX-License-Identifier: Apache-2.0
package import Foundation
import StrataLMDB
package import StrataModel
import StrataRecord

/// The description of a store, read without a program's model.
package struct StoredMetadata: Sendable {
  package let uuid: UUID
  package let formatVersion: Int
  /// The number of the last save.
  package let generation: UInt64
  /// How many models the store has had.
  package let modelVersion: Int
  package let outline: ModelOutline
  /// The former names that the store has carried out.
  package let formerNames: FormerNames
  /// The number of objects of each entity, without subentities; abstract entities are missing.
  package let objectCounts: [String: Int]
  /// The size of the file.
  package let byteCount: Int
  /// The values that programs have set.
  package let values: [String: Data]

  /// - Throws: `StoreError.notAStrataStore`, `.permissionDenied`, `.unsupportedFormat`, `.damaged`,
  ///   `.storage`.
  package init(ofStoreAt path: String) throws(StoreError) {
    guard try StoreFile.kind(at: path) == .lmdb else { throw .notAStrataStore(path: path) }
    try self.init(of: StoreFiles.environment(at: path))
  }

  init(of environment: Environment) throws(StoreError) {
    // No model has an empty outline with these numbers: the store's own is decoded.
    let (catalog, transaction, tree) = try OpenStore.openCatalog(
      of: environment, path: environment.path,
      expecting: ModelOutline(entities: []), SchemaNumbers())
    uuid = catalog.uuid
    modelVersion = Int(catalog.version)
    outline = catalog.outline
    formerNames = try catalog.formerNames()
    byteCount = environment.usedByteCount
    do {
      formatVersion = try Catalog.formatVersion(in: transaction, tree)
      values = try Catalog.values(in: transaction, tree)
      generation = try Catalog.generation(in: transaction, ofVersion: nil)
      var counts: [String: Int] = [:]
      for entity in catalog.outline.entities where !entity.isAbstract {
        guard let number = catalog.numbers.number(ofEntity: entity.name),
          let records = try environment.tree(named: TreeKind.records.name(of: number))
        else { continue }
        // The tree may have been opened after the transaction began.
        counts[entity.name] = try environment.read().statistics(of: records).entryCount
      }
      objectCounts = counts
    } catch {
      throw StoreError(catching: error)
    }
  }
}
