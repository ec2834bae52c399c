// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import Testing

/// Notes the content of a list at each notification.
private final class Shown: FetchedResultsControllerDelegate {
  private(set) var texts: [String] = []

  func controllerDidChangeContent(_ controller: FetchedResultsController<Plant>) {
    texts.append(text(controller))
  }
}

@Suite struct `A list in a context that rolls back` {
  /// An observer reads when it hears of an earlier change, and so the context integrates the save.
  @Test(arguments: [false, true])
  func `hears nothing of a child's save that was integrated meanwhile`(
    isReset: Bool
  ) throws {
    let container = try garden()
    let context = ManagedObjectContext.withExplicitTurns(below: container.root)
    context.automaticallyMergesChangesFromParent = true
    let (kept, gone) = (context.plant("kept"), context.plant("gone"))
    try context.save()
    let list = FetchedResultsController(Plant.all.sorted(by: \.name), context: context)
    try list.performFetch()
    let audience = Audience(context.layer, of: ["Plant"], knowing: list.fetchedObjects.objectIDs)
    context.refresh(kept, mergeChanges: false)
    let child = ManagedObjectContext(parent: context.layer)
    child.plant("new")
    try child.delete(child.existingObject(Plant.self, with: gone.objectID))
    try child.save()
    // Safety: the observer is called on this thread.
    nonisolated(unsafe) let unsafe = context
    let reader = Observer(.objectsDidChange, of: context.layer) { _ in
      _ = try? unsafe.count(Plant.all)
    }
    defer { withExtendedLifetime(reader) {} }
    if isReset { context.reset() } else { context.rollback() }
    context.processPendingChanges()
    try list.performFetch()
    #expect(text(list) == "[nil: gone kept]")
    #expect(audience.ids == Set(list.fetchedObjects.objectIDs))
  }
}

@Suite struct `A list in a context that merges automatically` {
  @Test
  func `shows all of a save at once, also of objects that were new and unsaved in the parent`()
    throws
  {
    let container = try garden()
    let ids = try container.root.performAndWait { context in
      let saved = context.plant("a", in: "x")
      try context.save()
      return [saved.objectID, context.plant("b", in: "x").objectID]
    }
    let context = ManagedObjectContext(parent: container.root)
    context.automaticallyMergesChangesFromParent = true
    let list = FetchedResultsController(
      Plant.all.sorted(by: \.bed).sorted(by: \.name), context: context,
      sectionNameKeyPath: { $0.bed })
    try list.performFetch()
    #expect(text(list) == "[x: a b]")
    let shown = Shown()
    list.delegate = shown
    try container.newBackgroundContext().performAndWait { context in
      for id in ids { try context.existingObject(Plant.self, with: id).bed = "y" }
      context.plant("c", in: "y")
      try context.save()
    }
    context.processPendingChanges()
    #expect(shown.texts == ["[y: a b c]"])
  }

  @Test func `is notified once of several merges, before any message of them`() throws {
    let container = try garden()
    let context = ManagedObjectContext.withExplicitTurns(below: container.root)
    context.automaticallyMergesChangesFromParent = true
    let list = FetchedResultsController(Plant.all.sorted(by: \.name), context: context)
    try list.performFetch()
    let shown = Shown()
    list.delegate = shown
    for name in ["a", "b"] {
      try container.newBackgroundContext().performAndWait { context in
        context.plant(name)
        try context.save()
      }
      // The merge is made within a turn, and told at its end.
      if name == "a" { _ = try context.count(Plant.all) }
    }
    context.processPendingChanges()
    #expect(shown.texts == ["[nil: a b]"])
  }
}
