// SPDX-License-Identifier: Apache-2.0
import Strata

/// Something that a program does again and again. It leaves the store as large as it was.
struct SoakOperation {
  let name: String
  let run: @MainActor (SoakWorld, _ round: Int) throws -> Void

  static let all: [SoakOperation] = [
    SoakOperation(name: "save to the store") { world, round in
      try world.person(round, in: world.context).age = round % 100
      try world.context.save()
    },
    SoakOperation(name: "save through a parent") { world, round in
      let id = world.id(round)
      try world.worker.performAndWait { context in
        try context.existingObject(Person.self, with: id).age = round % 90
        try context.save()
      }
      try world.root.performAndWait { try $0.save() }
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
    SoakOperation(name: "fetch of IDs in order") { world, _ in
      _ = try world.context.fetchIDs(Person.all.sorted(by: \.age).limit(20))
    },
    SoakOperation(name: "count") { world, round in
      let age = round % 100
      _ = try world.context.count(Person.where { $0.age == age })
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
    SoakOperation(name: "metadata") { world, _ in _ = try world.coordinator.metadata() },
  ]
}
