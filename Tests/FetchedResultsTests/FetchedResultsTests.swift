// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataModel
import Testing

private func confined() throws -> ManagedObjectContext {
  ManagedObjectContext(parent: try garden().coordinator)
}

@Suite struct `A fetched list` {
  @Test func `has the objects of its request, in its order`() throws {
    let context = try confined()
    for (name, height) in [("fern", 2), ("aloe", 1), ("ivy", 3), ("moss", 0)] {
      context.plant(name, height: height)
    }
    let list = FetchedResultsController(
      Plant.where { $0.height > 0 }.sorted(by: \.name), context: context)
    #expect(!list.isFetched)
    #expect(list.fetchedObjects.isEmpty)
    try list.performFetch()
    #expect(list.isFetched)
    #expect(text(list) == "[nil: aloe fern ivy]")
    #expect(list.fetchedObjects.map(\.name) == ["aloe", "fern", "ivy"])
    #expect(list.fetchedObjects.count == 3)
    #expect(list.object(at: FetchedIndexPath(item: 1, section: 0)).name == "fern")
    let ivy = try #require(try context.fetch(Plant.where { $0.name == "ivy" }).first)
    #expect(list.indexPath(forObject: ivy) == FetchedIndexPath(item: 2, section: 0))
    let moss = try #require(try context.fetch(Plant.where { $0.name == "moss" }).first)
    #expect(list.indexPath(forObject: moss) == nil)
  }

  @Test func `without sections has one, also when it is empty`() throws {
    let context = try confined()
    let list = FetchedResultsController(Plant.all.sorted(by: \.name), context: context)
    try list.performFetch()
    let replay = FetchedListReplay(list)
    #expect(list.sections.count == 1)
    #expect(list.sections[0].name == nil)
    #expect(list.sections[0].objects.isEmpty)
    context.plant("fern")
    context.processPendingChanges()
    #expect(replay.takeLog() == ["will", "insert [0, 0]", "did"])
    #expect(list.sections[0].count == 1)
  }

  @Test func `has sections by the first sort key, those without a value first`() throws {
    let context = try confined()
    for (name, bed) in [("fern", "south"), ("aloe", nil), ("ivy", "north"), ("moss", "south")] {
      context.plant(name, in: bed)
    }
    context.plant("reed", in: "")
    let list = FetchedResultsController(
      Plant.all.sorted(by: \.bed).sorted(by: \.name, order: .reverse), context: context,
      sectionNameKeyPath: { $0.bed })
    try list.performFetch()
    #expect(text(list) == "[nil: aloe] [: reed] [north: ivy] [south: moss fern]")
    #expect(list.sectionIndexTitles == ["N", "S"])
    #expect(list.section(forSectionIndexTitleAt: 1) == 3)
    #expect(list.section(forSectionIndexTitleAt: 2) == nil)

    list.fetchRequest = Plant.all.sorted(by: \.bed, order: .reverse).sorted(by: \.name)
    try list.performFetch()
    #expect(text(list) == "[south: fern moss] [north: ivy] [: reed] [nil: aloe]")
  }

  @Test func `has sections by a property of another object, in its order`() throws {
    let context = try confined()
    let (green, red) = (context.firm("green"), context.firm("red"))
    let (ann, bob) = (context.gardener("ann", of: red), context.gardener("bob", of: green))
    context.plant("fern", of: ann)
    context.plant("aloe", of: bob)
    context.plant("ivy")
    context.plant("moss", of: ann)
    let list = FetchedResultsController(
      Plant.all.sorted(by: \.name, order: .reverse), context: context,
      sectionNameKeyPath: { $0.gardener.firm.name })
    try list.performFetch()
    #expect(text(list) == "[nil: ivy] [green: aloe] [red: moss fern]")
    let reversed = FetchedResultsController(
      Plant.all.sorted(by: \.name), context: context,
      sectionNameKeyPath: { $0.gardener.name }, order: .reverse)
    try reversed.performFetch()
    #expect(text(reversed) == "[bob: aloe] [ann: fern moss] [nil: ivy]")
  }

  @Test func `has sections by a function of each object`() throws {
    let context = try confined()
    for name in ["fern", "aloe", "ivy", "fig"] { context.plant(name) }
    let list = FetchedResultsController(
      Plant.all.sorted(by: \.name, order: .reverse), context: context, sectionName: \.initial)
    try list.performFetch()
    #expect(text(list) == "[i: ivy] [f: fig fern] [a: aloe]")
  }

  @Test func `names sections by numbers, truths and dates, too`() throws {
    let context = try confined()
    context.plant("fern", height: 12)
    context.plant("aloe", height: -3)
    context.plant("ivy", height: 12).isRare = true
    let byHeight = FetchedResultsController(
      Plant.all.sorted(by: \.height).sorted(by: \.name), context: context,
      sectionNameKeyPath: { $0.height })
    try byHeight.performFetch()
    #expect(text(byHeight) == "[-3: aloe] [12: fern ivy]")
    let byRarity = FetchedResultsController(
      Plant.all.sorted(by: \.isRare), context: context, sectionNameKeyPath: { $0.isRare })
    try byRarity.performFetch()
    #expect(text(byRarity) == "[false: fern aloe] [true: ivy]")
  }

