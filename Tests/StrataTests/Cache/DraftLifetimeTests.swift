// SPDX-License-Identifier: Apache-2.0
import Strata
import StrataModel
import StrataTestSupport
import Testing

/// The cities of a context, and their values in a dictionary.
private struct KeptValues: Model {
  private struct Values: Equatable {
    var name = "new"
    var population = 0
  }

  private struct Unwanted: Error {}

  var random: ModelRandom
  private let container: PersistentContainer
  private let context: ManagedObjectContext
  private var naive: [ObjectID: Values] = [:]
  /// The saved value, which a refresh restores.
  private var saved: [ObjectID: Values] = [:]

  init(_ random: ModelRandom) throws {
    self.random = random
    container = try geography()
    context = ManagedObjectContext(parent: container.coordinator)
  }

  static var operations: [ModelOperation<KeptValues>] {
    [
      ModelOperation("insert", weight: 32) { $0.insert() },
      ModelOperation("set the population", weight: 48) { try $0.setPopulation() },
      ModelOperation("set the name", weight: 40) { try $0.setName() },
      ModelOperation("delete", weight: 12) { try $0.delete() },
      ModelOperation("refresh", weight: 12) { try $0.refresh() },
      ModelOperation("edit and throw", weight: 4) { $0.editAndThrow() },
      ModelOperation("end the turn", weight: 4) { $0.context.processPendingChanges() },
      ModelOperation("save", weight: 4) { try $0.save() },
      ModelOperation("roll back") { $0.rollBack() },
    ]
  }

  mutating func check() throws {
    guard let (id, city) = try someCity() else { return }
    try compare(city, naive[id])
  }

  mutating func finish() throws {
    try save()
    let reader = ManagedObjectContext(parent: container.coordinator)
    let found = try reader.fetch(City.all)
    try expectSame(found.count, naive.count, "saved cities")
    for city in found { try compare(city, naive[city.objectID]) }
  }

  private func compare(_ city: City, _ expected: Values?) throws {
    try expectSame(city.name, expected?.name, "name of \(city.objectID)")
    try expectSame(city.population, expected?.population, "population of \(city.objectID)")
  }

  private mutating func someCity() throws -> (ObjectID, City)? {
    guard let id = random.pick(naive.keys.sorted { $0.key < $1.key }) else { return nil }
    return (id, try context.existingObject(City.self, with: id))
  }

  private mutating func insert() {
    let values = Values()
    naive[context.city(values.name, population: values.population).objectID] = values
  }

  private mutating func setPopulation() throws {
    guard let (id, city) = try someCity() else { return }
    city.population = random.below(1_000)
    naive[id]?.population = city.population
  }

  private mutating func setName() throws {
    guard let (id, city) = try someCity() else { return }
    city.name = String(repeating: "x", count: random.below(201))
    naive[id]?.name = city.name
  }

  private mutating func delete() throws {
    guard let (id, city) = try someCity() else { return }
    context.delete(city)
    naive[id] = nil
  }

  private mutating func refresh() throws {
    guard let (id, city) = try someCity(), let values = saved[id] else { return }
    context.refresh(city, mergeChanges: false)
    naive[id] = values
  }

  private func editAndThrow() {
    try? context.withSavepoint {
      for city in try context.fetch(City.all) where city.population.isMultiple(of: 3) {
        city.population += 1
        city.name += "!"
        context.city("unwanted")
      }
      throw Unwanted()
    }
  }

  private mutating func save() throws {
    try context.save()
    saved = naive
  }

  private mutating func rollBack() {
    context.rollback()
    naive = saved
  }
}

@Suite struct `Values that are set` {
  @Test func `outlive their context in held objects`() throws {
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

  @Test func `stay with each object, whatever becomes of others of the same turn`() async {
    let failure = await ModelTest(
      "kept values", sequences: 2, steps: 3_000, make: KeptValues.init
    ).firstFailure()
    #expect(failure == nil)
  }

  @Test func `by an awake method stay, though it edits others and fetches`() async throws {
    try await withDiary { diary, container in
      let id = try await container.root.perform { context in
        let note = context.note("one")
        for index in 0..<100 { Folder(context: context).name = "\(index)" }
        try context.save()
        return note.objectID
      }
      diary.on("awakeFromFetch") { note in
        guard let context = note.managedObjectContext else { return }
        note.summary = String(repeating: "s", count: 500)
        for folder in (try? context.fetch(Folder.all)) ?? [] { folder.name += " read" }
        // This encodes the edits of the folders, and frees their drafts.
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
