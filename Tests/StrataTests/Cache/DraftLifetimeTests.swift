// SPDX-License-Identifier: Apache-2.0
import Strata
import StrataModel
import StrataTestSupport
import Testing

@Suite struct `Values that are set` {
  @Test func `outlive their context in the objects that somebody holds`() throws {
    let container = try geography()
    let first = ManagedObjectContext(parent: container.coordinator)
    let ids = [first.city("A", population: 1), first.city("B", population: 2)].map(\.objectID)
    try first.save()
    var held: [City] = []
    do {
      let context = ManagedObjectContext(parent: container.coordinator)
      held.append(try context.existingObject(City.self, with: ids[0]))
      held[0].population = 10
      held.append(try context.existingObject(City.self, with: ids[1]))
      held[1].name = String(repeating: "long ", count: 1_000)
      held.append(context.city("C", population: 3))
      for index in 0..<1_000 { context.city("City \(index)", population: index) }
    }
    let isContextGone = held.allSatisfy { $0.managedObjectContext == nil }
    #expect(isContextGone)
    #expect(held.map(\.name) == ["A", String(repeating: "long ", count: 1_000), "C"])
    #expect(held.map(\.population) == [10, 2, 3])
  }

  @Test func `stay with each object, whatever becomes of others of the same turn`() throws {
    let container = try geography()
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    let context = ManagedObjectContext(parent: container.coordinator)
    var model: [ObjectID: (name: String, population: Int)] = [:]
    /// What was saved, which a refresh brings back.
    var saved = model
    func someID(_ random: inout SeededGenerator) -> ObjectID? {
      model.keys.sorted { $0.key < $1.key }.randomElement(using: &random)
    }
    for _ in 0..<3_000 {
      let id = someID(&random)
      let city = try id.map { try context.existingObject(City.self, with: $0) }
      switch (Int.random(in: 0..<40, using: &random), id, city) {
      case (0..<8, _, _):
        let city = context.city("new", population: 0)
        model[city.objectID] = ("new", 0)
      case (8..<20, let id?, let city?):
        city.population = Int.random(in: 0..<1_000, using: &random)
        model[id]?.population = city.population
      case (20..<30, let id?, let city?):
        let count = Int.random(in: 0...200, using: &random)
        city.name = String(repeating: "x", count: count)
        model[id]?.name = city.name
      case (30..<33, let id?, let city?):
        context.delete(city)
        model[id] = nil
      case (33..<36, let id?, let city?) where saved[id] != nil:
        context.refresh(city, mergeChanges: false)
        model[id] = saved[id]
      case (36, _, _):
        struct Unwanted: Error {}
        try? context.edit {
          for city in try context.fetch(City.all) where city.population.isMultiple(of: 3) {
            city.population += 1
            city.name += "!"
            context.city("unwanted")
          }
          throw Unwanted()
        }
      case (37, _, _): context.processPendingChanges()
      case (38, _, _):
        try context.save()
        saved = model
      case (39, _, _) where random.next().isMultiple(of: 4):
        context.rollback()
        model = saved
      default: continue
      }
      if let id = someID(&random) {
        let city = try context.existingObject(City.self, with: id)
        let found = (city.name, city.population)
        #expect(found.0 == model[id]?.name, "seed \(seed)")
        #expect(found.1 == model[id]?.population, "seed \(seed)")
      }
    }
    try context.save()
    let reader = ManagedObjectContext(parent: container.coordinator)
    let found = try reader.fetch(City.all)
    #expect(found.count == model.count, "seed \(seed)")
    for city in found {
      let expected = model[city.objectID]
      #expect(city.name == expected?.name, "seed \(seed)")
      #expect(city.population == expected?.population, "seed \(seed)")
    }
  }

  @Test func `by an awake method stay, though it edits others and fetches`() async throws {
    try await withDiary { diary, container in
      let id = try await container.root.perform { context in
        let note = context.note("one")
        for index in 0..<100 { Folder(in: context).name = "\(index)" }
        try context.save()
        return note.objectID
      }
      diary.on("awakeFromFetch") { note in
        guard let context = note.managedObjectContext else { return }
        note.summary = String(repeating: "s", count: 500)
        for folder in (try? context.fetch(Folder.all)) ?? [] { folder.name += " read" }
        // This encodes what was done to the folders, and lets go of their drafts.
        _ = try? context.fetch(Folder.all)
        note.revision = 7
      }
      let worker = container.newBackgroundContext()
      try await worker.perform { context in
        let note = try context.existingObject(Note.self, with: id)
        #expect(note.summary?.count == 500)
        #expect(note.revision == 7)
        #expect(note.text == "one")
        #expect(!note.hasChanges)
        let names = try context.fetch(Folder.all).map(\.name)
        let readCount = names.count { $0.hasSuffix(" read") }
        #expect(readCount == 100)
      }
    }
  }
}