  @Test func `keeps texts in order that an index key would cut`() throws {
    let context = try confined()
    let stem = String(repeating: "x", count: 300)
    for end in ["c", "a", "", "b"] { context.plant(stem + end, in: stem + end) }
    let list = FetchedResultsController(
      Plant.all.sorted(by: \.bed, order: .reverse).sorted(by: \.name), context: context,
      sectionNameKeyPath: { $0.bed })
    try list.performFetch()
    #expect(list.sections.map { $0.name.map { $0.dropFirst(300) } } == ["c", "b", "a", ""])
    context.plant(stem, in: stem + "aa")
    context.processPendingChanges()
    #expect(list.sections.map { $0.name.map { $0.dropFirst(300) } } == ["c", "b", "aa", "a", ""])
    #expect(list.error == nil)
  }

  @Test func `has subentities, unless its request leaves them out`() throws {
    let context = try confined()
    context.plant("fern")
    let shrub = Shrub(context: context)
    shrub.name = "box"
    let all = FetchedResultsController(Plant.all.sorted(by: \.name), context: context)
    let some = FetchedResultsController(
      Plant.all.sorted(by: \.name).excludingSubentities(), context: context)
    try all.performFetch()
    try some.performFetch()
    #expect(text(all) == "[nil: box fern]")
    #expect(text(some) == "[nil: fern]")
    shrub.name = "yew"
    context.processPendingChanges()
    #expect(text(all) == "[nil: fern yew]")
    #expect(text(some) == "[nil: fern]")
  }
}

@Suite struct `A list that cannot be fetched` {
  @Test func `because its request sorts by something else than its sections`() throws {
    let context = try confined()
    let list = FetchedResultsController(
      Plant.all.sorted(by: \.name).sorted(by: \.bed), context: context,
      sectionNameKeyPath: { $0.bed })
    #expect(throws: ContextError.unsortedSections(entity: "Plant", property: "bed")) {
      try list.performFetch()
    }
    list.fetchRequest = Plant.all
    #expect(throws: ContextError.unsortedSections(entity: "Plant", property: "bed")) {
      try list.performFetch()
    }
    #expect(!list.isFetched)
  }

  @Test func `because the sections that the program names are not in one piece each`() throws {
    let context = try confined()
    for name in ["fern", "aloe", "fig", "ivy"] { context.plant(name) }
    let list = FetchedResultsController(
      Plant.all, context: context, sectionName: { String($0.name.prefix(1)) })
    let fig = try #require(try context.fetch(Plant.where { $0.name == "fig" }).first)
    #expect(throws: ContextError.interleavedSections(fig.objectID)) { try list.performFetch() }
    #expect(list.fetchedObjects.isEmpty)
  }

  @Test func `because there can be no sections by a property`() throws {
    let context = try confined()
    let list = FetchedResultsController(
      Plant.all, context: context, sectionNameKeyPath: { $0.gardener })
    #expect(throws: QueryError.unfitProperty(entity: "Plant", property: "gardener")) {
      try list.performFetch()
    }
  }

  @Test func `because its context is gone is empty`() throws {
    let container = try garden()
    var context: ManagedObjectContext? = ManagedObjectContext(parent: container.coordinator)
    let list = FetchedResultsController(
      Plant.all.sorted(by: \.name), context: try #require(context))
    context?.plant("fern")
    try list.performFetch()
    #expect(list.fetchedObjects.count == 1)
    context = nil
    #expect(list.fetchedObjects.isEmpty)
    #expect(list.snapshot.isEmpty)
    #expect(!list.isFetched)
    #expect(throws: ContextError.contextGone) { try list.performFetch() }
  }

  @Test func `succeeds after the error is mended`() throws {
    let context = try confined()
    let plants = ["aloe", "fern", "fig"].map { context.plant($0) }
    let list = FetchedResultsController(
      Plant.all, context: context, sectionName: { String($0.name.prefix(1)) })
    try list.performFetch()
    let replay = FetchedListReplay(list)
    plants[2].name = "apple"
    context.processPendingChanges()
    let isInterleaved = list.error as? ContextError == .interleavedSections(plants[2].objectID)
    #expect(isInterleaved)
    #expect(replay.failures.count == 1)
    #expect(list.sections.map(\.name) == ["a", "f"])
    #expect(replay.takeLog() == [])
    plants[1].name = "agave"
    context.processPendingChanges()
    #expect(list.error == nil)
    #expect(text(list) == "[a: aloe agave apple]")
    #expect(replay.complaint == nil)
    #expect(replay.sections == FetchedListReplay.sections(of: list))
  }
}
