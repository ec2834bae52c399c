// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// The code of Conflicts.md, part by part.
@Suite struct `The guide to conflicts` {
  // begin entities
  @Entity final class Account: ManagedObject {
    @Attribute(.unique) var owner: String
    var balance: Int = 0
    var note: String = ""
  }

  @Entity final class Shift: ManagedObject {
    var doctor: String
    var isOnCall: Bool = true
  }
  // end

  // begin merge-rules
  @Entity final class Article: ManagedObject {
    var title: String
    @Attribute(.merges(.sum)) var readCount: Int = 0
    @Attribute(.merges(.max)) var lastRead: Date?
    @Attribute(.merges(.union)) var tags: Set<String> = []
  }
  // end

  @Entity final class Marks: ManagedObject {
    // begin custom-rule
    @Attribute(.merges(.custom { (base: Int, ours: Int, theirs: Int) in theirs | (ours & ~base) }))
    var flags: Int = 0
    // end
  }

  @Test func `merges changes of workers by rules`() async throws {
    let container = try PersistentContainer(
      inMemory: ManagedObjectModel(Article.self, Marks.self))
    let (article, marks) = try await container.root.perform { context in
      let ids = (Article(context: context).objectID, Marks(context: context).objectID)
      try context.save()
      return ids
    }
    let moment = Date(timeIntervalSinceReferenceDate: 8)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...8 {
        group.addTask {
          let worker = container.newBackgroundContext()
          try await worker.perform { context in
            let read = try context.existingObject(Article.self, with: article)
            read.readCount += number
            read.lastRead = Date(timeIntervalSinceReferenceDate: Double(number))
            read.tags.insert("\(number)")
            try context.existingObject(Marks.self, with: marks).flags |= 1 << number
            try context.save()
          }
        }
      }
      try await group.waitForAll()
    }
    try await container.root.save()
    try await ContextQueue(parent: container.coordinator).perform { context in
      let read = try context.existingObject(Article.self, with: article)
      #expect(read.readCount == 36 && read.lastRead == moment && read.tags.count == 8)
      #expect(try context.existingObject(Marks.self, with: marks).flags == 510)
    }
  }

  @Test func `finds a conflict of two savers`() async throws {
    let container = try PersistentContainer(
      inMemory: ManagedObjectModel(Account.self, Shift.self))
    let id = try await account(of: "Ada", in: container)
    // begin conflict
    // Two contexts directly on the store: each of their saves is a commit.
    let first = ContextQueue(parent: container.coordinator)
    let second = ContextQueue(parent: container.coordinator)
    try await first.perform { try $0.existingObject(Account.self, with: id).balance += 10 }
    try await second.perform { try $0.existingObject(Account.self, with: id).balance += 5 }

    try await first.save()
    do {
      try await second.save()
    } catch StoreError.conflicts(let conflicts) {
      for conflict in conflicts {
        print(conflict.entity, conflict.objectID)
        print("read", conflict.baseValues?["balance"] ?? .null)  // 0
        print("ours", conflict.ourValues?["balance"] ?? .null)  // 5
        print("theirs", conflict.theirValues?["balance"] ?? .null)  // 10
        print("both set", conflict.ourChanges.intersection(conflict.theirChanges))
      }
    }
    // end
    #expect(try await balance(id, container) == 10)
    await #expect { try await second.save() } throws: {
      if case StoreError.conflicts = $0 { true } else { false }
    }
    try await second.perform { context in
      #expect(context.hasChanges)
      // begin policy
      context.mergePolicy = .mergeByPropertyStoreTrump
      // end
    }
    try await second.save()
    #expect(try await balance(id, container) == 10)
  }

  @Test func `merges properties that one side alone has set`() async throws {
    let container = try PersistentContainer(
      inMemory: ManagedObjectModel(Account.self, Shift.self))
    let id = try await account(of: "Ada", in: container)
    // begin by-property
    let teller = ContextQueue(parent: container.coordinator)
    let clerk = ContextQueue(parent: container.coordinator)
    try await clerk.perform { context in
      context.mergePolicy = .mergeByPropertyObjectTrump
      try context.existingObject(Account.self, with: id).note = "moved to Rey"
    }
    try await teller.perform { try $0.existingObject(Account.self, with: id).balance = 40 }
    try await teller.save()
    try await clerk.save()  // the balance is 40, and the note is the clerk's
    // end
    #expect(try await balance(id, container) == 40)
    let note = try await container.root.perform { context in
      try context.existingObject(Account.self, with: id).note
    }
    #expect(note == "moved to Rey")
  }

  // begin repeating
  /// Does a piece of work and saves it; does it again, from the newest values, if another save
  /// was first.
  @discardableResult
  func commit<T: Sendable>(
    to coordinator: PersistentStoreCoordinator, attempts: Int = 10,
    _ work: @Sendable (ManagedObjectContext) throws -> T
  ) async throws -> T {
    var attempt = 1
    while true {
      let queue = ContextQueue(parent: coordinator)
      let result = try await queue.perform { context in try work(context) }
      do {
        try await queue.save()
        return result
      } catch StoreError.conflicts where attempt < attempts {
        attempt += 1
      } catch StoreError.danglingLinks where attempt < attempts {
        attempt += 1
      }
    }
  }
  // end

  @Test func `repeats an edit that depends on the value it reads`() async throws {
    let container = try PersistentContainer(
      inMemory: ManagedObjectModel(Account.self, Shift.self))
    let id = try await account(of: "Ada", in: container)
    let coordinator = container.coordinator
    let counts = [1, 2, 3, 4]
    try await withThrowingTaskGroup(of: Int.self) { group in
      for count in counts {
        group.addTask {
          // begin counting
          try await commit(to: coordinator, attempts: 1_000) { context in
            let account = try context.existingObject(Account.self, with: id)
            account.balance += count
            return account.balance
          }
          // end
        }
      }
      try await group.waitForAll()
    }
    #expect(try await balance(id, container) == 10)
  }

  @Test func `adds two counts together by a policy of the program`() async throws {
    let container = try PersistentContainer(
      inMemory: ManagedObjectModel(Account.self, Shift.self))
    let id = try await account(of: "Ada", in: container)
    // begin custom
    let adding = MergePolicy.custom("balances add up") { conflict in
      guard case .int(let base)? = conflict.baseValues?["balance"],
        case .int(let ours)? = conflict.ourValues?["balance"],
        case .int(let theirs)? = conflict.theirValues?["balance"]
      else { return .apply(.mergeByPropertyStoreTrump) }
      return .values(["balance": .int(ours + theirs - base)])
    }
    // end
    let first = ContextQueue(parent: container.coordinator)
    let second = ContextQueue(parent: container.coordinator)
    try await first.perform { try $0.existingObject(Account.self, with: id).balance += 10 }
    try await second.perform { context in
      context.mergePolicy = adding
      try context.existingObject(Account.self, with: id).balance += 5
    }
    try await first.save()
    try await second.save()
    #expect(try await balance(id, container) == 15)
  }

  @Test func `has an object checked that a save only reads`() async throws {
    let container = try PersistentContainer(
      inMemory: ManagedObjectModel(Account.self, Shift.self))
    let ids = try await container.root.perform { context in
      let ids = ["Ada", "Grace"].map { name in
        let shift = Shift(context: context)
        shift.doctor = name
        return shift.objectID
      }
      try context.save()
      return ids
    }
    // begin write-skew
    /// Takes a doctor off call, if another one stays.
    @Sendable func leave(_ id: ObjectID, in context: ManagedObjectContext) throws {
      let onCall = try context.fetch(Shift.where { $0.isOnCall == true })
      guard onCall.count > 1 else { return }
      for shift in onCall where shift.objectID != id { try context.detectConflicts(for: shift) }
      try context.existingObject(Shift.self, with: id).isOnCall = false
    }
    // end
    let (first, second) = (
      ContextQueue(parent: container.coordinator), ContextQueue(parent: container.coordinator)
    )
    try await first.perform { try leave(ids[0], in: $0) }
    try await second.perform { try leave(ids[1], in: $0) }
    try await first.save()
    await #expect { try await second.save() } throws: {
      if case StoreError.conflicts = $0 { true } else { false }
    }
    let left = try await container.root.perform { context in
      try context.count(Shift.where { $0.isOnCall == true })
    }
    #expect(left == 1)
  }

  @Test func `lets a new object give way to a stored one`() async throws {
    let container = try PersistentContainer(
      inMemory: ManagedObjectModel(Account.self, Shift.self))
    let id = try await account(of: "Ada", in: container)
    // begin unique
    let importer = ContextQueue(parent: container.coordinator)
    try await importer.perform { context in
      context.mergePolicy = .mergeByPropertyObjectTrump
      let account = Account(context: context)
      (account.owner, account.balance) = ("Ada", 7)
    }
    try await importer.save()  // the stored account keeps its ID and gets the balance 7
    // end
    #expect(try await balance(id, container) == 7)
    let count = try await container.root.perform { try $0.count(Account.all) }
    #expect(count == 1)
  }

  @Test @MainActor func `merges the saves of others into loaded objects`() async throws {
    let container = try PersistentContainer(
      inMemory: ManagedObjectModel(Account.self, Shift.self))
    let id = try await account(of: "Ada", in: container)
    // begin merging
    let view = container.viewContext
    view.automaticallyMergesChangesFromParent = true
    let shown = try view.existingObject(Account.self, with: id)
    shown.note = "being edited"

    let worker = container.newBackgroundContext()
    try await worker.perform { context in
      try context.existingObject(Account.self, with: id).balance = 99
      try context.save()
    }
    view.processPendingChanges()
    // shown.balance is 99, and shown.note is still "being edited".
    // end
    #expect((shown.balance, shown.note) == (99, "being edited"))
    view.rollback()
  }

  private func account(of owner: String, in container: PersistentContainer) async throws -> ObjectID
  {
    try await container.root.perform { context in
      let account = Account(context: context)
      account.owner = owner
      try context.save()
      return account.objectID
    }
  }

  private func balance(_ id: ObjectID, _ container: PersistentContainer) async throws -> Int {
    try await container.root.perform { context in
      let account = try context.existingObject(Account.self, with: id)
      context.refresh(account, mergeChanges: false)
      return account.balance
    }
  }

}
