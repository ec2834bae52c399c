// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

@Suite struct `A history and a changed model` {
  @Test func `go together, and names that are gone are left out`() async throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    let token: HistoryToken
    do {
      let container = try PersistentContainer(
        at: url, model: geographyModel(), durability: .none)
      try await container.coordinator.keepHistory()
      try await container.root.perform { context in
        context.city("A", in: context.country("X"))
        context.country("Y").population = 3
        try context.save()
        for country in try context.fetch(Country.where { $0.iso == "Y" }) {
          context.delete(country)
        }
        try context.save()
        for country in try context.fetch(Country.all) { country.population = 1 }
        try context.save()
      }
      token = try #require(try container.coordinator.historyStatus()).oldestToken
    }
    let container = try PersistentContainer(
      at: url,
      model: ManagedObjectModel(
        Ferry.self, City.self, Country.self, Language.self, Government.self),
      removing: ["Route", "Album", "Track", "Genre", "Hall", "Play"], durability: .none)
    try await container.root.perform { context in
      for country in try context.fetch(Country.all) { country.population = 2 }
      try context.save()
    }
    let transactions = try container.coordinator.fetchHistory(HistoryRequest(after: token))
    #expect(
      transactions.map { $0.changes.map { "\($0.kind) \($0.updatedProperties)" } } == [
        ["insert []", "insert []", "insert []"], ["delete []"], [#"update ["population"]"#],
        [#"update ["population"]"#],
      ])
    let tombstone = transactions[1].changes.first { _ in true }?.tombstone
    #expect(tombstone == ["iso": .string("Y"), "population": .int(3)])
    let reopened = try PersistentContainer(
      at: url,
      model: ManagedObjectModel(
        Ferry.self, City.self, Country.self, Language.self, Government.self),
      durability: .none)
    #expect(try reopened.coordinator.fetchHistory(HistoryRequest(after: token)).count == 4)
  }
}
