// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// The code of the guide Stores.md, part by part.
@Suite struct `The guide to stores` {
  @Test func `opens, reads, compacts and combines stores`() async throws {
    let folder = try TemporaryDirectory()
    let (url, model) = (folder.file("store"), try geographyModel())
    // begin opening
    let container = try PersistentContainer(at: url, model: model)
    // end
    try await container.root.perform { context in
      context.city("saved")
      try context.save()
    }
    // begin busy
    let shared = try PersistentContainer(at: url, model: model, busyTimeout: .seconds(2))
    do {
      try await shared.root.save()
    } catch StoreError.storeBusy(let processID) {
      print("process \(processID ?? 0) writes, or was stopped")
    }
    // end
    shared.coordinator.store.close()
    // begin reading
    let reference = try PersistentContainer(at: url, model: model, isReadOnly: true)
    // end
    #expect(try await reference.root.perform { try $0.cityNames() } == ["saved"])
    reference.coordinator.store.close()
    // begin classless
    let stored = try ManagedObjectModel(ofStoreAt: url)
    let tool = try PersistentContainer(at: url, model: stored, isReadOnly: true)
    try await tool.root.perform { context in
      let request = FetchRequest(entityName: "City", try FetchPredicate(format: "population >= 0"))
      for city in try context.fetch(request.sorted(by: "name").limit(10)) {
        let country = try city.target(for: "country")
        print(try city.value(for: "name"), try country?.value(for: "name") ?? .null)
      }
    }
    // end
    tool.coordinator.store.close()
    // begin compacting
    let result = try await container.coordinator.compact()
    print(result.formerByteCount, result.byteCount)
    // end
    // begin oldest
    if let reader = try container.coordinator.oldestReader(), reader.age > .seconds(10) {
      print(reader.processID, reader.holder ?? "no name", reader.commitLag)
    }
    // end
    try await usesSeveralStores(folder, model)
    // The handler is the process's.
    await #expect(processExitsWith: .success) {
      // begin log
      StrataLog.handler = { message in
        if message.level >= .warning { print(message.text, message.metadata) }
      }
      // end
    }
  }

  private func usesSeveralStores(
    _ folder: TemporaryDirectory, _ model: ManagedObjectModel
  ) async throws {
    let (documents, caches) = (folder.file("documents"), folder.file("caches"))
    // begin several
    let coordinator = try PersistentStoreCoordinator(
      stores: [
        PersistentStoreDescription(at: documents),
        PersistentStoreDescription(at: caches, configuration: ["City"]),
      ], model: model)
    // end
    let context = ManagedObjectContext(parent: coordinator)
    // begin assigning
    let city = try City(context: context, in: coordinator.stores[1])
    city.name = "Atlantis"
    try context.save()
    print(coordinator.store(of: city.objectID)?.name ?? "no store")
    // end
    context.processPendingChanges()
    // begin single
    try await coordinator.coordinator(for: coordinator.stores[1]).compact()
    // end
    #expect(try context.cityNames() == ["Atlantis"])
  }
}
