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
    #expect(throws: StoreError.self) { try container.transactions() }
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
    #expect(throws: ContextError.self) { try count(HistoryRequest(entities: [LedgerTag.self])) }
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
      #expect(throws: StoreError.self) { try container.transactions(after: token) }
      await #expect(throws: StoreError.self) {
        try await container.coordinator.deleteHistory(through: token)
      }
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
    #expect(throws: StoreError.self) { try first.transactions() }
    try await first.coordinator.keepHistory()
    #expect(throws: StoreError.self) { try first.transactions(after: token) }
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

@Suite struct `A deleted object` {
  /// Countries leave `iso` and `population`.
  @Test(arguments: [1, 3, 400], [true, false])
  func `leaves the values that the model asks for`(count: Int, isBatch: Bool) async throws {
    let container = try geography()
    let ids = try await container.root.perform { context in
      var ids: [ObjectID] = []
      for index in 0..<count {
        let country = context.country("\(index)" + String(repeating: "é", count: index * 2))
        country.population = index
        ids.append(country.objectID)
      }
      context.city("A")
      try context.save()
      return ids
    }
    try await container.coordinator.keepHistory()
    if isBatch {
      try await container.coordinator.execute(BatchDeleteRequest(Country.all))
    } else {
      try await container.root.perform { context in
        for country in try context.fetch(Country.all) { context.delete(country) }
        try context.save()
      }
    }
    try await container.coordinator.execute(BatchDeleteRequest(City.all))
    let transactions = try container.transactions()
    let changes = transactions.flatMap { Array($0.changes) }
    #expect(changes.map(\.kind) == Array(repeating: .delete, count: count + 1))
    #expect(Array(changes.map(\.objectID).prefix(count)) == ids)
    for (index, change) in changes.prefix(count).enumerated() {
      let iso = "\(index)" + String(repeating: "é", count: index * 2)
      #expect(change.tombstone == ["iso": .string(iso), "population": .int(Int64(index))])
    }
    #expect(changes.last?.tombstone == [:])
  }

  @Test func `leaves no value that is not in the stored object`() {
    for option in [AttributeOption.transient, .external] {
      let attribute = AttributeDescription(
        "bytes", type: .data, isOptional: true, options: [option, .preserveValueOnDeletion])
      let entity = EntityDescription("A", class: City.self, properties: [.attribute(attribute)])
      #expect(throws: ModelError.unfitPreservation(entity: "A", property: "bytes")) {
        try ManagedObjectModel(entities: [entity])
      }
    }
  }
}

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

@Suite struct `The retention of a history` {
  @Test func `lets the oldest go by size, and the newest stay`() async throws {
    let container = try geography()
    try await container.coordinator.keepHistory(
      HistoryRetention(maximumAge: nil, maximumByteCount: 400))
    let start = try #require(try container.coordinator.historyStatus()).newestToken
    for index in 0..<200 { try container.saveCity("\(index)") }
    let status = try #require(try container.coordinator.historyStatus())
    #expect(status.byteCount <= 400)
    let kept = try container.transactions()
    #expect(kept.count > 1 && kept.last?.token == status.newestToken)
    #expect(try container.transactions(after: status.oldestToken).count == kept.count)
    #expect { try container.transactions(after: start) } throws: { error in
      guard case StoreError.historyTooOld(status.oldestToken) = error else { return false }
      return true
    }
    // However small it is, the last commit is there.
    try await container.coordinator.keepHistory(
      HistoryRetention(maximumAge: nil, maximumByteCount: 0))
    try container.saveCity("last")
    #expect(try container.transactions().last?.changes.map(\.kind) == [.insert])
  }

  @Test func `lets those of an age go`() async throws {
    let container = try geography()
    try await container.coordinator.keepHistory(HistoryRetention(maximumAge: .seconds(3_600)))
    for index in 0..<5 { try container.saveCity("\(index)") }
    #expect(try container.transactions().count == 5)
    try await container.coordinator.keepHistory(HistoryRetention(maximumAge: .zero))
    try container.saveCity("last")
    #expect(try container.transactions().count == 1)
  }

  @Test func `lets those go that all consumers have passed`() async throws {
    let container = try geography()
    let coordinator = container.coordinator
    try await coordinator.keepHistory(HistoryRetention(endsWhenConsumed: true))
    for index in 0..<6 { try container.saveCity("\(index)") }
    #expect(try container.transactions().count == 6)
    let (fast, slow) = (
      try await coordinator.historyConsumer(named: "fast"),
      try await coordinator.historyConsumer(named: "slow")
    )
    try await fast.advance(to: try #require(fast.transactions().last).token)
    try container.saveCity("6")
    #expect(try container.transactions().count == 7)
    try await slow.advance(to: try slow.transactions()[2].token)
    try container.saveCity("7")
    #expect(try container.transactions().count == 5)
    #expect(try slow.transactions().count == 5 && fast.transactions().count == 2)
  }

  @Test func `is passed over by a program that deletes what it has dealt with`() async throws {
    let container = try geography()
    try await container.coordinator.keepHistory()
    for index in 0..<30 { try container.saveCity("\(index)") }
    let all = try container.transactions()
    try await container.coordinator.deleteHistory(through: all[9].token)
    #expect(try container.transactions().map(\.token) == all.dropFirst(10).map(\.token))
    try await container.coordinator.deleteHistory(through: all[29].token)
    let status = try #require(try container.coordinator.historyStatus())
    #expect(try container.transactions().isEmpty && status.byteCount == 0)
  }
}

