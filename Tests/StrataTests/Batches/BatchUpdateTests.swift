// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Synchronization
import Testing

@Suite struct `A batch update` {
  private func amounts(_ container: PersistentContainer) throws -> [Int?] {
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      try context.fetch(LedgerEntry.all.sorted(by: \.label)).map(\.amount)
    }
  }

  @Test func `sets values and calculates others, all from the state before`() throws {
    let container = try ledger(entries: 4)
    var request = BatchUpdateRequest(LedgerEntry.where { $0.amount > 0 })
      .setting(\.amount) { $0.amount * 10 + 1 }
      .setting(\.weight, to: 2.5)
      .setting(\.kind, to: .fee)
    request.returnsObjectIDs = true
    let result = try container.coordinator.execute(request)
    #expect(result.updatedCount == 3 && result.objectIDs?.count == 3)
    #expect(try amounts(container) == [0, 11, 21, 31])
    let found = try container.root.performAndWait {
      try $0.count(LedgerEntry.where { $0.kind == .fee })
    }
    #expect(found == 3)
    // Nothing is left to change.
    let again = BatchUpdateRequest(LedgerEntry.all).setting(\.amount) { $0.amount + 0 }
    #expect(try container.coordinator.execute(again).updatedCount == 0)
  }

  @Test func `exchanges the values of two properties`() throws {
    let container = try republic()
    try container.root.performAndWait { context in
      let nation = context.nation("a", name: "b")
      nation.population = 1
      try context.save()
    }
    let request = BatchUpdateRequest(Nation.all).setting(\.iso) { $0.name }
      .setting(\.name) { $0.iso }
    try container.coordinator.execute(request)
    let nation = try container.root.performAndWait { context in
      try context.fetch(Nation.all).map { [$0.iso, $0.name] }
    }
    #expect(nation == [["b", "a"]])
  }

  @Test func `shifts unique values through all parts`() throws {
    let container = try republic()
    let count = 20_000
    try container.coordinator.execute(BatchInsertRequest(Athlete.self), rows: 0..<count) {
      $0.number = $1
      $0.club = "club"
    }
    let shift = BatchUpdateRequest(Athlete.all).setting(\.number) { $0.number + 1 }
    #expect(try container.coordinator.execute(shift).updatedCount == count)
    let error = try #require(throws: StoreError.self) {
      try container.coordinator.execute(BatchUpdateRequest(Athlete.all).setting(\.number, to: 5))
    }
    guard case .uniquenessViolations(let violations) = error else { throw error }
    // As many as an error names.
    #expect(violations.count == 100 && Set(violations.map(\.objectID)).count == 100)
    let numbers = try container.root.performAndWait { context in
      try context.fetch(Athlete.all.sorted(by: \.number)).map(\.number)
    }
    #expect(numbers == Array(1...count))
  }

  @Test func `names all objects that it would give one unique value`() throws {
    let container = try republic()
    try container.coordinator.execute(BatchInsertRequest(Athlete.self), rows: 0..<5) {
      $0.number = $1
      $0.club = "club"
    }
    let request = BatchUpdateRequest(Athlete.where { $0.number < 3 }).setting(\.number, to: 4)
    let error = try #require(throws: StoreError.self) {
      try container.coordinator.execute(request)
    }
    guard case .uniquenessViolations(let violations) = error else { throw error }
    let chosen = try container.root.performAndWait { context in
      try context.fetchIDs(Athlete.where { $0.number < 3 })
    }
    #expect(chosen.count == 3 && Set(violations.map(\.objectID)) == Set(chosen))
  }

  @Test func `takes names and values as format strings`() throws {
    let container = try ledger(entries: 3)
    let request = try BatchUpdateRequest(LedgerEntry.all)
      .setting("amount", format: "amount * 2 + %@", 1).setting("label", format: "%@", "same")
    try container.coordinator.execute(request)
    #expect(try amounts(container) == [1, 3, 5])
  }

  @Test func `refuses a property that it cannot set, and a value that does not fit`() throws {
    let container = try ledger(entries: 3)
    func error(_ property: String, _ value: String) -> QueryError? {
      #expect(throws: QueryError.self) {
        try container.coordinator.execute(
          BatchUpdateRequest(LedgerEntry.all).setting(property, format: value))
      }
    }
    #expect(error("colour", "1") == .unknownProperty(entity: "LedgerEntry", keyPath: "colour"))
    #expect(error("note", "'x'") == .unassignableProperty(entity: "LedgerEntry", property: "note"))
    #expect(error("label", "3") == .unfitAssignment(entity: "LedgerEntry", property: "label"))
    #expect(
      error("small", "amount * 70000") == .unfitAssignment(entity: "LedgerEntry", property: "small")
    )
    // A division by zero has no value, and the weight is not optional.
    #expect(
      error("weight", "weight / 0") == .unfitAssignment(entity: "LedgerEntry", property: "weight"))
    #expect(try amounts(container) == [0, 1, 2])
  }

  @Test func `moves objects to another target, and updates what is derived`() throws {
    let container = try republic()
    let (from, to) = try container.root.performAndWait { context in
      let (from, to) = (context.realm("A"), context.realm("B"))
      for index in 0..<5 { context.town("t\(index)", people: 2, in: from) }
      try context.save()
      return (from.objectID, to.objectID)
    }
    let request = BatchUpdateRequest(Town.where { $0.name < "t3" }).setting(\.realm, to: to)
    #expect(try container.coordinator.execute(request).updatedCount == 3)
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      let realms = try [from, to].map { try context.existingObject(Realm.self, with: $0) }
      #expect(realms.map(\.townCount) == [2, 3] && realms.map(\.people) == [4, 6])
      #expect(try context.count(Town.where { $0.realmName == "B" }) == 3)
    }
  }

  @Test func `in several transactions examines each object once, and resumes`() throws {
    let container = try ledger(entries: 10)
    let request = BatchUpdateRequest(LedgerEntry.where { $0.amount < 100 })
      .setting(\.amount) { $0.amount + 1 }.committing(every: 3)
    let result = try container.coordinator.execute(request)
    #expect(result.updatedCount == 10 && result.token.completedCount == 10)
    #expect(try amounts(container) == Array(1...10))
    let failing = try BatchUpdateRequest(LedgerEntry.all)
      .setting("small", format: "amount * 5000").committing(every: 3)
    let error = #expect(throws: BatchInterruption.self) {
      try container.coordinator.execute(failing)
    }
    let token = try #require(error?.token)
    #expect(token.completedCount == 6 && error?.underlyingError is QueryError)
    let rest = BatchUpdateRequest(LedgerEntry.all).setting(\.amount, to: 0)
      .committing(every: 3).resuming(after: token)
    #expect(try container.coordinator.execute(rest).updatedCount == 4)
    #expect(try amounts(container) == [1, 2, 3, 4, 5, 6, 0, 0, 0, 0])
    let limited = BatchUpdateRequest(LedgerEntry.all.limit(8)).setting(\.amount, to: 0)
    #expect(
      throws: QueryError.unsupportedExpression("resuming a request with a limit or an offset")
    ) {
      try container.coordinator.execute(limited.resuming(after: token))
    }
  }

  @Test func `tells a program whose context executes it how far it is`() throws {
    let container = try ledger(entries: 3)
    let told = Mutex<[Int]>([])
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      let entries = try context.fetch(LedgerEntry.all)
      let request = BatchUpdateRequest(LedgerEntry.all).setting(\.amount, to: 9)
        .committing(every: 2)
      let result = try context.execute(request) { progress in
        told.withLock { $0.append(progress.completedCount) }
      }
      #expect(result.updatedCount == 3 && entries.map(\.amount) == [9, 9, 9])
    }
    #expect(told.withLock { $0 } == [2, 2, 3, 3])
  }

  @Test func `changes nothing when its task is cancelled`() async throws {
    let container = try ledger(entries: 9_000)
    let request = BatchUpdateRequest(LedgerEntry.all).setting(\.amount, to: -1)
    await #expect(throws: CancellationError.self) {
      try await executingCancellably { cancel in
        try await container.coordinator.execute(request) { _ in cancel() }
      }
    }
    let changed = try await container.root.perform { context in
      try context.count(LedgerEntry.where { $0.amount == -1 })
    }
    #expect(changed == 0)
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await container.root.execute(request)
    }
    await #expect(throws: CancellationError.self) { try await early.value }
    #expect(try await container.root.execute(request).updatedCount == 9_000)
  }

  @Test func `in several transactions keeps those before its task was cancelled`() async throws {
    let container = try ledger(entries: 9_000)
    let request = BatchUpdateRequest(LedgerEntry.all).setting(\.amount, to: -1)
      .committing(every: 2_000)
    let error = await #expect(throws: BatchInterruption.self) {
      try await executingCancellably { cancel in
        try await container.coordinator.execute(request) { _ in cancel() }
      }
    }
    let interruption = try #require(error)
    #expect(interruption.underlyingError is CancellationError)
    let count = interruption.token.completedCount
    #expect(count < 9_000 && count.isMultiple(of: 2_000))
    let changed = try await container.root.perform { context in
      try context.count(LedgerEntry.where { $0.amount == -1 })
    }
    #expect(changed == count)
    let rest = try await container.root.execute(request.resuming(after: interruption.token))
    #expect(rest.updatedCount == 9_000 - count)
  }

  @Test func `is a conflict for a context that has changed the same property`() throws {
    let container = try ledger(entries: 2)
    let editor = ContextQueue(parent: container.coordinator)
    try editor.performAndWait { context in
      for entry in try context.fetch(LedgerEntry.all) { entry.amount = 7 }
    }
    try container.coordinator.execute(
      BatchUpdateRequest(LedgerEntry.where { $0.amount == 1 }).setting(\.amount, to: 3))
    let error = try #require(throws: StoreError.self) {
      try editor.performAndWait { try $0.save() }
    }
    guard case .conflicts(let conflicts) = error else { throw error }
    #expect(conflicts.count == 1)
  }

  @Test func `is merged beneath the unsaved changes of the context that executes it`() throws {
    let container = try ledger(entries: 2)
    let context = ManagedObjectContext(parent: container.coordinator)
    let entries = try context.fetch(LedgerEntry.all.sorted(by: \.label))
    entries[0].amount = 7
    try context.execute(BatchUpdateRequest(LedgerEntry.all).setting(\.amount, to: 3))
    #expect(entries.map(\.amount) == [7, 3])
    try context.save()
    #expect(try amounts(container) == [7, 3])
  }

  @Test func `is seen by the context that executes it, and by lists`() async throws {
    let container = try ledger(entries: 3)
    let queue = ContextQueue(parent: container.coordinator)
    try await queue.perform { context in
      let entries = try context.fetch(LedgerEntry.all.sorted(by: \.label))
      #expect(entries.map(\.amount) == [0, 1, 2])
      let request = BatchUpdateRequest(LedgerEntry.all).setting(\.amount) { $0.amount + 5 }
      try context.execute(request)
      #expect(entries.map(\.amount) == [5, 6, 7])
    }
    let again = BatchUpdateRequest(LedgerEntry.all).setting(\.amount, to: 1)
    #expect(try await queue.execute(again).updatedCount == 3)
    let amounts = try await queue.perform { try $0.fetch(LedgerEntry.all).map(\.amount) }
    #expect(amounts == [1, 1, 1])
  }
}
