// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

@Suite struct `The history of a store` {
  @Test func `is not kept before it is asked for`() async throws {
    let container = try geography()
    try container.saveCity("A")
    #expect(try container.coordinator.historyStatus() == nil)
    #expect { try container.transactions() } throws: {
      if case StoreError.historyNotKept = $0 { true } else { false }
    }
    try await container.coordinator.keepHistory()
    #expect(try container.transactions().isEmpty)
    let status = try #require(try container.coordinator.historyStatus())
    #expect(status.retention == HistoryRetention() && status.oldestToken == status.newestToken)
  }

  @Test func `has a transaction for each save, with author, context and changes`() async throws {
    let container = try geography()
    try await container.coordinator.keepHistory()
    let start = Date()
    let id = try container.saveCity("A", author: "import", context: "worker")
    try container.root.performAndWait { context in
      let city = try context.existingObject(City.self, with: id)
      city.population = 5
      city.country = context.country("X")
      try context.save()
      context.delete(city)
      try context.save()
    }
    let transactions = try container.transactions()
    #expect(transactions.map(\.author) == ["import", nil, nil])
    #expect(transactions.map(\.contextName) == ["worker", nil, nil])
    #expect(transactions.allSatisfy { $0.date >= start && $0.date <= Date() })
    let changes = transactions.map { transaction in
      transaction.changes.map {
        "\($0.kind) \($0.objectID.entityName ?? "") \($0.updatedProperties)"
      }
    }
    #expect(
      changes == [
        ["insert City []"],
        ["insert Country []", #"update City ["population", "country"]"#],
        ["delete City []"],
      ])
    #expect(transactions[0].changes.map(\.objectID) == [id])
  }

  @Test func `names both owners of a link, and nothing that a save did not write`() async throws {
    let container = try geography()
    let (country, language) = try await container.root.perform { context in
      let country = context.country("X")
      let language = Language(context: context)
      try context.save()
      return (country.objectID, language.objectID)
    }
    try await container.coordinator.keepHistory()
    try await container.root.perform { context in
      let owner = try context.existingObject(Country.self, with: country)
      owner.languages.insert(try context.existingObject(Language.self, with: language))
      owner.name = owner.name
      try context.save()
      context.city("Y").note = "transient"
      try context.save()
      for city in try context.fetch(City.all) { city.note = "changed" }
      try context.save()
    }
    let transactions = try container.transactions()
    #expect(transactions.count == 2)
    let changes = transactions[0].changes.map { ($0.objectID, $0.updatedProperties) }
    #expect(
      Dictionary(uniqueKeysWithValues: changes) == [
        country: ["languages"], language: ["countries"],
      ])
  }

  @Test func `names a link that two saves add or remove for the first alone`() async throws {
    let container = try geography()
    let ids = try await container.root.perform { context in
      let (country, language) = (context.country("X"), Language(context: context))
      try context.save()
      return (country.objectID, language.objectID)
    }
    try await container.coordinator.keepHistory()
    for isThere in [true, false] {
      let both = (0..<2).map { _ in ContextQueue(parent: container.coordinator) }
      for queue in both {
        try await queue.perform { context in
          let country = try context.existingObject(Country.self, with: ids.0)
          let language = try context.existingObject(Language.self, with: ids.1)
          if isThere {
            country.languages.insert(language)
          } else {
            country.languages.remove(language)
          }
        }
      }
      for queue in both { try await queue.save() }
    }
    let counts = try container.transactions().map { $0.changes.count { $0.kind == .update } }
    #expect(counts.filter { $0 > 0 } == [2, 2])
  }

  @Test func `has a transaction for a batch, as for the same deletions one by one`() async throws {
    for isBatch in [true, false] {
      for isWhole in [true, false] {
        let container = try geography()
        let ids = try await container.root.perform { context in
          let country = context.country("X")
          let cities = ["A", "B"].map { context.city($0, in: country) }
          let route = Route(context: context)
          route.start = cities[0]
          try context.save()
          return (cities.map(\.objectID), route.objectID)
        }
        try await container.coordinator.keepHistory()
        let request = isWhole ? City.all : City.where { $0.name == "A" }
        if isBatch {
          try await container.coordinator.execute(BatchDeleteRequest(request))
        } else {
          try await container.root.perform { context in
            for city in try context.fetch(request) { context.delete(city) }
            try context.save()
          }
        }
        let transaction = try #require(try container.transactions().first)
        let deleted = transaction.changes.filter { $0.kind == .delete }.map(\.objectID)
        #expect(deleted == Array(ids.0.prefix(isWhole ? 2 : 1)), "\(isBatch) \(isWhole)")
        let updated = transaction.changes.filter { $0.kind == .update }
        #expect(updated.map(\.objectID) == [ids.1], "\(isBatch) \(isWhole)")
        #expect(updated.map(\.updatedProperties) == [["start"]], "\(isBatch) \(isWhole)")
      }
    }
  }

  @Test func `names each owner once, however many links a batch deletes`() async throws {
    let container = try geography()
    let languages = try await container.root.perform { context in
      let languages = (0..<257).map { _ in Language(context: context) }
      for number in 0..<257 {
        let country = context.country("\(number)")
        for language in languages { country.languages.insert(language) }
      }
      try context.save()
      return languages.map(\.objectID)
    }
    try await container.coordinator.keepHistory()
    try await container.coordinator.execute(BatchDeleteRequest(Country.all))
    let transaction = try #require(try container.transactions().first)
    let updated = transaction.changes.filter { $0.kind == .update }
    #expect(Set(updated.map(\.objectID)) == Set(languages) && updated.count == 257)
    #expect(updated.allSatisfy { $0.updatedProperties == ["countries"] })
  }

  @Test func `is fetched by token, date, author, entity and number`() async throws {
    let container = try geography()
    try await container.coordinator.keepHistory()
    try container.saveCity("A", author: "a")
    let middle = try #require(try container.transactions().last)
    try container.saveCity("B", author: "b")
    try container.root.performAndWait { context in
      context.country("X")
      context.city("C")
      try context.save()
    }
    func count(_ request: HistoryRequest) throws -> Int {
      try container.coordinator.fetchHistory(request).count
    }
    #expect(try count(HistoryRequest()) == 3)
    #expect(try count(HistoryRequest(after: middle.token)) == 2)
    #expect(try count(HistoryRequest(since: Date(timeIntervalSinceNow: 3_600))) == 0)
    #expect(try count(HistoryRequest(since: middle.date)) >= 2)
    #expect(try count(HistoryRequest(authors: ["a", "c"])) == 1)
    #expect(try count(HistoryRequest(entities: [City.self])) == 3)
    #expect(try count(HistoryRequest(entities: [Country.self])) == 1)
    #expect(try count(HistoryRequest(entities: [Route.self])) == 0)
    #expect(try count(HistoryRequest(limit: 2)) == 2)
    #expect(try count(HistoryRequest(limit: 0)) == 0)
    let countries = try container.coordinator.fetchHistory(
      HistoryRequest(entities: [Country.self]))
    #expect(countries.flatMap { $0.changes.map(\.objectID.entityName) } == ["Country"])
    #expect(throws: ContextError.unknownEntity("LedgerTag")) {
      try count(HistoryRequest(entities: [LedgerTag.self]))
    }
  }

  @Test func `asks a change for its class and for a property by its key path`() async throws {
    let container = try geography()
    let id = try container.saveCity("A")
    try await container.coordinator.keepHistory()
    try await container.root.perform { context in
      let city = try context.existingObject(City.self, with: id)
      city.population = 7
      context.country("X")
      try context.save()
    }
    let transaction = try #require(try container.transactions().first)
    let cities = Array(transaction.changes(of: City.self))
    #expect(cities.map(\.objectID) == [id])
    #expect(cities[0].updates(\City.population) && !cities[0].updates(\City.name))
    #expect(transaction.changes(of: Country.self).map(\.kind) == [.insert])
    #expect(Array(transaction.changes(of: LedgerTag.self)).isEmpty)
  }

  @Test func `has the author of a batch, or of the context that executes it`() async throws {
    let container = try geography()
    for name in ["A", "B", "C", "D"] { try container.saveCity(name) }
    try await container.coordinator.keepHistory()
    func request(_ name: String, by author: String?) -> BatchDeleteRequest {
      var request = BatchDeleteRequest(City.where { $0.name == name })
      request.transactionAuthor = author
      return request
    }
    try await container.coordinator.execute(request("A", by: nil))
    try await container.coordinator.execute(request("B", by: "cleaner"))
    let (c, d) = (request("C", by: nil), request("D", by: "cleaner"))
    try await container.root.perform { context in
      context.transactionAuthor = "root"
      context.name = "main"
      try context.execute(c)
      try context.execute(d)
    }
    let transactions = try container.transactions()
    #expect(transactions.map(\.author) == [nil, "cleaner", "root", "cleaner"])
    #expect(transactions.map(\.contextName) == [nil, nil, "main", "main"])
  }

  @Test func `refuses tokens of other stores and of later states`() async throws {
    let (container, other) = (try geography(), try geography())
    for each in [container, other] { try await each.coordinator.keepHistory() }
    try other.saveCity("A")
    let foreign = try #require(try other.transactions().first).token
    let later = HistoryToken(
      storeID: try #require(try container.coordinator.historyStatus()).newestToken.storeID,
      generation: 77)
    for token in [foreign, later] {
      #expect { try container.transactions(after: token) } throws: {
        if case StoreError.foreignHistoryToken = $0 { true } else { false }
      }
      await #expect {
        try await container.coordinator.deleteHistory(through: token)
      } throws: { if case StoreError.foreignHistoryToken = $0 { true } else { false } }
    }
    let encoded = try JSONEncoder().encode(foreign)
    let decoded = try JSONDecoder().decode(HistoryToken.self, from: encoded)
    #expect(try other.transactions(after: decoded).isEmpty)
  }

  @Test func `is kept by all who open the store, until it is stopped`() async throws {
    let folder = try TemporaryDirectory()
    let first = try geography(in: folder)
    let second = try geography(in: folder)
    try await first.coordinator.keepHistory()
    try second.saveCity("A", author: "second")
    let token = try #require(try first.transactions().last).token
    try await second.coordinator.stopHistory()
    try first.saveCity("B")
    #expect { try first.transactions() } throws: {
      if case StoreError.historyNotKept = $0 { true } else { false }
    }
    try await first.coordinator.keepHistory()
    #expect { try first.transactions(after: token) } throws: {
      if case StoreError.historyTooOld = $0 { true } else { false }
    }
    try second.saveCity("C")
    #expect(try first.transactions().count == 1)
    let third = try geography(in: folder)
    #expect(try third.transactions().count == 1)
  }

  @Test func `keeps a transaction of many changes whole`() async throws {
    let container = try geography()
    try await container.coordinator.keepHistory()
    let count = 70_000
    let ids = try await container.root.perform { context in
      var ids: Set<ObjectID> = []
      for index in 0..<count { ids.insert(context.city("\(index)").objectID) }
      try context.save()
      return ids
    }
    let transaction = try #require(try container.transactions().first)
    var found: Set<ObjectID> = []
    for change in transaction.changes where change.kind == .insert { found.insert(change.objectID) }
    #expect(found == ids)
    let status = try #require(try container.coordinator.historyStatus())
    #expect(status.byteCount < 4 * count)
  }
}
