// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Synchronization
import Testing

@Suite struct `A batch delete` {
  private func amounts(_ container: PersistentContainer) throws -> [Int?] {
    let reader = ContextQueue(parent: container.coordinator)
    return try reader.performAndWait { context in
      try context.fetch(LedgerEntry.all.sorted(by: \.amount)).map(\.amount)
    }
  }

  @Test func `deletes matching objects in the store, and returns their number`() throws {
    let container = try ledger(entries: 10)
    let request = BatchDeleteRequest(LedgerEntry.where { $0.amount >= 4 })
    #expect(try container.coordinator.execute(request).deletedCount == 6)
    #expect(try amounts(container) == [0, 1, 2, 3])
    let again = try container.coordinator.execute(request)
    #expect(again.deletedCount == 0 && again.objectIDs == nil)
  }

  @Test func `of everything leaves nothing`() throws {
    let container = try ledger(entries: 10)
    let all = try container.coordinator.execute(BatchDeleteRequest(LedgerEntry.all))
    #expect(all.deletedCount == 10)
    #expect(try amounts(container) == [])
    let reader = ContextQueue(parent: container.coordinator)
    let found = try reader.performAndWait { try $0.count(LedgerEntry.where { $0.amount > 0 }) }
    #expect(found == 0)
  }

  @Test func `counts order, offset and limit in`() throws {
    let container = try ledger(entries: 10)
    let request = LedgerEntry.all.sorted(by: \.amount, order: .reverse).offset(1).limit(3)
    #expect(try container.coordinator.execute(BatchDeleteRequest(request)).deletedCount == 3)
    #expect(try amounts(container) == [0, 1, 2, 3, 4, 5, 9])
  }