@Suite struct `A consumer of a history` {
  @Test func `goes on where it was, also after the store is opened again`() async throws {
    let folder = try TemporaryDirectory()
    let token: HistoryToken
    do {
      let container = try geography(in: folder)
      try await container.coordinator.keepHistory()
      try container.saveCity("A")
      let consumer = try await container.coordinator.historyConsumer(named: "índice")
      token = try #require(try consumer.transactions().first).token
      try await consumer.advance(to: token)
    }
    let container = try geography(in: folder)
    try container.saveCity("B")
    let consumer = try await container.coordinator.historyConsumer(named: "índice")
    #expect(try consumer.position() == token)
    #expect(try consumer.transactions().count == 1)
    try await consumer.remove()
    #expect(try consumer.position() == nil)
    #expect(throws: StoreError.self) { try consumer.transactions() }
  }

  @Test func `is the same under each spelling of its name`() async throws {
    let container = try geography()
    try await container.coordinator.keepHistory()
    try container.saveCity("A")
    let composed = try await container.coordinator.historyConsumer(named: "caf\u{E9}")
    let decomposed = try await container.coordinator.historyConsumer(named: "cafe\u{301}")
    try await decomposed.advance(to: try #require(try composed.transactions().first).token)
    #expect(try composed.transactions().isEmpty)
    #expect(try container.coordinator.historyStatus()?.consumers.count == 1)
    try await decomposed.remove()
    #expect(try composed.position() == nil)
  }

  @Test func `is told when it has fallen behind, not given a gap`() async throws {
    let container = try geography()
    let coordinator = container.coordinator
    try await coordinator.keepHistory()
    let consumer = try await coordinator.historyConsumer(named: "slow")
    for index in 0..<3 { try container.saveCity("\(index)") }
    try await coordinator.deleteHistory(through: try container.transactions()[0].token)
    #expect { try consumer.transactions() } throws: { error in
      guard case StoreError.historyTooOld = error else { return false }
      return true
    }
    try await consumer.advance(to: try #require(try coordinator.historyStatus()).newestToken)
    try container.saveCity("3")
    #expect(try consumer.transactions().count == 1)
  }

  @Test func `is told when the retention has passed it`() async throws {
    let container = try geography()
    let coordinator = container.coordinator
    try await coordinator.keepHistory(
      HistoryRetention(maximumAge: nil, maximumByteCount: 1_000))
    let consumer = try await coordinator.historyConsumer(named: "slow")
    for index in 0..<100 { try container.saveCity("\(index)") }
    #expect { try consumer.transactions() } throws: { error in
      guard case StoreError.historyTooOld = error else { return false }
      return true
    }
  }

  @Test(arguments: ["", String(repeating: "é", count: 128)])
  func `has a name of a bounded length`(name: String) async throws {
    let container = try geography()
    try await container.coordinator.keepHistory()
    await #expect(throws: StoreError.self) {
      try await container.coordinator.historyConsumer(named: name)
    }
  }
}
