// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// The code of the guide Concurrency.md, between `begin` and `end`; that page has the same code.
@Suite struct `The patterns of the concurrency guide` {
  @Test func `confinement`() throws {
    let container = try geography()
    // begin confinement
    let context = ManagedObjectContext(parent: container.coordinator)
    let country = Country(context: context)
    country.iso = "IR"
    country.name = "Iran"
    let city = City(context: context)
    city.name = "Lavāsān"
    city.country = country
    try context.save()  // the coordinator is the parent: on the disk
    // end confinement
    let count = try container.root.performAndWait { try $0.count(City.all) }
    #expect(count == 1)
  }

  @Test func `a scratchpad: parent and child`() throws {
    let container = try geography()
    // begin scratchpad
    let context = ManagedObjectContext(parent: container.root)
    let city = City(context: context)
    city.name = "Lavasan"

    let editor = ManagedObjectContext(parent: context)
    let draft = try editor.existingObject(City.self, with: city.objectID)
    draft.name = "Lavāsān"
    // city.name is still "Lavasan": the child's edits are its own until it saves.
    try editor.save()
    // city.name is "Lavāsān", unsaved in `context` and unknown to everybody else.
    // end scratchpad
    #expect(city.name == "Lavāsān")
    #expect(city.isInserted)
  }

  @Test func `all or nothing: a savepoint`() throws {
    let container = try geography()
    // begin savepoint
    let context = ManagedObjectContext(parent: container.root)
    struct Refused: Error {}
    do {
      try context.withSavepoint {
        let city = City(context: context)
        city.name = "Atlantis"
        throw Refused()
      }
    } catch is Refused {
      // Nothing is left of it: context.hasChanges is false.
    }
    // end savepoint
    #expect(!context.hasChanges)
  }

  @Test func `notifications and merge`() async throws {
    let container = try geography()
    // begin merge
    let writer = ContextQueue(parent: container.root)
    let reader = ContextQueue(parent: container.root)
    let observer = NotificationCenter.default.addObserver(
      forName: ManagedObjectContext.didSaveNotification, object: writer.layer, queue: nil
    ) { notification in
      guard let message = ManagedObjectContext.Message(notification) else { return }
      // On the writer's thread, inside its turn: go to the reader without waiting for it.
      Task { try await reader.perform { try $0.mergeChanges(fromContextDidSave: message) } }
    }
    try await writer.perform { context in
      let city = City(context: context)
      city.name = "Lavāsān"
      try context.save()
    }
    NotificationCenter.default.removeObserver(observer)
    // end merge
    let name = try await reader.perform { try $0.cityNames() }
    #expect(name == ["Lavāsān"])
  }

