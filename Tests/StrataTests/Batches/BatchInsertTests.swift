// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Synchronization
import Testing

private struct Stop: Error, Equatable {}

@Suite struct `A batch insert` {
  private func read<T: Sendable>(
    _ container: PersistentContainer, _ body: @Sendable (ManagedObjectContext) throws -> sending T
  ) throws -> T {
    try ContextQueue(parent: container.coordinator).performAndWait(body)
  }

  private func underlying(_ body: () throws -> Void) throws -> (row: Int, error: any Error) {
    let error = #expect(throws: BatchRowError.self) { try body() }
    let found = try #require(error)
    return (found.row, found.underlyingError)
  }

  // MARK: - Rows

  @Test func `makes an object of each row, with defaults for what is not set`() throws {
    let container = try ledger()
    var request = BatchInsertRequest(LedgerEntry.self)
    request.returnsObjectIDs = true
    let result = try container.coordinator.execute(request, rows: 0..<3) { entry, number in
      entry.label = "e\(number)"
      entry.amount = number * 10
      if number == 1 { entry.kind = .refund }
    }
    #expect(result.insertedCount == 3 && result.matchedCount == 0)
    let ids = try #require(result.objectIDs)
    try read(container) { context in
      let entries = try ids.map { try context.existingObject(LedgerEntry.self, with: $0) }
      #expect(entries.map(\.label) == ["e0", "e1", "e2"])
      #expect(entries.map(\.amount) == [0, 10, 20])
      #expect(entries.map(\.kind) == [nil, .refund, nil])
      #expect(entries.map(\.price) == [0, 0, 0])
      let found = try context.fetch(LedgerEntry.where { $0.amount > 5 }.sorted(by: \.label))
      #expect(found.map(\.label) == ["e1", "e2"])
    }
  }

  @Test func `reads values that its row has set`() throws {
    let container = try ledger()
    try container.coordinator.execute(BatchInsertRequest(LedgerEntry.self), rows: [1]) { entry, _ in
      #expect(entry.amount == nil && entry.price == 0 && entry.account == nil)
      entry.amount = 4
      entry.amount? += 1
      #expect(entry.amount == 5)
    }
    #expect(try read(container) { try $0.fetch(LedgerEntry.all).map(\.amount) } == [5])
  }

  @Test func `takes dictionaries of names and values`() throws {
    let container = try geography()
    let france = try container.root.performAndWait { context in
      let country = context.country("FR")
      try context.save()
      return country.objectID
    }
    try container.coordinator.execute(
      BatchInsertRequest(City.self),
      dictionaries: [
        ["name": "Paris", "population": 2_100_000, "country": france], ["name": "Atlantis"],
      ])
    try read(container) { context in
      let cities = try context.fetch(City.all.sorted(by: \.name))
      #expect(cities.map(\.name) == ["Atlantis", "Paris"])
      #expect(cities.map { $0.country?.iso } == [nil, "FR"])
      let paris = try context.fetch(City.where { $0.country.iso == "FR" })
      #expect(paris.map(\.population) == [2_100_000])
    }
  }

  @Test func `sets relationships of every kind by ID`() throws {
    let container = try geography()
    let (country, album, track) = try container.root.performAndWait { context in
      let country = context.country("IR")
      country.government = Government(context: context)
      let album = Album(context: context)
      let track = Track(context: context)
      track.name = "first"
      track.album = album
      try context.save()
      return (country.objectID, album.objectID, track.objectID)
    }
    let coordinator = container.coordinator
    try coordinator.execute(BatchInsertRequest(Government.self), rows: [1]) { government, _ in
      government.form = "republic"
      government.country = country
    }
    try coordinator.execute(BatchInsertRequest(Track.self), rows: ["second", "third"]) {
      $0.name = $1
      $0.album = album
    }
    try coordinator.execute(BatchInsertRequest(Country.self), rows: ["TR"]) { row, iso in
      row.iso = iso
      row.insert([country], into: \.neighbours)
    }
    try read(container) { context in
      let iran = try context.existingObject(Country.self, with: country)
      #expect(iran.government?.form == "republic")
      #expect(try context.count(Government.where { $0.country == nil }) == 1)
      #expect(iran.neighbours.map(\.iso) == ["TR"])
      let tracks = try context.existingObject(Album.self, with: album).tracks
      #expect(tracks.map(\.name) == ["first", "second", "third"])
      #expect(tracks.first?.objectID == track)
    }
  }

  // MARK: - Refusals

