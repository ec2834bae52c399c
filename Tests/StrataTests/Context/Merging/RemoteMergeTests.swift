// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Strata
import Testing

@Suite struct `Merging other contexts' saves by ID` {
  @Test func `reaches every context, children after their parents`() async throws {
    let container = try geography()
    let worker = container.newBackgroundContext()
    let child = ContextQueue(parent: worker)
    let (id, deleted) = try await container.root.perform { context in
      let ids = (context.city("A").objectID, context.city("B").objectID)
      try context.save()
      return ids
    }
    for queue in [worker, child] {
      try await queue.perform { try $0.existingObject(City.self, with: id).name = "Mine" }
    }
    let inserted = try await ContextQueue(parent: container.coordinator).perform { context in
      try context.existingObject(City.self, with: id).population = 5
      context.delete(try context.existingObject(City.self, with: deleted))
      let new = context.city("N").objectID
      try context.save()
      return new
    }
    let log = MergeLog(worker.layer)
    let objects = try ChangedObjects(inserted: [inserted], updated: [id], deleted: [deleted])
    try await ManagedObjectContext.mergeChanges(
      fromRemoteContextSave: objects, into: [child, worker])
    #expect(log.inserted == [inserted])
    #expect(log.refreshed == [id])
    #expect(log.deleted == [deleted])
    for queue in [worker, child] {
      let seen = try await queue.perform { context in
        let city = try context.existingObject(City.self, with: id)
        return "\(city.name) \(city.population)"
      }
      #expect(seen == "Mine 5")
    }
    try await child.perform { try $0.save() }
    try await worker.perform { try $0.save() }
    try await container.root.perform { try $0.save() }
  }

  @Test func `takes IDs of one store at a time`() throws {
    let ids = try (0..<2).map { _ in
      try geography().root.performAndWait { $0.city("A").objectID }
    }
    #expect { try ChangedObjects(inserted: Set(ids)) } throws: {
      if case ContextError.foreignObjectID = $0 { true } else { false }
    }
    #expect(try ChangedObjects(inserted: [ids[0]]).inserted == [ids[0]])
    #expect(try ChangedObjects().isEmpty)
  }
}
