// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

/// The code of the guide Batches.md, part by part.
@Suite struct `The batch guide` {
  private struct Line {
    let name: String
    let population: Int
    let code: String
  }

  @Test func `inserts, updates and deletes many objects at once`() async throws {
    let container = try geography()
    let coordinator = container.coordinator
    let countries = try await container.root.perform { context in
      let country = context.country("IR")
      try context.save()
      return ["IR": country.objectID]
    }
    let lines = [
      Line(name: "Tehran", population: 9, code: "IR"),
      Line(name: "Paris", population: 2, code: "FR"),
    ]
    // begin inserting
    let result = try await coordinator.execute(BatchInsertRequest(City.self), rows: lines) {
      city, line in
      city.name = line.name
      city.population = line.population
      city.country = countries[line.code]
    }
    print(result.insertedCount)
    // end
    #expect(result.insertedCount == 2)
    // begin dictionaries
    try await coordinator.execute(
      BatchInsertRequest(City.self), dictionaries: [["name": "Rey", "population": 400_000]])
    // end
    // begin upserting
    let request = BatchInsertRequest(Country.self).upserting(on: \.iso)
    try await coordinator.execute(request, rows: [("IR", "Iran"), ("TR", "Türkiye")]) {
      country, row in
      country.iso = row.0
      country.name = row.1
    }
    // end
    // begin updating
    let larger = BatchUpdateRequest(City.where { $0.population > 0 })
      .setting(\.population) { $0.population * 2 }
    print(try await coordinator.execute(larger).updatedCount)
    // end
    let cities = try await container.root.perform { context in
      try context.fetch(City.all.sorted(by: \.name)).map {
        "\($0.name) \($0.population) \($0.country?.name ?? "")"
      }
    }
    #expect(cities == ["Paris 4 ", "Rey 800000 ", "Tehran 18 Iran"])
    // begin deleting
    try await coordinator.execute(BatchDeleteRequest(City.where { $0.population == 0 }))
    // end
    // begin transactions
    let imported = BatchInsertRequest(City.self).committing(every: 100_000)
    do {
      try await coordinator.execute(imported, rows: lines) { $0.name = $1.name }
    } catch let error as BatchInterruption {
      print("\(error.token.completedCount) rows are in the store: \(error.underlyingError)")
      try await coordinator.execute(imported.resuming(after: error.token), rows: lines) {
        $0.name = $1.name
      }
    }
    // end
    #expect(try await container.root.perform { try $0.count(City.all) } == 5)
  }
}
