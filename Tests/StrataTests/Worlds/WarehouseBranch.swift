// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import StrataModel
import StrataTestSupport

/// A warehouse in a file, and a context that merges its changes.
struct WarehouseBranch {
  let folder: TemporaryDirectory
  let container: PersistentContainer
  let observer: ContextQueue
  let log: MergeLog

  /// - Parameter seed: determines its content.
  init(seed: UInt64, wareCount: Int) throws {
    folder = try TemporaryDirectory()
    container = try PersistentContainer(
      at: folder.file("store"), model: republicModel(), durability: .none)
    try container.root.performAndWait { context in
      var random = SeededGenerator(seed: seed)
      context.fillWarehouse(wareCount, &random)
      try context.save()
    }
    observer = ContextQueue(parent: container.coordinator)
    try observer.performAndWait { context in
      context.automaticallyMergesChangesFromParent = true
      context.retainsRegisteredObjects = true
      for ware in try context.fetch(Ware.all) { _ = ware.rack?.total }
      for memo in try context.fetch(Memo.all.limit(3)) { _ = memo.text }
    }
    log = MergeLog(observer.layer)
  }

  var contents: StoreContents {
    get throws { try StoreContents(of: folder.file("store")) }
  }

  /// The notifications of the observer.
  func told() throws -> MergeReport {
    try observer.performAndWait { _ in }
    return MergeReport(
      deleted: Set(log.deleted.map(\.key)), refreshed: Set(log.refreshed.map(\.key)),
      inserted: Set(log.inserted.map(\.key)))
  }
}

struct MergeReport: Equatable {
  let deleted: Set<ObjectKey>
  let refreshed: Set<ObjectKey>
  let inserted: Set<ObjectKey>
}
