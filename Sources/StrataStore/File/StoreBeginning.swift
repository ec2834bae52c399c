// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataModel

/// The parts that a new store does not make itself.
enum StoreBeginning {
  /// An identity and numbers of its own.
  case new
  /// As `new`, and the store has been through a plan with stages to these models, up to the stage
  /// with this digest.
  case migrated(stage: UInt64, models: [ManagedObjectModel])
  /// The parts that it shares with the other stores of its group.
  case beside(StoreOrigin)
  /// All of another store but its objects and its history.
  case blueprint(StoreBlueprint)

  /// - Parameter origin: nil for a store of its own.
  init(_ origin: StoreOrigin?) { self = origin.map { .beside($0) } ?? .new }

  func catalog(of model: ManagedObjectModel) -> Catalog {
    switch self {
    case .new: Catalog(newStoreOf: model)
    case .migrated(_, let models): Catalog(newStoreOf: model, after: models)
    case .beside(let origin): Catalog(newStoreOf: model, from: origin)
    case .blueprint(let blueprint): blueprint.catalog
    }
  }

  /// The first serial that an object of the store can get.
  var firstSerial: UInt64 {
    switch self {
    case .new, .migrated: 1
    case .beside(let origin): origin.firstSerial
    case .blueprint(let blueprint): blueprint.firstFreeSerial
    }
  }

  /// Writes the parts that a catalog does not have.
  func writeRest(in transaction: WriteTransaction) throws {
    switch self {
    case .new, .beside: break
    case .migrated(let stage, _):
      guard let tree = try transaction.tree(named: Trees.catalogName) else { return }
      try Catalog.setStage(stage, in: transaction, tree)
    case .blueprint(let blueprint): try blueprint.writeRest(in: transaction)
    }
  }
}
