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