  @Test func `of IDs passes over those that are gone`() throws {
    let container = try ledger(entries: 4)
    let ids = try container.root.performAndWait { context in
      try context.fetchIDs(LedgerEntry.where { $0.amount < 2 })
    }
    try container.coordinator.execute(BatchDeleteRequest(objectIDs: [ids[0]]))
    var request = BatchDeleteRequest(objectIDs: ids + ids)
    request.returnsObjectIDs = true
    let result = try container.coordinator.execute(request)
    #expect(result.deletedCount == 1 && result.objectIDs == [ids[1]])
    #expect(try amounts(container) == [2, 3])
    let other = try ledger(entries: 0)
    #expect(throws: ContextError.foreignObjectID(ids[0])) {
      try other.coordinator.execute(request)
    }
  }

  @Test func `names all that is gone, cascades included`() throws {
    let container = try geography()
    let ids = try container.root.performAndWait { context in
      let country = Country(context: context)
      country.iso = "A"
      let cities = (0..<3).map { _ in City(context: context) }
      for city in cities.prefix(2) { city.country = country }
      try context.save()
      return (country.objectID, cities.map(\.objectID))
    }
    var request = BatchDeleteRequest(Country.all)
    request.returnsObjectIDs = true
    let result = try container.coordinator.execute(request)
    #expect(result.deletedCount == 3)
    #expect(Set(result.objectIDs ?? []) == [ids.0, ids.1[0], ids.1[1]])
    let rest = try container.root.performAndWait { try $0.fetchIDs(City.all) }
    #expect(rest == [ids.1[2]])
  }

  @Test func `is refused whole by a rule that denies`() throws {
    let container = try geography()
    let ids = try container.root.performAndWait { context in
      let routes = (0..<3).map { _ in Route(context: context) }
      routes[1].ferries.insert(Ferry(context: context))
      try context.save()
      return routes.map(\.objectID)
    }
    let error = try #require(throws: ContextError.self) {
      try container.coordinator.execute(BatchDeleteRequest(Route.all))
    }
    guard case .deleteDenied(let denied) = error else { throw error }
    #expect(denied.map(\.objectID) == [ids[1]] && denied.map(\.property) == ["ferries"])
    let left = try container.root.performAndWait { try $0.count(Route.all) }
    #expect(left == 3)
    // A denying object may be deleted along.
    let both = try container.root.performAndWait { try $0.fetchIDs(Ferry.all) } + ids
    let deleted = try container.coordinator.execute(BatchDeleteRequest(objectIDs: both))
    #expect(deleted.deletedCount == 4)
  }

  @Test func `is refused whole if a relationship would be empty that must not be`() throws {
    let container = try republic()
    try container.root.performAndWait { context in
      let player = context.player("A")
      context.player("B")
      Pass(context: context).owner = player
      try context.save()
    }
    let error = #expect(throws: ContextError.self) {
      try container.coordinator.execute(BatchDeleteRequest(Player.where { $0.name == "A" }))
    }
    #expect(error?.failures?.map(\.summary) == ["Pass.owner .required"])
    let others = BatchDeleteRequest(Player.where { $0.name == "B" })
    #expect(try container.coordinator.execute(others).deletedCount == 1)
  }

  @Test func `is refused whole if too few members would be left`() throws {
    let container = try republic()
    try container.root.performAndWait { context in
      context.team(playerCount: 2)
      try context.save()
    }
    let one = BatchDeleteRequest(Player.all.limit(1))
    let error = #expect(throws: ContextError.self) { try container.coordinator.execute(one) }
    #expect(error?.failures?.map(\.summary) == ["Team.players .count(2...4)"])
    #expect(error?.failures?.map(\.value) == [.int(1)])
    let left = try container.root.performAndWait { try $0.count(Player.all) }
    #expect(left == 2)
  }

  @Test func `updates derived attributes of the remaining objects`() throws {
    let container = try republic()
    try container.root.performAndWait { context in
      let (first, second) = (context.realm("A"), context.realm("B"))
      for index in 0..<6 {
        let town = context.town("t\(index)", people: 2, in: index < 4 ? first : second)
        Quarter(context: context).town = town
      }
      try context.save()
    }
    let towns = BatchDeleteRequest(Town.where { $0.name < "t3" })
    try container.coordinator.execute(towns)
    let reader = ContextQueue(parent: container.coordinator)
    try reader.performAndWait { context in
      let realms = try context.fetch(Realm.all.sorted(by: \.name))
      #expect(realms.map(\.townCount) == [1, 2] && realms.map(\.people) == [2, 4])
      let named = try context.count(Quarter.where { $0.realmName == nil })
      #expect(named == 3)
    }
    try container.coordinator.execute(BatchDeleteRequest(Realm.all))
    try reader.performAndWait { context in
      let nameless = try context.fetch(Town.all).filter { $0.realm == nil && $0.realmName == nil }
      #expect(nameless.count == 3)
      let named = try context.count(Quarter.where { $0.realmName != nil })
      #expect(named == 0)
    }
  }

  @Test func `frees the unique values of deleted objects`() throws {
    let container = try geography()
    for _ in 0..<2 {
      try container.root.performAndWait { context in
        for iso in ["A", "B"] { Country(context: context).iso = iso }
        try context.save()
      }
      #expect(try container.coordinator.execute(BatchDeleteRequest(Country.all)).deletedCount == 2)
    }
  }

  @Test func `refuses invalid requests`() throws {
    let container = try ledger(entries: 1)
    let transient = QueryError.transientProperty(entity: "LedgerEntry", property: "note")
    #expect(throws: transient) {
      try container.coordinator.execute(BatchDeleteRequest(LedgerEntry.where { $0.note == "x" }))
    }
    #expect(throws: ContextError.unknownEntity("City")) {
      try container.coordinator.execute(BatchDeleteRequest(City.all))
    }
  }

  // MARK: - Beside a task

  @Test func `reports how far it has come`() async throws {
    let container = try ledger(entries: 9_000)
    let reports = Mutex<[BatchProgress]>([])
    let request = BatchDeleteRequest(LedgerEntry.where { $0.amount > 0 })
    let result = try await container.coordinator.execute(request) { report in
      reports.withLock { $0.append(report) }
    }
    #expect(result.deletedCount == 8_999)
    let told = reports.withLock(\.self)
    #expect(told.map(\.completedCount) == [4_096, 8_192, 8_999, 8_999])
    #expect(told.allSatisfy { $0.objectCount == 8_999 })
  }

  @Test func `deletes nothing when its task is cancelled`() async throws {
    let container = try ledger(entries: 9_000)
    let request = BatchDeleteRequest(LedgerEntry.where { $0.amount > 0 })
    await #expect(throws: CancellationError.self) {
      try await executingCancellably { cancel in
        try await container.coordinator.execute(request) { _ in cancel() }
      }
    }
    #expect(try amounts(container).count == 9_000)
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await container.root.execute(request)
    }
    await #expect(throws: CancellationError.self) { try await early.value }
    #expect(try await container.root.execute(request).deletedCount == 8_999)
  }
}
