// SPDX-License-Identifier: Apache-2.0
import Strata
import Testing

private struct Refused: Error {}

/// Fetches lists again when it is notified that one of them has changed.
private final class FetchingDelegate: FetchedResultsControllerDelegate {
  var lists: [FetchedResultsController<Plant>] = []

  func controllerDidChangeContent(_ controller: FetchedResultsController<Plant>) {
    for list in lists {
      do { try list.performFetch() } catch { Issue.record(error) }
    }
  }
}

@Suite struct `A fetched list, after changes that were taken back` {
  @Test func `equals a fetch if a savepoint takes back a child's save`() throws {
    let context = ManagedObjectContext(parent: try garden().coordinator)
    let list = FetchedResultsController(Plant.all.sorted(by: \.name), context: context)
    try list.performFetch()
    let replay = FetchedListReplay(list)
    #expect(throws: Refused.self) {
      try context.withSavepoint {
        let child = ManagedObjectContext(parent: context)
        child.plant("fern")
        try child.save()
        throw Refused()
      }
    }
    context.processPendingChanges()
    #expect(list.fetchedObjects.isEmpty)
    #expect(replay.complaint == nil)
  }

  @Test func `equals a fetch if a savepoint takes back links`() throws {
    let context = ManagedObjectContext(parent: try garden().coordinator)
    let (plant, tool) = (context.plant("fern"), Tool(context: context))
    tool.weight = 2
    try context.save()
    let list = FetchedResultsController(
      Plant.where { $0.tools.any { $0.weight == 2 } }.sorted(by: \.name), context: context)
    try list.performFetch()
    #expect(throws: Refused.self) {
      try context.withSavepoint {
        plant.tools.insert(tool)
        try context.mergeChanges(fromRemoteContextSave: ChangedObjects())
        #expect(list.fetchedObjects.count == 1)
        throw Refused()
      }
    }
    context.processPendingChanges()
    #expect(list.fetchedObjects.isEmpty)
  }

  @Test func `keeps the objects that another list's delegate fetched after a reset`() throws {
    let context = ManagedObjectContext(parent: try garden().coordinator)
    context.plant("fern")
    try context.save()
    let delegate = FetchingDelegate()
    for _ in 0..<2 {
      let list = FetchedResultsController(Plant.all.sorted(by: \.name), context: context)
      try list.performFetch()
      list.delegate = delegate
      delegate.lists.append(list)
    }
    context.reset()
    #expect(delegate.lists.map(\.fetchedObjects.count) == [1, 1])
    context.plant("ivy")
    context.processPendingChanges()
    #expect(delegate.lists.map(\.fetchedObjects.count) == [2, 2])
  }
}
