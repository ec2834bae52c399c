// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import StrataTesting
import Testing

/// The program whose tests the guide shows.
private enum Program {
  static func move(_ city: ObjectID, to country: ObjectID, in context: ManagedObjectContext) throws
  {
    let city = try context.existingObject(City.self, with: city)
    city.country = try context.existingObject(Country.self, with: country)
  }

  static func importCities(_ names: [String], into container: PersistentContainer) async throws {
    try await container.newBackgroundContext().perform { context in
      for name in names { City(context: context).name = name }
      try context.save()
    }
  }
}

private enum Former {
  @Entity final class City: ManagedObject {
    var name: String
  }
}

/// The code of the guide TestingYourApp, part by part.
@Suite struct `The guide to tests` {
  @Test func `fills stores, expects changes and migrates a kept store`() async throws {
    let model = try atlas()
    let folder = try TemporaryDirectory()
    let url = folder.file("alps.json")
    try Data(
      """
      {
        "Country": { "switzerland": { "iso": "CH" }, "italy": { "iso": "IT" } },
        "City": {
          "zurich": { "name": "Zürich", "population": 421878, "country": "switzerland" },
          "como": { "name": "Como" }
        }
      }
      """.utf8
    ).write(to: url)
    // begin store
    let store = try TestStore(model, Fixture(contentsOf: url))
    let zurich = try store.objects["zurich"]
    // end
    // begin code
    let fixture = Fixture { context in
      let italy = Country(context: context)
      italy.iso = "IT"
      return ["italy": italy]
    }
    // end
    #expect(try TestStore(model, fixture).objects.ids.count == 1)
    let (switzerland, italy, como) = try (
      store.objects["switzerland"], store.objects["italy"], store.objects["como"]
    )
    // begin changes
    try store.container.root.performAndWait { context in
      try expectChanges(in: context) {
        try Program.move(zurich, to: italy, in: context)
      } to: {
        Updated(zurich, \City.country, from: switzerland, to: italy)
      }
    }
    // end
    try store.container.root.performAndWait { $0.rollback() }
    // begin container
    try await expectChanges(in: store.container) {
      try await Program.importCities(["Bern", "Biel"], into: store.container)
    } to: {
      for name in ["Bern", "Biel"] { Inserted(City.self).setting(\.name, to: name) }
    }
    // end
    // begin ignoring
    try await expectChanges(in: store.container, ignoring: ["City.rank"]) {
      try await store.container.performBackgroundTask { context in
        let city = try context.existingObject(City.self, with: como)
        (city.rank, city.population) = (.port, 84_808)
        try context.save()
      }
    } to: {
      Updated(como, \City.population, from: 0, to: 84_808)
    }
    // end
    // begin clock
    try await store.container.performBackgroundTask { context in
      Entry(context: context).text = "first"
      try context.save()
    }
    store.clock.advance(by: .seconds(60))
    try await store.container.flush()
    let date = try await store.container.root.perform { context in
      try context.fetch(Entry.all).first?.changedAt
    }
    #expect(date == store.clock.now)
    // end
    // begin names
    #expect(zurich.shortName == "City/3")
    // end
    let kept = folder.file("version-1.strata")
    try PersistentContainer(
      at: kept, model: ManagedObjectModel(Former.City.self), durability: .none
    ).root.performAndWait { context in
      Former.City(context: context).name = "Bern"
      try context.save()
    }
    let plan = MigrationPlan()
    // begin golden
    try await GoldenStore(at: kept).withMigratedCopy(to: model, migratingWith: plan) { container in
      let names = try await container.root.perform { context in
        try context.fetch(City.all).map(\.name)
      }
      #expect(names == ["Bern"])
    }
    // end
  }
}
