// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Synchronization
import Testing

/// An entity that says itself whether it may be saved.
@Entity private final class Letter: ManagedObject {
  @Attribute(.length(1...)) var text: String
  @Attribute(.indexed) var note: String?

  override func validateForInsert() throws { try judge("insert") }
  override func validateForUpdate() throws { try judge("update") }
  override func validateForDelete() throws { try judge("delete") }

  private func judge(_ event: String) throws {
    Judge.current?.entries.withLock { $0.append("\(event) \(text)") }
    try Judge.current?.action.withLock { $0 }?(self)
  }
}

/// An entity that does not look at insertions.
@Entity private final class Postcard: ManagedObject {
  var text: String

  override func validateForUpdate() throws { throw Refusal(reason: "postcards stay") }
}

/// The questions to letters, and their answers.
private final class Judge: Sendable {
  @TaskLocal static var current: Judge?

  let entries = Mutex<[String]>([])
  let action = Mutex<(@Sendable (Letter) throws -> Void)?>(nil)

  func take() -> [String] {
    entries.withLock { entries in
      defer { entries = [] }
      return entries
    }
  }

  func answer(_ action: (@Sendable (Letter) throws -> Void)?) {
    self.action.withLock { $0 = action }
  }
}

private struct Refusal: Error, Equatable {
  let reason: String
}

private func withJudge(
  _ body: (Judge, PersistentContainer) throws -> Void
) throws {
  let judge = Judge()
  let container = try PersistentContainer(
    inMemory: ManagedObjectModel(Letter.self, Postcard.self))
  try Judge.$current.withValue(judge) { try body(judge, container) }
}

extension ManagedObjectContext {
  @discardableResult
  fileprivate func letter(_ text: String) -> Letter {
    let letter = Letter(context: self)
    letter.text = text
    return letter
  }
}

@Suite struct `A hook of validation` {
  @Test func `is called for inserted, changed and deleted objects and for no others`() throws {
    try withJudge { judge, container in
      try container.root.performAndWait { context in
        let (changed, deleted) = (context.letter("B"), context.letter("C"))
        context.letter("untouched")
        try context.save()
        _ = judge.take()
        changed.note = "x"
        context.delete(deleted)
        context.letter("A")
        context.delete(context.letter("never saved"))
        try context.save()
        let entries = judge.take()
        #expect(entries == ["update B", "delete C", "insert A"])
      }
    }
  }

  @Test func `that throws makes the save fail with all other failures, and nothing is saved`()
    throws
  {
    try withJudge { judge, container in
      judge.answer { if $0.text == "bad" { throw Refusal(reason: "bad text") } }
      try container.root.performAndWait { context in
        let (bad, empty) = (context.letter("bad"), context.letter(""))
        let good = context.letter("good")
        let failures = try #require(
          #expect(throws: ContextError.self) { try context.save() }?.failures)
        #expect(
          failures.map(\.summary) == ["Letter validateForInsert", "Letter.text .length(1...)"])
        #expect(failures.map(\.objectID) == [bad.objectID, empty.objectID])
        #expect(failures[0].error as? Refusal == Refusal(reason: "bad text"))
        #expect(bad.isInserted && good.isInserted && context.hasChanges)
        let reader = ContextQueue(parent: container.coordinator)
        let count = try reader.performAndWait { try $0.count(Letter.all) }
        #expect(count == 0)
        bad.text = "better"
        empty.text = "full"
        try context.save()
        #expect(!context.hasChanges)
      }
    }
  }

  @Test func `reads the values of a deleted object, and may refuse the deletion`() throws {
    try withJudge { judge, container in
      try container.root.performAndWait { context in
        let letter = context.letter("kept")
        try context.save()
        judge.answer { if $0.isDeleted { throw Refusal(reason: $0.text) } }
        context.delete(letter)
        let failures = try #require(
          #expect(throws: ContextError.self) { try context.save() }?.failures)
        #expect(failures.map(\.error) as? [Refusal] == [Refusal(reason: "kept")])
        #expect(failures.map(\.rule) == [.hook(.validateForDelete)])
        context.rollback()
        #expect(letter.text == "kept" && !context.hasChanges)
      }
    }
  }

  @Test func `is called after willSave's notification, once for each state of an object`() throws {
    try withJudge { judge, container in
      let observer = NotificationCenter.default.addObserver(
        forName: ManagedObjectContext.willSaveNotification, object: container.root.layer, queue: nil
      ) { _ in judge.entries.withLock { $0.append("notification") } }
      defer { NotificationCenter.default.removeObserver(observer) }
      try container.root.performAndWait { context in
        context.letter("A")
        try context.save()
      }
      #expect(judge.take() == ["notification", "insert A"])
    }
  }

  @Test func `that changes an object is a failure`() throws {
    try withJudge { judge, container in
      judge.answer { if $0.note == nil { $0.note = "seen" } }
      try container.root.performAndWait { context in
        context.letter("A")
        let refused = try context.refusals()
        #expect(refused == ["Letter unchanged by validateForInsert"])
        // It comes to rest here, but a save does not count on that.
        try context.save()
        let count = try context.count(Letter.where { $0.note == "seen" })
        #expect(count == 1)
      }
    }
  }

  @Test func `that inserts something and fetches it is a failure too`() throws {
    try withJudge { judge, container in
      judge.answer { letter in
        guard letter.text == "A", let context = letter.managedObjectContext else { return }
        context.letter("B")
        _ = try context.fetch(Letter.all)
      }
      try container.root.performAndWait { context in
        context.letter("A")
        let refused = try context.refusals()
        #expect(refused == ["Letter unchanged by validateForInsert"])
      }
    }
  }

  @Test func `may read and fetch`() throws {
    try withJudge { judge, container in
      judge.answer { letter in
        guard let context = letter.managedObjectContext else { return }
        if try context.count(Letter.where { $0.text == letter.text }) > 1 {
          throw Refusal(reason: "twice")
        }
      }
      try container.root.performAndWait { context in
        context.letter("A")
        try context.save()
        let second = context.letter("A")
        let refused = try context.refusals()
        #expect(refused == ["Letter validateForInsert"])
        second.text = "B"
        try context.save()
      }
    }
  }

  @Test func `may not save`() throws {
    try withJudge { judge, container in
      judge.answer { try $0.managedObjectContext?.save() }
      try container.root.performAndWait { context in
        context.letter("A")
        let failures = try #require(
          #expect(throws: ContextError.self) { try context.save() }?.failures)
        #expect(failures.map(\.error) as? [ContextError] == [.recursiveSave])
      }
    }
  }

  @Test func `that a class does not override is not called`() throws {
    try withJudge { _, container in
      try container.root.performAndWait { context in
        let postcard = Postcard(context: context)
        try context.save()
        postcard.text = "new"
        let refused = try context.refusals()
        #expect(refused == ["Postcard validateForUpdate"])
        context.delete(postcard)
        try context.save()
      }
      #expect(Postcard.entity.hooks == [.validateForUpdate])
    }
  }

  @Test func `stops a save that gives up the queue`() async throws {
    let container = try PersistentContainer(
      inMemory: ManagedObjectModel(Letter.self, Postcard.self))
    let judge = Judge()
    judge.answer { _ in throw Refusal(reason: "never") }
    try await Judge.$current.withValue(judge) {
      try await container.root.perform { _ = $0.letter("A") }
      await #expect { try await container.root.save() } throws: {
        if case ContextError.validationFailed = $0 { true } else { false }
      }
    }
    #expect(try await container.root.perform { $0.hasChanges })
  }
}
