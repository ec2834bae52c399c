// SPDX-License-Identifier: Apache-2.0
#if DEBUG
  import Strata
  import StrataChanges
  import Synchronization
  import Testing

  // A view and the places that it has come to in the feeds are of one moment. Whatever others do
  // between two steps of taking a view is either in it or an event for the next one.

  @Suite struct `A change that falls between two steps of taking a view` {
    enum Change: String, CaseIterable, Sendable {
      case siblingPushes, ancestorEndsTurn, ancestorSaves, otherRootSaves
    }

    private static func make(
      _ change: Change, _ population: Int, of id: ObjectID, _ root: ContextQueue,
      _ sibling: ContextQueue, _ other: ContextQueue
    ) throws {
      let queue =
        switch change {
        case .siblingPushes: sibling
        case .ancestorEndsTurn, .ancestorSaves: root
        case .otherRootSaves: other
        }
      try queue.performAndWait { context in
        context.refreshAllObjects()
        try context.existingObject(City.self, with: id).population = population
        if change != .ancestorEndsTurn { try context.save() }
      }
    }

    @Test(
      arguments: Change.allCases, [PausePoint.revisionsCompared, .viewTaken, .snapshotTaken])
    func `is seen by it or by the next`(change: Change, point: PausePoint) throws {
      let container = try geography()
      let root = container.root
      let (sibling, other) = (
        container.newBackgroundContext(), ContextQueue(parent: container.coordinator)
      )
      let id = try root.performAndWait { context in
        let id = context.city("A", population: 1).objectID
        try context.save()
        return id
      }
      // Two readers: one looks up objects that the program does not hold, one merges into an object
      // that it holds.
      let reader = ManagedObjectContext(parent: root)
      let merging = ManagedObjectContext(parent: root)
      merging.automaticallyMergesChangesFromParent = true
      let held = try merging.existingObject(City.self, with: id)
      _ = try reader.existingObject(City.self, with: id).population
      reader.processPendingChanges()
      merging.processPendingChanges()
      // The change is made on the reader's own thread, at the moment between the two steps.
      let remaining = Mutex(2)
      let isInside = Mutex(false)
      PausePoint.observe(container.coordinator.schema) { reached in
        guard reached == point, !isInside.withLock({ $0 }) else { return }
        let left = remaining.withLock { left in
          defer { left = max(0, left - 1) }
          return left
        }
        guard left > 0 else { return }
        isInside.withLock { $0 = true }
        do { try Self.make(change, 10 - left, of: id, root, sibling, other) } catch {
          Issue.record(error)
        }
        isInside.withLock { $0 = false }
      }
      defer { PausePoint.observe(container.coordinator.schema, nil) }
      _ = try reader.count(City.all)
      reader.processPendingChanges()
      _ = try merging.count(City.all)
      merging.processPendingChanges()
      #expect(remaining.withLock { $0 } == 0)
      #expect(try reader.existingObject(City.self, with: id).population == 9)
      merging.processPendingChanges()
      #expect(held.population == 9)
    }
  }
#endif
