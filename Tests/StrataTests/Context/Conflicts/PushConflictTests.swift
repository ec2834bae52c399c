// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Strata
import StrataTestSupport
import Testing

/// A stored city of 5 people that two workers of a container have read.
private struct TwoWorkers {
  let container: PersistentContainer
  let one: ContextQueue
  let other: ContextQueue
  let id: ObjectID

  init(_ policy: MergePolicy? = nil) throws {
    container = try geography()
    id = try container.root.performAndWait { context in
      let city = context.city("A")
      city.population = 5
      try context.save()
      return city.objectID
    }
    (one, other) = (container.newBackgroundContext(), container.newBackgroundContext())
    for queue in [one, other] {
      try queue.performAndWait { [id] context in
        if let policy { context.mergePolicy = policy }
        try context.hold(id)
      }
    }
  }

  /// Adds to the population, and saves to the root.
  func add(_ number: Int64, in queue: ContextQueue) throws {
    try queue.performAndWait { context in
      try context.existingObject(City.self, with: id).population += Int(number)
      try context.save()
    }
  }

  func rename(_ name: String, in queue: ContextQueue) throws {
    try queue.performAndWait { context in
      try context.existingObject(City.self, with: id).name = name
      try context.save()
    }
  }

  /// The values that a context shows without holding the object there.
  func shown(in queue: ContextQueue) throws -> String {
    try queue.performAndWait { context in
      let city = try context.existingObject(City.self, with: id)
      return "\(city.name) \(city.population)"
    }
  }

  /// The conflicts with which a save fails.
  func conflicts(_ work: () throws -> Void) throws -> [MergePolicy.Conflict] {
    do {
      try work()
      return []
    } catch StoreError.conflicts(let conflicts) {
      return conflicts
    }
  }
}

extension ManagedObjectContext {
  /// Reads a city, and keeps it with its values.
  fileprivate func hold(_ id: ObjectID) throws {
    let city = try existingObject(City.self, with: id)
    _ = city.name
    userInfo["held"] = city
  }
}

@Suite struct `A save to a parent that has another value than the child has read` {
  enum Rival: CaseIterable { case sibling, parent, otherRoot, cousinsGrandchild }

  private func overtake(_ workers: TwoWorkers, by rival: Rival) throws {
    let container = workers.container
    switch rival {
    case .sibling: try workers.add(1, in: workers.other)
    case .parent:
      let id = workers.id
      try container.root.performAndWait {
        try $0.existingObject(City.self, with: id).population += 1
      }
    case .otherRoot: try workers.add(1, in: ContextQueue(parent: container.coordinator))
    case .cousinsGrandchild:
      let below = ContextQueue(parent: workers.other)
      try workers.add(1, in: below)
      try workers.other.performAndWait { try $0.save() }
    }
  }

  @Test(arguments: Rival.allCases)
  func `fails in a background context, and leaves parent and child as they were`(
    rival: Rival
  ) throws {
    let workers = try TwoWorkers()
    try overtake(workers, by: rival)
    let found = try workers.conflicts { try workers.add(10, in: workers.one) }
    let conflict = try #require(found.first)
    #expect(found.count == 1 && conflict.objectID == workers.id)
    #expect(conflict.baseValues?["population"] == .int(5))
    #expect(conflict.ourValues?["population"] == .int(15))
    #expect(conflict.theirValues?["population"] == .int(6))
    #expect(conflict.ourChanges == ["population"] && conflict.theirChanges == ["population"])
    #expect(try workers.shown(in: workers.container.root) == "A 6")
    #expect(try workers.shown(in: workers.one) == "A 15")
    #expect(try workers.one.performAndWait { $0.updatedObjects.count } == 1)
  }

  @Test(arguments: Rival.allCases)
  func `succeeds after a refresh and the same work again`(rival: Rival) throws {
    let workers = try TwoWorkers()
    try overtake(workers, by: rival)
    _ = try workers.conflicts { try workers.add(10, in: workers.one) }
    let id = workers.id
    try workers.one.performAndWait { context in
      context.refresh(try context.existingObject(City.self, with: id), mergeChanges: false)
    }
    try workers.add(10, in: workers.one)
    try workers.container.root.performAndWait { try $0.save() }
    #expect(try workers.shown(in: ContextQueue(parent: workers.container.coordinator)) == "A 16")
  }

  @Test(arguments: [
    (MergePolicy.mergeByPropertyStoreTrump, "B 6"), (.mergeByPropertyObjectTrump, "B 15"),
    (.overwrite, "B 15"), (.rollback, "A 6"),
    (.custom("sum") { _ in .values(["population": .int(99)]) }, "B 99"),
  ])
  func `is decided by the child's policy, and the child shows what became of it`(
    policy: MergePolicy, result: String
  ) throws {
    let workers = try TwoWorkers(policy)
    let id = workers.id
    try workers.add(1, in: workers.other)
    try workers.one.performAndWait { context in
      let city = try context.existingObject(City.self, with: id)
      (city.name, city.population) = ("B", 15)
      try context.save()
      #expect(!context.hasChanges)
      #expect("\(city.name) \(city.population)" == result)
    }
    #expect(try workers.shown(in: workers.container.root) == result)
    // The root has no conflict of it any more.
    try workers.container.root.performAndWait { try $0.save() }
    #expect(try workers.shown(in: ContextQueue(parent: workers.container.coordinator)) == result)
  }