  @Test func `waiting for a merge`() async throws {
    let container = try geography()
    // begin wait-for-merge
    let reader = container.newBackgroundContext()
    try await reader.perform { $0.automaticallyMergesChangesFromParent = true }
    try await container.root.save()
    let token = try container.coordinator.currentHistoryToken()  // this save, or a later one
    try await reader.waitUntilMerged(token)
    // end wait-for-merge
    await #expect(throws: ContextError.notMergingAutomatically) {
      try await container.root.waitUntilMerged(token)
    }
  }

  @Test @MainActor func `root, ui and worker`() async throws {
    let container = try geography()
    // begin root-ui-worker
    let view = container.viewContext
    view.automaticallyMergesChangesFromParent = true

    let worker = container.newBackgroundContext()
    let id = try await worker.perform { context in
      let city = City(context: context)
      city.name = "Lavāsān"
      try context.save()  // to the root, in memory
      return city.objectID
    }
    let city = try view.existingObject(City.self, with: id)
    let title = city.name  // no waiting, whatever the worker does
    try await container.root.save()  // on the disk; the view goes on meanwhile
    // end root-ui-worker
    #expect(title == "Lavāsān")
  }

  @Test func `an actor of your own`() async throws {
    let container = try geography()
    // begin context-actor
    actor Importer: ContextActor {
      let executor: ContextExecutor

      init(parent: some ContextParent) { executor = ContextExecutor(parent: parent) }

      func add(_ names: [String]) throws -> [ObjectID] {
        let cities = names.map { name in
          let city = City(context: context)
          city.name = name
          return city
        }
        try context.save()  // to the root, in memory
        return cities.map(\.objectID)
      }

      func finish() async throws { try await context.save(to: .store) }
    }

    let importer = Importer(parent: container.root)
    let ids = try await importer.add(["Lavāsān", "Shemshak"])
    try await importer.finish()  // on the disk
    // end context-actor
    let other = ContextQueue(parent: container.coordinator)
    #expect(try await other.perform { try $0.count(City.all) } == ids.count)
    // begin wait-until-published
    async let added = importer.add(["Damavand"])  // a task of its own calls the actor
    _ = try await added
    await importer.executor.waitUntilPublished()
    let reader = ContextQueue(parent: importer.executor)
    let count = try await reader.perform { try $0.count(City.all) }
    // end wait-until-published
    #expect(count == 3)
  }

  @Test @MainActor func `a heavy fetch elsewhere, objects here`() async throws {
    let container = try geography()
    // begin fetch-elsewhere
    let ids = try await container.newBackgroundContext().perform { context in
      try context.fetchIDs(City.where { $0.population > 1_000_000 }.sorted(by: \.name))
    }
    let cities = try ids.map { try container.viewContext.object(City.self, with: $0) }
    // end fetch-elsewhere
    #expect(cities.isEmpty)
  }

  @Test func `a list that stays up to date`() async throws {
    let container = try geography()
    // begin live-list
    let queue = container.newBackgroundContext()
    let (start, updates) = try await queue.perform { context in
      context.automaticallyMergesChangesFromParent = true
      let list = FetchedResultsController(City.all.sorted(by: \.name), context: context)
      try list.performFetch()
      context.userInfo["cities"] = list
      return (list.snapshot, list.updates())
    }
    try await container.newBackgroundContext().perform { context in
      let city = City(context: context)
      city.name = "Lavāsān"
      try context.save()
    }
    var shown = start
    for await update in updates {
      // The same as update.snapshot; the difference says how to get there.
      shown = shown.applying(update.difference) ?? update.snapshot
      if shown.count == 1 { break }
    }
    // end live-list
    #expect(start.isEmpty)
    let names = try await queue.perform { [shown] context in
      try shown.objectIDs.map { try context.existingObject(City.self, with: $0).name }
    }
    #expect(names == ["Lavāsān"])
  }

  @Test func `a conflict, repaired`() throws {
    let container = try geography()
    // begin conflict
    func rename(_ id: ObjectID, to name: String, in context: ManagedObjectContext) throws {
      try context.existingObject(City.self, with: id).name = name
      do {
        try context.save()
      } catch StoreError.conflicts(let conflicts) {
        for conflict in conflicts {
          let object = try context.object(ManagedObject.self, with: conflict.objectID)
          context.refresh(object, mergeChanges: true)  // theirs, with our edits on top
        }
        try context.save()
      }
    }
    // end conflict
    let first = ManagedObjectContext(parent: container.coordinator)
    let second = ManagedObjectContext(parent: container.coordinator)
    let city = first.city("Lavasan")
    try first.save()
    _ = try second.existingObject(City.self, with: city.objectID).name
    city.population = 18_146
    try first.save()
    try rename(city.objectID, to: "Lavāsān", in: second)
    let id = city.objectID
    let saved = try container.root.performAndWait { context in
      let city = try context.existingObject(City.self, with: id)
      return "\(city.name) \(city.population)"
    }
    #expect(saved == "Lavāsān 18146")
  }

  @Test func `a save that the store refuses`() async throws {
    let container = try geography()
    try await container.root.perform { context in
      let iran = Country(context: context)
      (iran.iso, iran.name) = ("IR", "Iran")
      try context.save()
    }
    let worker = container.newBackgroundContext()
    // begin check-early
    let doubles = try await worker.perform { context in
      let country = Country(context: context)
      (country.iso, country.name) = ("IR", "Persia")
      let doubles = try context.constraintConflicts()
      if doubles.isEmpty { try context.save() } else { context.rollback() }
      return doubles
    }
    // end check-early
    #expect(doubles.count == 1)
    try await worker.perform { context in
      let country = Country(context: context)
      (country.iso, country.name) = ("IR", "Persia")
    }
    // begin refused
    do {
      try await worker.save(to: .store)
    } catch StoreError.uniquenessViolations {
      try await worker.perform { $0.rollback() }
    }
    // end refused
    let names = try container.root.performAndWait { try $0.fetch(Country.all).map(\.name) }
    #expect(names == ["Iran"])
  }
}
