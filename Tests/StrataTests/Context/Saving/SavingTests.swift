// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import StrataLMDB
import StrataTestSupport
import Testing

@Suite struct `A save` {
  @Test func `of a child reaches the parent, not the disk`() async throws {
    let directory = try TemporaryDirectory()
    let container = try geography(in: directory)
    let worker = container.newBackgroundContext()
    try await worker.perform { context in
      context.city("Lavāsān", population: 18_146)
      try context.save()
    }
    #expect(try await container.root.perform { try $0.cityNames() } == ["Lavāsān"])
    #expect(try await container.root.perform { $0.hasChanges })
    let other = ContextQueue(parent: container.coordinator)
    #expect(try await other.perform { try $0.cityNames() } == [])
    try await container.root.save()
    #expect(try await other.perform { try $0.cityNames() } == ["Lavāsān"])
    #expect(try await container.root.perform { $0.hasChanges } == false)
  }

  @Test func `at the top is there after the store is opened again`() async throws {
    let directory = try TemporaryDirectory()
    let id = try await {
      let container = try geography(in: directory)
      let id = try await container.root.perform { context in
        let iran = context.country("IR", name: "Iran")
        let city = context.city("Tehran", population: 7_153_309, in: iran)
        try context.save()
        return city.objectID
      }
      return id
    }()
    let container = try geography(in: directory)
    try await container.root.perform { context in
      let city = try context.existingObject(City.self, with: id)
      #expect(city.name == "Tehran")
      #expect(city.population == 7_153_309)
      #expect(city.country?.name == "Iran")
      #expect(city.country?.cities.count == 1)
    }
  }

  @Test func `of an object beyond the last ID of the store is refused, and the object is usable`()
    throws
  {
    let directory = try TemporaryDirectory()
    do {
      let context = ManagedObjectContext(parent: try geography(in: directory).coordinator)
      context.city("saved")
      try context.save()
    }
    do {
      var options = EnvironmentOptions()
      options.durability = .none
      let path = directory.file("geography.strata").path
      try Environment.open(at: path, options: options).writeSync { transaction in
        // LMDB knows the order of keys once a tree is open.
        _ = try transaction.tree(named: "catalog")
        let counter = (UInt64(1) << 40 - 1).littleEndian
        try withUnsafeBytes(of: counter) { try transaction.setNote("#serial", to: $0) }
      }
    }
    let context = ManagedObjectContext(parent: try geography(in: directory).coordinator)
    let city = context.city("new", in: context.country("IR"))
    let error = try #require(throws: StoreError.self) { try context.save() }
    guard case .serialsExhausted = error else { throw error }
    city.name = "renamed"
    #expect(try context.cityNames() == ["renamed", "saved"])
    #expect(city.country?.cities.count == 1)
    context.rollback()
    try #require(try context.fetch(City.all).first).name = "changed"
    try context.save()
    #expect(try context.cityNames() == ["changed"])
  }

  @Test func `is not seen by a sibling before, and is when it fetches after`() async throws {
    let container = try geography()
    let (one, other) = (container.newBackgroundContext(), container.newBackgroundContext())
    try await one.perform { _ = $0.city("A") }
    #expect(try await other.perform { try $0.cityNames() } == [])
    try await one.save()
    #expect(try await other.perform { try $0.cityNames() } == ["A"])
  }

  @Test func `pushes only the child's changes`() async throws {
    let container = try geography()
    let id = try await container.root.perform { context in
      let city = context.city("A", population: 1)
      try context.save()
      return city.objectID
    }
    let (one, other) = (container.newBackgroundContext(), container.newBackgroundContext())
    try await one.perform { try $0.existingObject(City.self, with: id).name = "B" }
    try await other.perform { try $0.existingObject(City.self, with: id).population = 2 }
    try await one.save()
    try await other.save()
    try await container.root.perform { context in
      let city = try context.existingObject(City.self, with: id)
      #expect(city.name == "B")
      #expect(city.population == 2)
    }
  }

  @Test func `keeps the ID that the object had from birth`() async throws {
    let container = try geography()
    let worker = container.newBackgroundContext()
    let id = try await worker.perform { context in
      let city = context.city("A")
      let id = city.objectID
      try context.save()
      #expect(city.objectID == id)
      return id
    }
    try await container.root.save()
    try await container.root.perform { context in
      let name = try context.existingObject(City.self, with: id).name
      #expect(name == "A")
    }
  }