  @Test func `is no conflict about other properties, in the parent and in the store`() throws {
    let workers = try TwoWorkers()
    try workers.add(1, in: workers.other)
    try workers.container.root.performAndWait { try $0.save() }
    try workers.rename("B", in: workers.one)
    try workers.container.root.performAndWait { try $0.save() }
    #expect(try workers.shown(in: ContextQueue(parent: workers.container.coordinator)) == "B 6")
  }

  @Test func `lets the later value win in a context that was made by hand`() throws {
    let workers = try TwoWorkers()
    let byHand = ContextQueue(parent: workers.container.root)
    try byHand.performAndWait { [id = workers.id] context in
      try context.hold(id)
    }
    try workers.add(1, in: workers.other)
    try workers.add(10, in: byHand)
    #expect(try workers.shown(in: workers.container.root) == "A 15")
  }

  @Test func `is no conflict if the values were merged before`() throws {
    let workers = try TwoWorkers()
    try workers.one.performAndWait { $0.automaticallyMergesChangesFromParent = true }
    try workers.add(1, in: workers.other)
    try workers.add(10, in: workers.one)
    #expect(try workers.shown(in: workers.container.root) == "A 16")
  }

  @Test func `names all objects in conflict`() throws {
    let workers = try TwoWorkers()
    let (root, id) = (workers.container.root, workers.id)
    let others = try root.performAndWait { context in
      let ids = ["B", "C", "D"].map { context.city($0).objectID }
      try context.save()
      return ids
    }
    try workers.one.performAndWait { context in
      for id in others { try context.existingObject(City.self, with: id).population = 1 }
      context.delete(try context.existingObject(City.self, with: id))
      context.city("new")
    }
    try root.performAndWait { context in
      try context.existingObject(City.self, with: id).population = 2
      try context.existingObject(City.self, with: others[0]).population = 2
      context.delete(try context.existingObject(City.self, with: others[1]))
      try context.existingObject(City.self, with: others[2]).name = "E"
    }
    let found = try workers.conflicts { try workers.one.performAndWait { try $0.save() } }
    #expect(Set(found.map(\.objectID)) == [id, others[0], others[1]])
    #expect(try workers.one.performAndWait { $0.insertedObjects.count } == 1)
    #expect(try root.performAndWait { try $0.cityNames() } == ["A", "B", "E"])
  }
}

@Suite struct `A deletion and an edit that meet in a parent` {
  @Test(arguments: [
    (MergePolicy.mergeByPropertyStoreTrump, true), (.rollback, true),
    (.mergeByPropertyObjectTrump, false), (.overwrite, false),
  ])
  func `leave the object where the policy keeps theirs`(policy: MergePolicy, stays: Bool) throws {
    let workers = try TwoWorkers(policy)
    try workers.add(1, in: workers.other)
    let id = workers.id
    try workers.one.performAndWait { context in
      let city = try context.existingObject(City.self, with: id)
      context.delete(city)
      try context.save()
      #expect(try context.count(City.all) == (stays ? 1 : 0))
      #expect(!stays || !city.isDeleted && city.population == 6)
    }
    #expect(try workers.container.root.performAndWait { try $0.count(City.all) } == (stays ? 1 : 0))
  }

  @Test(arguments: [
    (MergePolicy.mergeByPropertyStoreTrump, false), (.rollback, false),
    (.mergeByPropertyObjectTrump, false), (.overwrite, true),
  ])
  func `bring the object back where the policy takes ours`(policy: MergePolicy, comes: Bool) throws
  {
    let workers = try TwoWorkers(policy)
    let id = workers.id
    try workers.other.performAndWait { context in
      context.delete(try context.existingObject(City.self, with: id))
      try context.save()
    }
    try workers.add(10, in: workers.one)
    #expect(try workers.container.root.performAndWait { try $0.count(City.all) } == (comes ? 1 : 0))
    try workers.container.root.performAndWait { try $0.save() }
    let stored = ContextQueue(parent: workers.container.coordinator)
    #expect(try stored.performAndWait { try $0.count(City.all) } == (comes ? 1 : 0))
    if comes { #expect(try workers.shown(in: stored) == "A 15") }
  }
}

@Suite struct `A save to a parent that sets the same property in a turn under way` {
  /// Sets something in a turn of the root, lets a child add one, and saves in the same turn.
  private func save(
    after set: @Sendable (City) -> Void, and child: ContextQueue? = nil, in workers: TwoWorkers
  ) throws -> [MergePolicy.Conflict] {
    try workers.container.root.performAndWait { context in
      let city = try context.existingObject(City.self, with: workers.id)
      set(city)
      // On this thread, the child would begin after the turn's changes so far.
      performOnThreads(child == nil ? 0 : 1) { _ in
        do { try child.map { try workers.add(1, in: $0) } } catch { Issue.record(error) }
      }
      do {
        try context.save()
        return []
      } catch StoreError.conflicts(let conflicts) {
        return conflicts
      }
    }
  }