  @Test func `names the row whose code throws, and inserts nothing`() throws {
    let container = try ledger()
    let (row, error) = try underlying {
      try container.coordinator.execute(BatchInsertRequest(LedgerEntry.self), rows: 0..<20_000) {
        if $1 == 17_000 { throw Stop() }
        $0.amount = $1
      }
    }
    #expect(row == 17_000 && error is Stop)
    #expect(try read(container) { try $0.count(LedgerEntry.all) } == 0)
  }

  @Test func `names the row with a property or a value that does not fit`() throws {
    let container = try geography()
    let other = try geography().root.performAndWait { context in
      let country = context.country("XX")
      try context.save()
      return country.objectID
    }
    let city = try container.root.performAndWait { context in
      let city = context.city("Rey")
      try context.save()
      return city.objectID
    }
    func error(_ values: [String: Any?]) throws -> any Error {
      let rows = [["name": "a"], values]
      let (row, error) = try underlying {
        try container.coordinator.execute(BatchInsertRequest(City.self), dictionaries: rows)
      }
      #expect(row == 1)
      return error
    }
    let unknown = try error(["mayor of a stranger": "x"])
    #expect(unknown as? QueryError == .unknownKey(entity: "City", key: "mayor of a stranger"))
    #expect(!"\(unknown)\(unknown.localizedDescription)".contains("mayor"))
    #expect(
      try error(["population": "many"]) as? QueryError
        == .unfitAssignment(entity: "City", property: "population"))
    #expect(
      try error(["name": nil]) as? QueryError
        == .unfitAssignment(entity: "City", property: "name"))
    #expect(
      try error(["note": "x"]) as? QueryError
        == .unassignableProperty(entity: "City", property: "note"))
    #expect(
      try error(["country": city]) as? QueryError
        == .unfitAssignment(entity: "City", property: "country"))
    #expect(try error(["country": other]) as? ContextError == .foreignObjectID(other))
  }

  @Test func `names the row that breaks a rule`() throws {
    let container = try republic()
    let team = try container.root.performAndWait { context in
      let team = context.team(playerCount: 2)
      try context.save()
      return team.objectID
    }
    let (row, error) = try underlying {
      try container.coordinator.execute(BatchInsertRequest(Pass.self), rows: 0..<3) {
        pass, number in
        pass.number = number
      }
    }
    #expect(row == 0)
    #expect((error as? ContextError)?.failures?.map(\.summary).first == "Pass.owner .required")
    // Members are counted at the end: it is no single row's fault.
    let counted = #expect(throws: ContextError.self) {
      try container.coordinator.execute(BatchInsertRequest(Player.self), rows: 0..<3) {
        player, number in
        player.name = "p\(number)"
        player.team = team
      }
    }
    #expect(counted?.failures?.map(\.summary) == ["Team.players .count(2...4)"])
  }

  @Test func `is checked as a whole where rules look at many objects`() throws {
    let container = try republic()
    let realm = try container.root.performAndWait { context in
      let realm = context.realm("A")
      try context.save()
      return realm.objectID
    }
    // Between the parts the sum of people is beyond 1,000, and at the end it is not.
    func insert(_ count: Int, peopleOfLast: Int32) throws {
      try container.coordinator.execute(BatchInsertRequest(Town.self), rows: 0..<count) {
        town, number in
        town.name = "t\(number)"
        town.people = number < 2_000 ? 1 : number == count - 1 ? peopleOfLast : 0
        town.realm = realm
      }
    }
    #expect(throws: (any Error).self) { try insert(10_000, peopleOfLast: -999) }
    try insert(10_000, peopleOfLast: -1_000)
    let people = try read(container) { try $0.existingObject(Realm.self, with: realm).people }
    #expect(people == 1_000)
  }

  @Test func `names the row with a value that another has, in any part`() throws {
    let container = try republic()
    try container.root.performAndWait { context in
      context.nation("n9000")
      try context.save()
    }
    for (rows, expected) in [
      ((0..<20_000).map { "n\($0)" }, 9_000), (["a", "b", "a"], 2),
      ((0..<10_000).map { "m\($0)" } + ["m3"], 10_000),
    ] {
      let (row, error) = try underlying {
        try container.coordinator.execute(BatchInsertRequest(Nation.self), rows: rows) {
          $0.iso = $1
        }
      }
      #expect(row == expected)
      guard case StoreError.uniquenessViolations(let violations) = error else { throw error }
      #expect(Set(violations.map(\.properties)) == [["iso"]])
    }
    #expect(try read(container) { try $0.count(Nation.all) } == 1)
  }

  @Test func `names the row whose target does not exist`() throws {
    let container = try geography()
    let gone = try container.root.performAndWait { context in
      let country = context.country("SU")
      try context.save()
      let id = country.objectID
      context.delete(country)
      try context.save()
      return id
    }
    let (row, error) = try underlying {
      try container.coordinator.execute(BatchInsertRequest(City.self), rows: 0..<5) {
        if $1 == 3 { $0.country = gone }
      }
    }
    #expect(row == 3)
    guard case StoreError.danglingLinks = error else { throw error }
  }

  @Test func `of an abstract entity is refused`() throws {
    let container = try republic()
    #expect(throws: ContextError.unknownEntity("Member")) {
      try container.coordinator.execute(BatchInsertRequest(Member.self), rows: [1]) { _, _ in }
    }
  }

  // MARK: - Upserting

  @Test func `that upserts changes what the row sets and keeps the rest`() throws {
    let container = try republic()
    try container.root.performAndWait { context in
      context.nation("IR", name: "Iran", population: 5)
      context.nation("FR", name: "France", population: 7)
      try context.save()
    }
    var request = BatchInsertRequest(Nation.self).upserting(on: \.iso)
    request.returnsObjectIDs = true
    let rows = [("FR", 0), ("DE", 8), ("DE", 9), (nil, 1), (nil, 2)]
    let result = try container.coordinator.execute(request, rows: rows) {
      $0.iso = $1.0
      $0.population = $1.1
    }
    #expect(result.insertedCount == 3 && result.matchedCount == 2)
    let ids = try #require(result.objectIDs)
    #expect(ids.count == 5 && ids[1] == ids[2] && ids[3] != ids[4])
    try read(container) { context in
      let nations = try context.fetch(Nation.all.sorted(by: \.population))
      #expect(nations.map(\.population) == [0, 1, 2, 5, 9])
      #expect(nations.map(\.name) == ["France", nil, nil, "Iran", nil])
    }
  }

  @Test func `that upserts finds objects by properties that are unique together`() throws {
    let container = try republic()
    let nation = try container.root.performAndWait { context in
      let nation = context.nation("IR")
      context.seat(1, of: nation, holder: "old")
      context.seat(2, of: nation, holder: "kept")
      try context.save()
      return nation.objectID
    }
    let request = BatchInsertRequest(Seat.self).upserting(on: \.number, \.nation)
    let result = try container.coordinator.execute(request, rows: [1, 3]) {
      $0.nation = nation
      $0.number = $1
      $0.holder = "new"
    }
    #expect(result.insertedCount == 1 && result.matchedCount == 1)
    let holders = try read(container) { try $0.fetch(Seat.all.sorted(by: \.number)).map(\.holder) }
    #expect(holders == ["new", "kept", "new"])
  }

  @Test func `that upserts needs a constraint`() throws {
    let container = try geography()
    #expect(throws: ContextError.noUniquenessConstraint(entity: "City", properties: ["name"])) {
      try container.coordinator.execute(
        BatchInsertRequest(City.self).upserting(on: \.name), rows: [1]
      ) { _, _ in }
    }
  }

  // MARK: - Several transactions

  @Test func `commits several transactions, and resumes after the one that failed`() throws {
    let container = try ledger()
    let request = BatchInsertRequest(LedgerEntry.self).committing(every: 4)
    let error = #expect(throws: BatchInterruption.self) {
      try container.coordinator.execute(request, rows: 0..<11) {
        if $1 == 9 { throw Stop() }
        $0.amount = $1
      }
    }
    let token = try #require(error?.token)
    #expect(token.completedCount == 8)
    #expect((error?.underlyingError as? BatchRowError)?.row == 9)
    #expect(try read(container) { try $0.count(LedgerEntry.all) } == 8)
    let stored = try JSONDecoder().decode(BatchToken.self, from: JSONEncoder().encode(token))
    let result = try container.coordinator.execute(request.resuming(after: stored), rows: 0..<11) {
      $0.amount = $1
    }
    #expect(result.insertedCount == 3 && result.token.completedCount == 11)
    let amounts = try read(container) {
      try $0.fetch(LedgerEntry.all.sorted(by: \.amount)).map(\.amount)
    }
    #expect(amounts == Array(0..<11))
  }

  @Test func `lets others save between its transactions, and tells how far it is`() async throws {
    let container = try ledger()
    let told = Mutex<[BatchProgress]>([])
    let request = BatchInsertRequest(LedgerEntry.self).committing(every: 100)
    try await container.coordinator.execute(
      request, rows: 0..<250, progress: { progress in told.withLock { $0.append(progress) } },
      fill: { $0.amount = $1 })
    #expect(told.withLock { $0.map(\.completedCount) } == [100, 100, 200, 200, 250, 250])
    #expect(told.withLock { $0.map { $0.token?.completedCount } } == [0, 100, 100, 200, 200, 250])
  }

  @Test func `takes an asynchronous sequence, also in several transactions`() async throws {
    let container = try ledger()
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    for number in 0..<10 { continuation.yield(number) }
    continuation.finish()
    var request = BatchInsertRequest(LedgerEntry.self).committing(every: 4)
    request.returnsObjectIDs = true
    let result = try await container.coordinator.execute(request, rows: stream) { $0.amount = $1 }
    #expect(result.insertedCount == 10 && result.objectIDs?.count == 10)
    #expect(result.token.completedCount == 10)
    let (failing, source) = AsyncThrowingStream.makeStream(of: Int.self)
    for number in 10..<15 { source.yield(number) }
    source.finish(throwing: Stop())
    let error = await #expect(throws: BatchInterruption.self) {
      try await container.coordinator.execute(request, rows: failing) { $0.amount = $1 }
    }
    #expect(error?.token.completedCount == 4 && error?.underlyingError is Stop)
    #expect(try read(container) { try $0.count(LedgerEntry.all) } == 14)
  }

  @Test func `that is cancelled inserts nothing`() async throws {
    let container = try ledger()
    await #expect(throws: CancellationError.self) {
      try await executingCancellably { cancel in
        try await container.coordinator.execute(
          BatchInsertRequest(LedgerEntry.self), rows: 0..<50_000, progress: { _ in cancel() },
          fill: { $0.amount = $1 })
      }
    }
    #expect(try read(container) { try $0.count(LedgerEntry.all) } == 0)
  }

  // MARK: - Contexts and history

  @Test func `is merged by contexts, and by the one that executes it`() async throws {
    let container = try ledger(entries: 1)
    let watcher = ContextQueue(parent: container.coordinator)
    let list = try await watcher.perform { context in
      context.automaticallyMergesChangesFromParent = true
      return try context.count(LedgerEntry.all)
    }
    #expect(list == 1)
    let worker = ContextQueue(parent: container.coordinator)
    try await worker.execute(BatchInsertRequest(LedgerEntry.self), rows: 1..<4) { $0.amount = $1 }
    #expect(try await watcher.perform { try $0.count(LedgerEntry.all) } == 4)
    try await worker.perform { context in
      try context.execute(BatchInsertRequest(LedgerEntry.self), rows: 4..<6) { $0.amount = $1 }
      #expect(try context.count(LedgerEntry.all) == 6)
      try context.execute(BatchUpdateRequest(LedgerEntry.all.limit(1)).setting(\.label, to: "x"))
      #expect(try context.count(LedgerEntry.where { $0.label == "x" }) == 1)
    }
  }

  @Test func `tells a program whose context executes it how far it is`() throws {
    let container = try ledger()
    let told = Mutex<[Int]>([])
    try read(container) { context in
      try context.execute(
        BatchInsertRequest(LedgerEntry.self).committing(every: 2), rows: 0..<3,
        progress: { progress in told.withLock { $0.append(progress.completedCount) } },
        fill: { $0.amount = $1 })
      #expect(try context.count(LedgerEntry.all) == 3)
    }
    #expect(told.withLock { $0 } == [2, 2, 3, 3])
  }

  @Test func `takes dictionaries from a context, which merges the objects`() throws {
    let container = try ledger(entries: 1)
    let told = Mutex<[Int]>([])
    try read(container) { context in
      #expect(try context.count(LedgerEntry.all) == 1)
      let result = try context.execute(
        BatchInsertRequest(LedgerEntry.self), dictionaries: [["label": "x", "amount": 7]],
        progress: { progress in told.withLock { $0.append(progress.completedCount) } })
      #expect(result.insertedCount == 1)
      let found = try context.fetch(LedgerEntry.where { $0.label == "x" })
      #expect(found.map(\.amount) == [7])
      #expect(throws: BatchRowError.self) {
        try context.execute(
          BatchInsertRequest(LedgerEntry.self), dictionaries: [["colour": "red"]])
      }
      #expect(try context.count(LedgerEntry.all) == 2)
    }
    #expect(told.withLock { $0 } == [1, 1])
  }

  @Test func `is one transaction of the history`() async throws {
    let container = try republic()
    try await container.coordinator.keepHistory()
    try await container.root.perform { context in
      context.nation("FR")
      try context.save()
    }
    var request = BatchInsertRequest(Nation.self).upserting(on: \.iso)
    request.transactionAuthor = "import"
    try await container.coordinator.execute(request, rows: ["FR", "DE"]) {
      $0.iso = $1
      $0.population = 3
    }
    let last = try #require(try container.coordinator.fetchHistory(HistoryRequest()).last)
    #expect(last.author == "import")
    let changes = Array(last.changes(of: Nation.self))
    #expect(changes.count == 2)
    #expect(changes.contains { $0.kind == .insert })
    #expect(changes.contains { $0.kind == .update && $0.updates(\Nation.population) })
  }
}
