// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import StrataTestSupport
import Synchronization

/// Every call that may wait, as code of a program makes it that Strata calls: for the store's
/// writer, for another process, for a file, or for a context.
struct WaitingCalls: Sendable {
  let container: PersistentContainer
  /// The URL of the store.
  let url: URL
  let model: ManagedObjectModel
  /// A model that the store would be migrated to, or nil.
  var otherModel: ManagedObjectModel?
  var insertsMany = false

  /// The results, by names of calls: "done", "refused", or another error.
  final class Results: Sendable {
    private let all = Mutex<[String: String]>([:])

    var names: [String: String] { all.withLock { $0 } }

    func note(_ name: String, _ call: () throws -> Void) {
      var result = "done"
      do {
        try call()
      } catch StoreError.wouldDeadlock {
        result = "refused"
      } catch ContextError.wouldDeadlock {
        result = "refused"
      } catch {
        result = "\(error)"
      }
      all.withLock { $0[name] = result }
    }
  }

  func makeAll(_ results: Results) {
    save(results)
    change(results)
    open(results)
    read(results)
  }

  private func file(_ name: String) -> URL {
    url.deletingLastPathComponent().appendingPathComponent("\(name) \(UUID())")
  }

  private func save(_ results: Results) {
    let (coordinator, root) = (container.coordinator, container.root)
    results.note("save") {
      let context = ManagedObjectContext(parent: coordinator)
      context.city("B")
      try context.save()
    }
    results.note("save in a queue") {
      try ContextQueue(parent: coordinator).performAndWait { context in
        context.city("B")
        try context.save()
      }
    }
    results.note("a push to the parent") {
      let child = ManagedObjectContext(parent: root)
      child.city("C")
      try child.save()
    }
    if insertsMany {
      results.note("many insertions") {
        let context = ManagedObjectContext(parent: coordinator)
        // More than two blocks of serials.
        for _ in 0..<140_000 { _ = City(context: context).objectID }
      }
    }
  }

  private func change(_ results: Results) {
    let coordinator = container.coordinator
    results.note("batch insert") {
      try coordinator.execute(BatchInsertRequest(City.self), rows: ["B"]) { $0.name = $1 }
    }
    results.note("batch insert of dictionaries") {
      try coordinator.execute(BatchInsertRequest(City.self), dictionaries: [["name": "B"]])
    }
    results.note("batch update") {
      try coordinator.execute(BatchUpdateRequest(City.all).setting(\.name, to: "B"))
    }
    results.note("batch delete") {
      try ManagedObjectContext(parent: coordinator).execute(BatchDeleteRequest(City.all))
    }
    results.note("backup") { try coordinator.backUp(to: file("backup")) }
    results.note("a compacted backup") {
      try coordinator.backUp(to: file("backup"), compacting: true)
    }
    results.note("compaction") {
      // The turn that calls the code may hold a snapshot.
      do { try coordinator.compact() } catch StoreError.snapshotHeld {}
    }
  }

  private func open(_ results: Results) {
    results.note("an opening") {
      _ = try PersistentContainer(at: url, model: model, durability: .none)
    }
    if let otherModel {
      results.note("an opening with another model") {
        _ = try PersistentContainer(at: url, model: otherModel, durability: .none)
      }
    }
    results.note("a copy") { try PersistentStoreCoordinator.copyStore(at: url, to: file("copy")) }
    results.note("a dry run") {
      _ = try MigrationPlan().dryRun(onStoreAt: url, to: model)
    }
    // They need a store that no one uses.
    refused(results, "a move") {
      try PersistentStoreCoordinator.moveStore(at: url, to: file("moved"))
    }
    refused(results, "a replacement") {
      let copy = file("copy")
      try PersistentStoreCoordinator.copyStore(at: url, to: copy)
      try PersistentStoreCoordinator.replaceStore(at: url, withStoreAt: copy)
    }
    refused(results, "a removal") { try PersistentStoreCoordinator.destroyStore(at: url) }
  }

  private func refused(_ results: Results, _ name: String, _ call: () throws -> Void) {
    results.note(name) {
      do {
        try call()
        throw CocoaError(.fileWriteUnknown)
      } catch StoreError.storeInUse {}
    }
  }

  private func read(_ results: Results) {
    let (coordinator, root) = (container.coordinator, container.root)
    results.note("a read") { _ = try ManagedObjectContext(parent: coordinator).count(City.all) }
    results.note("a read in the root") { _ = try root.performAndWait { try $0.count(City.all) } }
    results.note("a read in a child") {
      _ = try ManagedObjectContext(parent: root).fetch(City.all).map(\.name)
    }
    results.note("a pin") {
      let context = ManagedObjectContext(parent: coordinator)
      try context.setQueryGeneration(from: .current)
      try context.setQueryGeneration(from: nil)
    }
    results.note("metadata") { _ = try coordinator.metadata() }
    results.note("metadata of a file") {
      _ = try PersistentStoreCoordinator.metadata(ofStoreAt: url)
    }
    results.note("history") {
      _ = try coordinator.historyStatus()
      _ = try coordinator.currentHistoryToken()
    }
  }
}
