// SPDX-License-Identifier: Apache-2.0
package import Foundation
package import StrataChanges
import StrataLMDB
package import StrataModel
package import StrataRecord

/// All of a store but its objects and its history: the identity, the model, the numbers of its
/// names, the counters, and the values that programs have set. A store that is made from it gives
/// the objects of the first store the same IDs.
package struct StoreBlueprint: Sendable {
  package let uuid: UUID
  package let outline: ModelOutline
  package let numbers: SchemaNumbers
  /// The former names that the store has carried out; nil if they are not known.
  package let formerNames: FormerNames?
  /// The first serial that no block contains. A former release may have saved objects above it.
  package let firstFreeSerial: UInt64
  /// The digest of the model of the last stage of a migration plan; nil if it is not known.
  package let stage: UInt64?
  /// The values that programs have set.
  package let values: [String: Data]

  /// - Returns: nil if the parts do not fit each other: a name of the model has no number, two have
  ///   the same, or the serial is beyond its range. They may come from outside.
  package init?(
    uuid: UUID, model: ManagedObjectModel, numbers: SchemaNumbers, formerNames: FormerNames?,
    firstFreeSerial: UInt64, stage: UInt64?, values: [String: Data]
  ) {
    guard numbers.areDistinct, numbers.covers(ModelOutline(model)),
      1...ObjectKey.serialMax ~= firstFreeSerial,
      values.keys.allSatisfy({ 1...255 ~= $0.utf8.count })
    else { return nil }
    self.uuid = uuid
    outline = ModelOutline(model)
    self.numbers = numbers
    self.formerNames = formerNames
    self.firstFreeSerial = firstFreeSerial
    self.stage = stage
    self.values = values
  }

  /// Whether an object of the store may have the key: it is below the counter, or in the counter's
  /// range, because a former release may have saved it without a reservation. A damaged counter may
  /// say another range, so it excludes few keys.
  package func mayHave(_ key: ObjectKey) -> Bool {
    key.serial < firstFreeSerial || key.serialRange == StoreOrigin.range(of: firstFreeSerial)
  }

  /// The catalog of the new store: it has had one model, and no earlier layouts. A former release
  /// may have folded the derived texts that are written to it.
  var catalog: Catalog {
    Catalog(
      uuid: uuid, outline: outline, numbers: numbers, version: 1, layouts: LayoutVersions(),
      hasPresentTexts: false, formerNames: formerNames)
  }

  /// Writes the parts that a new catalog does not have.
  func writeRest(in transaction: WriteTransaction) throws {
    for (key, value) in values { try Catalog.setValue(value, forKey: key, in: transaction) }
    if let stage, let tree = try transaction.tree(named: Trees.catalogName) {
      try Catalog.setStage(stage, in: transaction, tree)
    }
  }
}

extension StoreBlueprint {
  /// Creates a store of `model` without objects.
  ///
  /// - Parameter model: has the outline of the blueprint.
  /// - Throws: `StoreError.fileExists`, `.folderMissing`, `.permissionDenied`, `.diskFull`,
  ///   `.storage`.
  package func createStore(at path: String, model: ManagedObjectModel) throws(StoreError) {
    guard try StoreFile.kind(at: path) == .nothing else { throw .fileExists(path: path) }
    try StoreFile.create(at: path, model: model, from: .blueprint(self))
  }
}

extension LMDBStore {
  /// The blueprint of the store in the state of one of its snapshots.
  ///
  /// - Throws: `StoreError`.
  package func blueprint(in snapshot: any Snapshot) throws -> StoreBlueprint {
    guard let view = snapshot as? StoreView,
      let tree = try openEnvironment().tree(named: Trees.catalogName)
    else {
      throw StoreError.damaged(
        tree: Trees.catalogName, key: nil, reason: "the tree is missing")
    }
    let blueprint = StoreBlueprint(
      uuid: uuid, model: schema.model, numbers: schema.numbers,
      formerNames: try Catalog.knownFormerNames(
        in: view.transaction, tree, ofVersion: schema.version),
      firstFreeSerial: try Catalog.firstFreeSerial(in: view.transaction),
      stage: try Catalog.stage(in: view.transaction, tree),
      values: try Catalog.values(in: view.transaction, tree))
    guard let blueprint else {
      throw StoreError.damaged(
        tree: Trees.catalogName, key: nil, reason: "its parts do not fit each other")
    }
    return blueprint
  }
}