  @Test func `composes an insert, an update and a delete from three levels`() async throws {
    let container = try geography()
    let worker = container.newBackgroundContext()
    let grandchild = ContextQueue(parent: worker)
    let (kept, dropped) = try await grandchild.perform { context in
      (context.city("A").objectID, context.city("B").objectID)
    }
    try await grandchild.save()
    try await worker.perform { context in
      try context.existingObject(City.self, with: kept).population = 7
      context.delete(try context.existingObject(City.self, with: dropped))
    }
    try await worker.save()
    try await container.root.save()
    let other = ContextQueue(parent: container.coordinator)
    try await other.perform { context in
      let names = try context.cityNames()
      #expect(names == ["A"])
      let population = try context.existingObject(City.self, with: kept).population
      #expect(population == 7)
      #expect(throws: ContextError.objectNotFound(dropped)) {
        try context.existingObject(City.self, with: dropped)
      }
    }
  }

  @Test func `that the store refuses leaves everything unsaved, and can be mended`() async throws {
    let container = try geography()
    try await container.root.perform { context in
      context.country("IR")
      try context.save()
    }
    try await container.root.perform { context in
      let second = context.country("IR", name: "second")
      #expect { try context.save() } throws: { $0.isUniquenessViolation }
      #expect(context.hasChanges)
      #expect(second.isInserted)
      second.iso = "IQ"
      try context.save()
      #expect(!context.hasChanges)
      #expect(try context.count(Country.all) == 2)
    }
  }

  @Test func `of a queue during a write lets other blocks run`() async throws {
    let directory = try TemporaryDirectory()
    let container = try geography(in: directory)
    let root = container.root
    try await root.perform { context in
      for index in 0..<2_000 { context.city("City \(index)") }
    }
    async let save: Void = root.save()
    let worker = container.newBackgroundContext()
    try await worker.perform { context in
      context.city("Pushed meanwhile")
      try context.save()
    }
    try await save
    #expect(try await root.perform { try $0.count(City.all) } == 2_001)
    try await root.save()
    let other = ContextQueue(parent: container.coordinator)
    #expect(try await other.perform { try $0.count(City.all) } == 2_001)
  }

  @Test func `of edits made on top of a save under way is based on the saved state`() async throws {
    let container = try geography()
    let root = container.root
    let worker = container.newBackgroundContext()
    let id = try await root.perform { $0.city("A").objectID }
    for round in 1...50 {
      async let save: Void = root.save()
      try await worker.perform { context in
        try context.existingObject(City.self, with: id).population = round
        try context.save()
        context.reset()
      }
      try await save
    }
    try await root.save()
    let other = ContextQueue(parent: container.coordinator)
    #expect(
      try await other.perform { try $0.existingObject(City.self, with: id).population } == 50)
  }

  @Test func `without changes does nothing`() async throws {
    let container = try geography()
    let worker = container.newBackgroundContext()
    let logs = [container.root, worker].map { MessageLog($0.layer) }
    let token = try container.coordinator.currentHistoryToken()
    try await container.root.save()
    try await container.root.perform { try $0.save() }
    try await worker.save()
    #expect(try container.coordinator.currentHistoryToken() == token)
    #expect(logs.allSatisfy { $0.messages(.didSave).isEmpty })
  }

  @Test func `with two writers of one object is a conflict that names it`() async throws {
    let container = try geography()
    let id = try await container.root.perform { context in
      let city = context.city("A", population: 1)
      try context.save()
      return city.objectID
    }
    let other = ContextQueue(parent: container.coordinator)
    try await other.perform { try $0.existingObject(City.self, with: id).population = 2 }
    try await container.root.perform { context in
      try context.existingObject(City.self, with: id).population = 3
      try context.save()
    }
    try await other.perform { context in
      do {
        try context.save()
        Issue.record("the save went through")
      } catch StoreError.conflicts(let conflicts) {
        #expect(conflicts.map(\.objectID) == [id])
        #expect(conflicts.first?.baseValues?["population"] == .int(1))
        #expect(conflicts.first?.ourValues?["population"] == .int(2))
        #expect(conflicts.first?.theirValues?["population"] == .int(3))
      }
      #expect(context.hasChanges)
      context.mergePolicy = .mergeByPropertyObjectTrump
      try context.save()
    }
    let reader = ContextQueue(parent: container.coordinator)
    #expect(
      try await reader.perform { try $0.existingObject(City.self, with: id).population } == 2)
  }
}
