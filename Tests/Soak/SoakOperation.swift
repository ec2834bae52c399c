// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata

/// Something that a program does again and again. It leaves the store as large as it was.
struct SoakOperation {
  let name: String
  /// It is done in the rounds that this divides: more than 1 for what takes long.
  var interval = 1
  let body: @MainActor (SoakWorld, _ round: Int) throws -> Void

  @MainActor func run(_ round: Int, in world: SoakWorld) throws {
    if round % interval == 0 { try body(world, round) }
  }

  static let all: [SoakOperation] = [
    SoakOperation(name: "save to the store") { world, round in
      try world.person(round, in: world.context).age = round % 100
      try world.context.save()
    },
    SoakOperation(name: "history of a save") { world, round in
      let token = try world.coordinator.currentHistoryToken()
      try world.person(round, in: world.context).age = round % 70
      try world.context.save()
      _ = try world.coordinator.fetchHistory(HistoryRequest(after: token))
    },
    SoakOperation(name: "save through a parent") { world, round in
      let id = world.id(round)
      try world.worker.performAndWait { context in
        try context.existingObject(Person.self, with: id).age = round % 90
        try context.save()
      }
      try world.root.performAndWait { try $0.save() }
    },
    SoakOperation(name: "save to a parent that saves nothing") { world, round in
      let id = world.id(0)
      try world.keepingWorker.performAndWait { context in
        try context.existingObject(Person.self, with: id).age = round
        try context.save()
      }
      // The save lands, and the parent tells of it.
      try world.keeping.performAndWait { _ in }
    },
    SoakOperation(name: "save within an isolation") { world, round in
      try world.person(0, in: world.inner).age = round
      try world.inner.save()
    },
    SoakOperation(name: "link and unlink") { world, _ in
      for town in [world.home, nil] {
        world.linked.town = town
        try world.linking.save()
      }
    },
    SoakOperation(name: "insert and delete") { world, _ in
      let person = Person(context: world.context)
      person.name = "new"
      try world.context.save()
      world.context.delete(person)
      try world.context.save()
    },
    SoakOperation(name: "merge of another's save") { world, round in
      let id = world.id(round)
      try world.root.performAndWait { context in
        try context.existingObject(Person.self, with: id).age = round % 80
        try context.save()
      }
      world.context.processPendingChanges()
      _ = try world.person(round, in: world.context).age
    },
    SoakOperation(name: "rollback") { world, round in
      try world.person(round, in: world.context).name = "taken back"
      world.context.rollback()
    },
    SoakOperation(name: "refresh") { world, round in
      world.context.refresh(try world.person(round, in: world.context), mergeChanges: true)
    },
    SoakOperation(name: "refresh of all objects") { world, _ in
      world.refreshed.refreshAllObjects()
      for person in world.held { _ = person.age }
    },
    SoakOperation(name: "reset") { world, round in
      for round in round..<round + 10 { _ = try world.person(round, in: world.forgetful).age }
      world.forgetful.reset()
    },
    SoakOperation(name: "undo and redo") { world, round in
      try world.person(round, in: world.undone).name = "undone"
      world.undone.processPendingChanges()
      world.undone.undo()
      world.undone.redo()
      world.undone.undo()
    },
    SoakOperation(name: "fetch by index") { world, round in
      let name = "name \(round % SoakWorld.nameCount)"
      _ = try world.context.fetch(Person.where { $0.name == name })
    },
    SoakOperation(name: "fetch in a queue") { world, round in
      let name = "name \(round % SoakWorld.nameCount)"
      _ = try world.root.performAndWait { context in
        try context.fetch(Person.where { $0.name == name }).count
      }
    },
    SoakOperation(name: "fetch of IDs in order") { world, _ in
      _ = try world.context.fetchIDs(Person.all.sorted(by: \.age).limit(20))
    },
    SoakOperation(name: "count") { world, round in
      let age = round % 100
      _ = try world.context.count(Person.where { $0.age == age })
    },
    SoakOperation(name: "rows") { world, _ in
      try world.context.forEachRow(Person.all.limit(50).select(\.name, \.age)) { _, _ in }
    },
    SoakOperation(name: "list that lives on") { world, round in
      try world.person(round, in: world.context).name = "name \(round % SoakWorld.nameCount)"
      world.context.processPendingChanges()
      _ = world.list.sections.count
      world.context.rollback()
    },
    SoakOperation(name: "list of its own") { world, _ in
      let list = FetchedResultsController(
        Person.all.sorted(by: \.name).limit(50), context: world.context)
      try list.performFetch()
    },
    SoakOperation(name: "list in a context of its own") { world, _ in
      // A list does not keep its context.
      let context = ManagedObjectContext(parent: world.coordinator)
      let list = FetchedResultsController(
        Person.all.sorted(by: \.name).limit(50), context: context)
      try withExtendedLifetime(context) { try list.performFetch() }
    },
    SoakOperation(name: "context of its own") { world, round in
      let id = world.id(round)
      let queue = ContextQueue(parent: world.root)
      _ = try queue.performAndWait { try $0.existingObject(Person.self, with: id).age }
    },
    SoakOperation(name: "batch update") { world, round in
      let name = "name \(round % SoakWorld.nameCount)"
      try world.coordinator.execute(
        BatchUpdateRequest(Person.where { $0.name == name }).setting(\.age) { $0.age + 1 })
    },
    SoakOperation(name: "batch insert and delete") { world, _ in
      try world.coordinator.execute(BatchInsertRequest(Town.self), rows: 0..<5) { row, _ in
        row.name = "new"
      }
      try world.coordinator.execute(BatchDeleteRequest(Town.where { $0.name == "new" }))
    },
    SoakOperation(name: "second coordinator") { world, _ in
      let coordinator = try SoakWorld.open(world.file)
      _ = try ManagedObjectContext(parent: coordinator).count(Person.all)
    },
    SoakOperation(name: "opening and closing") { world, _ in
      let coordinator = try SoakWorld.open(world.otherFile)
      _ = try ManagedObjectContext(parent: coordinator).count(Person.all)
    },
    SoakOperation(name: "inferred migration", interval: migrationInterval) { world, round in
      try world.openNotes(areIndexed: round / migrationInterval % 2 == 0)
    },
    SoakOperation(name: "backup", interval: 50) { world, _ in
      try world.coordinator.backUp(to: world.backup)
      try FileManager.default.removeItem(at: world.backup)
    },
    SoakOperation(name: "metadata") { world, _ in _ = try world.coordinator.metadata() },
  ]

  private static let migrationInterval = 10
}
