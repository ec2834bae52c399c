// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

@Suite struct `A confined child made in its parent's isolation` {
  private let container: PersistentContainer
  private let parent: ManagedObjectContext
  private let child: ManagedObjectContext

  init() throws {
    container = try geography()
    parent = ManagedObjectContext(parent: container.coordinator)
    parent.city("A", population: 1)
    child = ManagedObjectContext(parent: parent)
  }

  @Test func `reads its parent's changes before the child was made`() throws {
    #expect(try child.cityNames() == ["A"])
  }

  @Test func `reads its parent's later changes at its next fetch`() throws {
    #expect(try child.cityNames() == ["A"])
    parent.city("B")
    #expect(try child.cityNames() == ["A", "B"])
    try parent.save()
    parent.city("C")
    try parent.save()
    #expect(try child.cityNames() == ["A", "B", "C"])
  }

  @Test func `matches and shows the same value of a property that its parent has changed`() throws {
    let city = try #require(try parent.fetch(City.all).first)
    _ = try child.fetch(City.all)
    city.population = 5
    try parent.save()
    let found = try child.fetch(City.where { $0.population == 5 })
    #expect(found.map(\.population) == [5])
  }

  @Test func `has its save in the parent on the next line`() throws {
    child.city("B")
    try child.save()
    #expect(parent.insertedObjects.count == 2)
    #expect(try parent.cityNames() == ["A", "B"])
  }

  @Test func `makes its parent's changes so far visible to others`() throws {
    let other = ContextQueue(parent: parent.layer)
    parent.city("B")
    _ = try child.count(City.all)
    let seen = try other.performAndWait { try $0.cityNames() }
    #expect(seen == ["A", "B"])
  }

  @Test func `keeps a list that shows its parent's insertions and saves`() throws {
    let list = FetchedResultsController(City.all.sorted(by: \.name), context: child)
    try list.performFetch()
    parent.city("B")
    try parent.save()
    child.automaticallyMergesChangesFromParent = true
    child.processPendingChanges()
    #expect(list.fetchedObjects.map(\.name) == ["A", "B"])
  }
}

@Suite struct `A fetch of a confined context` {
  @Test func `reads the newest state`() throws {
    let container = try geography()
    let context = ManagedObjectContext(parent: container.coordinator)
    #expect(try context.cityNames() == [])
    try container.root.performAndWait { root in
      root.city("A")
      try root.save()
    }
    #expect(try context.count(City.all) == 1)
    #expect(try context.cityNames() == ["A"])
  }

  @Test func `leaves unsaved edits as they are`() throws {
    let container = try geography()
    let context = ManagedObjectContext(parent: container.coordinator)
    let city = context.city("A")
    _ = try context.count(City.all)
    city.name = "B"
    #expect(try context.cityNames() == ["B"])
    #expect(context.insertedObjects == [city])
  }
}

@Suite struct `A queue entered inside its parent's block` {
  @Test func `publishes the parent's work so far, and reads it`() throws {
    let container = try geography()
    let (parent, child) = (container.root, container.newBackgroundContext())
    let other = container.newBackgroundContext()
    try parent.performAndWait { context in
      context.city("A")
      let names = try child.performAndWait { try $0.cityNames() }
      #expect(names == ["A"])
      let seen = try elsewhere { try other.performAndWait { try $0.cityNames() } }
      #expect(seen == ["A"])
    }
  }

  @Test func `follows later saves of the parent`() throws {
    let container = try geography()
    let (parent, child) = (container.root, container.newBackgroundContext())
    let id = try parent.performAndWait { context in
      let city = context.city("A", population: 1)
      _ = try child.performAndWait { try $0.cityNames() }
      try context.save()
      city.population = 2
      try context.save()
      return city.objectID
    }
    try child.performAndWait { context in
      let population = try context.existingObject(City.self, with: id).population
      #expect(population == 2)
    }
  }
}