  private func expectOvertaken(
    _ conflicts: [MergePolicy.Conflict], by ours: Int, in workers: TwoWorkers
  ) throws {
    let conflict = try #require(conflicts.first)
    #expect(conflicts.count == 1 && conflict.objectID == workers.id)
    #expect(conflict.ourChanges == ["population"] && conflict.theirChanges == ["population"])
    let values = [conflict.baseValues, conflict.ourValues, conflict.theirValues]
    #expect(values.map { $0?["population"] } == [.int(5), .int(Int64(ours)), .int(6)])
    // The worker has left "A 6" there, and nothing is saved.
    #expect(try workers.shown(in: workers.container.root) == "A 6")
    #expect(try workers.shown(in: ContextQueue(parent: workers.container.coordinator)) == "A 5")
    // Saving once more does not help.
    #expect { try workers.container.root.performAndWait { try $0.save() } } throws: {
      $0.isConflict
    }
  }

  @Test func `lets the parent's save fail until the property is set again`() throws {
    let workers = try TwoWorkers()
    let conflicts = try save(after: { $0.population += 10 }, and: workers.one, in: workers)
    try expectOvertaken(conflicts, by: 15, in: workers)
    // Another property does not do.
    #expect(try save(after: { $0.name = "B" }, in: workers).count == 1)
    #expect(try save(after: { $0.population += 10 }, in: workers).isEmpty)
    #expect(try workers.shown(in: ContextQueue(parent: workers.container.coordinator)) == "B 16")
  }

  @Test func `lets the parent save after a refresh`() throws {
    let workers = try TwoWorkers()
    let conflicts = try save(after: { $0.population += 10 }, and: workers.one, in: workers)
    try expectOvertaken(conflicts, by: 15, in: workers)
    try workers.container.root.performAndWait { context in
      let city = try context.existingObject(City.self, with: workers.id)
      context.refresh(city, mergeChanges: false)
      try context.save()
      city.population += 10
      try context.save()
    }
    let stored = try workers.shown(in: ContextQueue(parent: workers.container.coordinator))
    // The refresh has dropped the worker's addition, too: it was an unsaved change of the parent.
    #expect(stored == "A 15")
  }

  @Test(arguments: [
    MergePolicy.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
    .custom("unasked") { _ in .values(["population": .int(99)]) },
  ])
  func `leaves the child's value under another policy of the parent`(policy: MergePolicy) throws {
    let workers = try TwoWorkers()
    try workers.container.root.performAndWait { $0.mergePolicy = policy }
    let conflicts = try save(after: { $0.population += 10 }, and: workers.one, in: workers)
    #expect(conflicts.isEmpty)
    #expect(try workers.shown(in: workers.container.root) == "A 6")
    #expect(try workers.shown(in: ContextQueue(parent: workers.container.coordinator)) == "A 6")
  }

  @Test func `is no matter if the properties differ`() throws {
    let workers = try TwoWorkers()
    let conflicts = try save(after: { $0.name = "B" }, and: workers.one, in: workers)
    #expect(conflicts.isEmpty)
    #expect(try workers.shown(in: ContextQueue(parent: workers.container.coordinator)) == "B 6")
  }

  /// Two additions of one: the result is not the one that is set by both.
  @Test func `lets it fail if both set the same value`() throws {
    let workers = try TwoWorkers()
    let conflicts = try save(after: { $0.population += 1 }, and: workers.one, in: workers)
    try expectOvertaken(conflicts, by: 6, in: workers)
  }

  @Test func `is no matter for a child that was made by hand`() throws {
    let workers = try TwoWorkers()
    let byHand = ContextQueue(parent: workers.container.root)
    let conflicts = try save(after: { $0.population += 10 }, and: byHand, in: workers)
    #expect(conflicts.isEmpty)
    #expect(try workers.shown(in: ContextQueue(parent: workers.container.coordinator)) == "A 6")
  }
}

@Suite struct `Workers that add to one number` {
  @Test(arguments: [1, 8])
  func `lose no addition if they repeat what was refused`(workerCount: Int) throws {
    let workers = try TwoWorkers()
    let (container, id) = (workers.container, workers.id)
    let additions = 400 / workerCount
    performOnThreads(workerCount) { _ in
      let queue = container.newBackgroundContext()
      for _ in 0..<additions {
        var isDone = false
        while !isDone {
          do {
            try queue.performAndWait { context in
              let city = try context.existingObject(City.self, with: id)
              context.refresh(city, mergeChanges: false)
              city.population += 1
              try context.save()
            }
            isDone = true
          } catch StoreError.conflicts {
            continue
          } catch {
            Issue.record(error)
            isDone = true
          }
        }
      }
    }
    try container.root.performAndWait { try $0.save() }
    #expect(try workers.shown(in: ContextQueue(parent: container.coordinator)) == "A 405")
  }
}
