// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import StrataModel
import Testing

/// Plants of gardeners of firms, in a context of their own.
private struct Estate {
  let context: ManagedObjectContext
  let firm: Firm
  let ann: Gardener
  let bob: Gardener

  init() throws {
    context = ManagedObjectContext(parent: try garden().coordinator)
    firm = context.firm("green")
    ann = context.gardener("ann", age: 30, of: firm)
    bob = context.gardener("bob", age: 40)
    context.plant("fern", of: ann)
    context.plant("aloe", of: bob)
    context.plant("moss", of: ann)
    context.plant("ivy")
    try context.save()
  }

  func list(
    _ request: FetchRequest<Plant>
  ) throws -> (FetchedResultsController<Plant>, FetchedListReplay) {
    let list = FetchedResultsController(request.sorted(by: \.name), context: context)
    try list.performFetch()
    return (list, FetchedListReplay(list))
  }
}

@Suite struct `A list that depends on other objects` {
  @Test func `follows the object that its sections are named by`() throws {
    let estate = try Estate()
    let list = FetchedResultsController(
      Plant.all.sorted(by: \.name), context: estate.context,
      sectionNameKeyPath: { $0.gardener.name })
    try list.performFetch()
    let replay = FetchedListReplay(list)
    #expect(text(list) == "[nil: ivy] [ann: fern moss] [bob: aloe]")
    estate.ann.name = "zoe"
    estate.context.processPendingChanges()
    #expect(text(list) == "[nil: ivy] [bob: aloe] [zoe: fern moss]")
    #expect(
      replay.takeLog() == [
        "will", "section delete ann 1", "section insert zoe 2", "move [1, 0] [2, 0]",
        "move [1, 1] [2, 1]", "did",
      ])
    estate.bob.name = "zoe"
    estate.context.processPendingChanges()
    #expect(text(list) == "[nil: ivy] [zoe: aloe fern moss]")
    estate.context.delete(estate.ann)
    estate.context.processPendingChanges()
    #expect(text(list) == "[nil: fern ivy moss] [zoe: aloe]")
    #expect(replay.complaint == nil)
    #expect(replay.sections == FetchedListReplay.sections(of: list))
  }

  @Test func `follows the object that its predicate asks about, however far away`() throws {
    let estate = try Estate()
    let (list, replay) = try estate.list(Plant.where { $0.gardener.firm.name == "red" })
    #expect(text(list) == "[nil: ]")
    estate.firm.name = "red"
    estate.context.processPendingChanges()
    #expect(text(list) == "[nil: fern moss]")
    estate.bob.firm = estate.firm
    estate.context.processPendingChanges()
    #expect(text(list) == "[nil: aloe fern moss]")
    estate.ann.firm = nil
    estate.context.processPendingChanges()
    #expect(text(list) == "[nil: aloe]")
    #expect(replay.sections == FetchedListReplay.sections(of: list))
  }

  @Test func `notifies nobody if the other object changes elsewhere`() throws {
    let estate = try Estate()
    let (list, replay) = try estate.list(Plant.where { $0.gardener.name == "ann" })
    estate.ann.age = 31
    estate.context.processPendingChanges()
    #expect(text(list) == "[nil: fern moss]")
    #expect(replay.takeLog() == [])
  }

  @Test func `follows members, where its predicate asks about those`() throws {
    let estate = try Estate()
    let context = estate.context
    let (list, replay) = try estate.list(Plant.where { $0.tools.any { $0.weight > 5 } })
    let (hoe, spade) = (Tool(context: context), Tool(context: context))
    (hoe.weight, spade.weight) = (3, 9)
    let fern = try context.fetch(Plant.where { $0.name == "fern" })[0]
    let ivy = try context.fetch(Plant.where { $0.name == "ivy" })[0]
    fern.tools.insert(hoe)
    ivy.tools.insert(spade)
    context.processPendingChanges()
    #expect(text(list) == "[nil: ivy]")
    hoe.weight = 6
    context.processPendingChanges()
    #expect(text(list) == "[nil: fern ivy]")
    try context.save()
    spade.plants.remove(ivy)
    context.processPendingChanges()
    #expect(text(list) == "[nil: fern]")
    context.rollback()
    context.processPendingChanges()
    #expect(text(list) == "[nil: fern ivy]")
    context.delete(hoe)
    context.processPendingChanges()
    #expect(text(list) == "[nil: ivy]")
    #expect(replay.complaint == nil)
    #expect(replay.sections == FetchedListReplay.sections(of: list))
  }

  @Test func `follows the objects whose members it asks about, from the other side, too`() throws {
    let estate = try Estate()
    let context = estate.context
    let (list, _) = try estate.list(Plant.where { $0.gardener.plants.count > 1 })
    #expect(text(list) == "[nil: fern moss]")
    context.plant("reed", of: estate.bob)
    context.processPendingChanges()
    #expect(text(list) == "[nil: aloe fern moss reed]")
  }

  @Test func `sorts objects by the shown values of a held one`() throws {
    let estate = try Estate()
    let context = estate.context
    let (list, _) = try estate.list(Plant.where { $0.gardener.name == "ann" })
    let other = ManagedObjectContext(parent: context.coordinator)
    try other.fetch(Gardener.where { $0.name == "ann" })[0].name = "zoe"
    try other.save()
    // Ann is held, and ann here.
    let fern = try context.fetch(Plant.where { $0.name == "fern" })[0]
    fern.height = 7
    context.processPendingChanges()
    #expect(estate.ann.name == "ann")
    #expect(text(list) == "[nil: fern moss]")
    context.refresh(estate.ann, mergeChanges: true)
    context.processPendingChanges()
    #expect(text(list) == "[nil: ]")
  }
}

