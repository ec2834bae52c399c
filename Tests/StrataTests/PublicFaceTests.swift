// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// The names that programs are written against, used as the documentation writes them.
@Suite struct `The public face` {
  @MainActor private func show(
    _ id: ObjectID, in container: PersistentContainer
  ) throws -> String {
    try container.viewContext.existingObject(City.self, with: id).name
  }

  @Test func `reads as documented`() async throws {
    let directory = try TemporaryDirectory()
    let url = directory.file("cities.strata")
    let model = try ManagedObjectModel(
      Country.self, City.self, Language.self, Government.self)
    let container = try PersistentContainer(at: url, model: model)

    let root = container.root
    let worker = container.newBackgroundContext()

    let ids = try await worker.perform { context in
      let city = City(context: context)
      city.name = "Lavāsān"
      city.population = 1_000_001
      try context.save()
      return try context.fetchIDs(City.where { $0.population > 1_000_000 }.sorted(by: \.name))
    }
    try await root.perform { try $0.save() }
    try await root.save()
    #expect(try await show(#require(ids.first), in: container) == "Lavāsān")
    let count = try root.performAndWait { try $0.count(City.all) }
    #expect(count == 1)
    let name = try await container.performBackgroundTask { context in
      try context.existingObject(City.self, with: ids[0]).name
    }
    #expect(name == "Lavāsān")
  }

  @Test func `makes children in one isolation that read the working state`() throws {
    let container = try geography()
    let parent = ManagedObjectContext(parent: container.root)
    let city = parent.city("A")
    let child = ManagedObjectContext(parent: parent)
    let copy = try child.existingObject(City.self, with: city.objectID)
    #expect(copy.name == "A")
    copy.name = "B"
    #expect(city.name == "A")
    try child.save()
    #expect(city.name == "B")
    #expect(parent.insertedObjects == [city])
  }
}