@Suite struct `A list beside a deletion that does not know of all links` {
  /// A child deletes an object while others link to it. The deletion names none of those.
  @Test func `has them without the link`() throws {
    let requests: [(FetchRequest<Plant>, before: String, after: String)] = [
      (Plant.all.sorted(by: \.gardener?.name, order: .reverse), "a z b", "a b z"),
      (Plant.where { $0.gardener == nil }, "b", "a b z"),
      (Plant.where { $0.gardener == nil }.limit(2), "b", "a b"),
      (Plant.where { $0.gardener.name == "ann" }, "a z", ""),
      (Plant.where { $0.gardener.firm.name == "green" }, "a z", ""),
    ]
    for (request, before, after) in requests {
      try follow(request.sorted(by: \.name), "[nil: \(before)]", "[nil: \(after)]")
    }
  }

  private func follow(_ request: FetchRequest<Plant>, _ before: String, _ after: String) throws {
    let container = try garden()
    let id = try container.root.performAndWait { root in
      let ann = root.gardener("ann", of: root.firm("green"))
      root.plant("a", of: ann)
      root.plant("b")
      return ann.objectID
    }
    let context = ManagedObjectContext.withExplicitTurns(below: container.root)
    context.automaticallyMergesChangesFromParent = true
    let list = FetchedResultsController(request, context: context)
    try list.performFetch()
    let child = ManagedObjectContext(parent: context.layer)
    try child.delete(child.existingObject(Gardener.self, with: id))
    try container.root.performAndWait { root in
      _ = root.plant("z", of: try root.existingObject(Gardener.self, with: id))
    }
    context.processPendingChanges()
    #expect(text(list) == before)
    try child.save()
    context.processPendingChanges()
    #expect(text(list) == after)
  }
}

@Suite struct `A window of a result` {
  @Test func `adds objects that move into its window and removes those that are pushed out`() throws
  {
    let context = ManagedObjectContext(parent: try garden().coordinator)
    for name in ["b", "d", "f", "h"] { context.plant(name) }
    context.processPendingChanges()
    let list = FetchedResultsController(
      Plant.all.sorted(by: \.name).offset(1).limit(2), context: context)
    try list.performFetch()
    let replay = FetchedListReplay(list)
    #expect(text(list) == "[nil: d f]")
    context.plant("a")
    context.processPendingChanges()
    #expect(text(list) == "[nil: b d]")
    #expect(replay.takeLog() == ["will", "delete [0, 1]", "insert [0, 0]", "did"])
    for plant in try context.fetch(Plant.where { $0.name.isIn(["a", "d"]) }) {
      context.delete(plant)
    }
    context.processPendingChanges()
    #expect(text(list) == "[nil: f h]")
    #expect(replay.complaint == nil)
    #expect(replay.sections == FetchedListReplay.sections(of: list))
  }
}
