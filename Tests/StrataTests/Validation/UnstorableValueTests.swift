// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

private struct Refusal: Error {}

/// A mood that encodes itself unless it is "unspeakable".
private struct Mood: Codable, Sendable, Equatable {
  var word: String

  func encode(to encoder: any Encoder) throws {
    if word == "unspeakable" { throw Refusal() }
    var container = encoder.singleValueContainer()
    try container.encode(word)
  }

  init(_ word: String) { self.word = word }

  init(from decoder: any Decoder) throws {
    word = try decoder.singleValueContainer().decode(String.self)
  }
}

@Entity private final class Letter: ManagedObject {
  @Attribute var title: String
  @Attribute var body: Data?
  @Attribute(.external) var scan: Data?
  @Attribute var mood: Mood = Mood("calm")
}

/// More than a value may have by one byte. The memory is never written, so it takes no room.
private func largeBody() -> Data { Data(count: 512 << 20) }
private func largeScan() -> Data { Data(count: 1 << 32) }

private let bodyRefusal = "Letter.body .byteCount(max: 536870911)"

private func letters() throws -> PersistentContainer {
  try PersistentContainer(inMemory: ManagedObjectModel(Letter.self))
}

extension PersistentContainer {
  /// Calls `body` with a saved letter.
  fileprivate func withLetter(
    _ body: @Sendable (ManagedObjectContext, Letter) throws -> Void
  ) throws {
    try root.performAndWait { context in
      let letter = Letter(context: context)
      (letter.title, letter.body, letter.scan) = ("A", Data([1]), Data([2]))
      try context.save()
      try body(context, letter)
    }
  }
}

@Suite struct `A value that cannot be stored` {
  @Test func `is refused by each save until its property is set again`() throws {
    try letters().withLetter { context, letter in
      letter.body = largeBody()
      letter.title = "B"
      #expect(letter.body == Data([1]), "the property keeps its value")
      try context.expectRefusals([bodyRefusal])
      try context.expectRefusals([bodyRefusal])
      let failure = try #require(try letter.validationFailures(of: \Letter.body).first)
      #expect(failure.value == .int(512 << 20))
      #expect(failure.objectID == letter.objectID)
      letter.body = Data([3])
      try context.expectRefusals([])
      #expect(!context.hasChanges)
    }
  }

  @Test func `may be too large for an external attribute`() throws {
    try letters().withLetter { context, letter in
      letter.scan = largeScan()
      #expect(letter.scan == Data([2]))
      try context.expectRefusals(["Letter.scan .byteCount(max: 4294967295)"])
      letter.scan = Data([2])
      try context.expectRefusals([])
      #expect(letter.scan == Data([2]))
    }
  }

  @Test func `may be one that does not encode itself`() throws {
    try letters().withLetter { context, letter in
      letter.mood = Mood("unspeakable")
      #expect(letter.mood == Mood("calm"))
      let failures = try context.validationFailures()
      #expect(failures.map(\.summary) == ["Letter.mood .encodable"])
      #expect(failures.first?.error is Refusal)
      #expect(failures.first?.description.contains("unspeakable") == false)
      letter.mood = Mood("merry")
      try context.expectRefusals([])
    }
  }

  @Test func `is refused in a new object, beside other failures`() throws {
    try letters().root.performAndWait { context in
      let letter = Letter(context: context)
      letter.mood = Mood("unspeakable")
      letter.body = largeBody()
      context.processPendingChanges()
      try context.expectRefusals([bodyRefusal, "Letter.mood .encodable"])
      context.delete(letter)
      try context.expectRefusals([])
    }
  }

  @Test func `counts as a change of the context, and not of the object`() throws {
    try letters().withLetter { context, letter in
      letter.body = largeBody()
      #expect(context.hasChanges)
      #expect(!letter.isUpdated)
      // Set to the value that it has: nothing is left.
      letter.body = Data([1])
      #expect(!context.hasChanges)
      #expect(!letter.isUpdated)
    }
  }

  @Test func `is forgotten by a rollback, a refresh without changes, and a reset`() throws {
    try letters().withLetter { context, letter in
      letter.body = largeBody()
      context.rollback()
      #expect(!context.hasChanges)
      letter.body = largeBody()
      _ = context.hasChanges
      context.refresh(letter, mergeChanges: true)
      try context.expectRefusals([bodyRefusal])
      context.refresh(letter, mergeChanges: false)
      try context.expectRefusals([])
      #expect(letter.body == Data([1]))
      letter.body = largeBody()
      context.reset()
      #expect(!context.hasChanges)
      try context.expectRefusals([])
    }
  }

  @Test func `is taken back with a savepoint, and stays from before it`() throws {
    try letters().withLetter { context, letter in
      try? context.withSavepoint {
        letter.body = largeBody()
        throw Refusal()
      }
      #expect(!context.hasChanges)
      letter.mood = Mood("unspeakable")
      try? context.withSavepoint {
        letter.mood = Mood("merry")
        throw Refusal()
      }
      #expect(letter.mood == Mood("calm"))
      try context.expectRefusals(["Letter.mood .encodable"])
    }
  }

  @Test func `is refused on the way to a parent, which gets nothing`() throws {
    try letters().withLetter { context, letter in
      let child = ManagedObjectContext(parent: context)
      let same = try child.existingObject(Letter.self, with: letter.objectID)
      same.title = "B"
      same.body = largeBody()
      try child.expectRefusals([bodyRefusal])
      #expect(!context.hasChanges && letter.title == "A")
      same.body = nil
      try child.expectRefusals([])
      #expect(letter.title == "B" && letter.body == nil)
      try context.expectRefusals([])
    }
  }

  @Test func `is not what undo takes back`() throws {
    try letters().withLetter { context, letter in
      context.undoManager = ManagedObjectContext.UndoManager()
      letter.title = "B"
      letter.body = largeBody()
      context.processPendingChanges()
      context.undo()
      #expect(letter.title == "A" && letter.body == Data([1]))
      try context.expectRefusals([bodyRefusal])
    }
  }

  @Test func `ends a batch insert with the number of its row`() throws {
    let container = try letters()
    let request = BatchInsertRequest(Letter.self)
    let unfit = { QueryError.unfitAssignment(entity: "Letter", property: $0) }
    let moods = #expect(throws: BatchRowError.self) {
      try container.coordinator.execute(request, rows: ["calm", "unspeakable"]) { letter, word in
        letter.mood = Mood(word)
      }
    }
    #expect(moods?.row == 1)
    #expect(moods?.underlyingError as? QueryError == unfit("mood"))
    let scans = #expect(throws: BatchRowError.self) {
      try container.coordinator.execute(request, dictionaries: [["scan": largeScan()]])
    }
    #expect(scans?.row == 0)
    #expect(scans?.underlyingError as? QueryError == unfit("scan"))
    let count = try container.root.performAndWait { try $0.count(Letter.all) }
    #expect(count == 0)
  }

  @Test func `ends a batch update, which changes nothing`() throws {
    let container = try letters()
    try container.withLetter { _, _ in }
    let request = BatchUpdateRequest(Letter.all).setting(\.title, to: "B")
      .setting(\.body, to: largeBody())
    #expect(throws: QueryError.unfitAssignment(entity: "Letter", property: "body")) {
      try container.coordinator.execute(request)
    }
    let titles = try container.root.performAndWait { context in
      try context.fetch(Letter.all).map(\.title)
    }
    #expect(titles == ["A"])
  }

  @Test func `is a mistake of a custom merge policy, with which nothing is saved`() throws {
    let container = try letters()
    try container.withLetter { _, _ in }
    let ours = ManagedObjectContext(parent: container.coordinator)
    let theirs = ManagedObjectContext(parent: container.coordinator)
    let letter = try #require(try ours.fetch(Letter.all).first)
    let same = try #require(try theirs.fetch(Letter.all).first)
    (letter.title, same.title) = ("ours", "theirs")
    try theirs.save()
    ours.mergePolicy = .custom("large") { _ in .values(["body": .data(largeBody())]) }
    let error = #expect(throws: StoreError.self) { try ours.save() }
    guard case .mergePolicyMistakes(let mistakes)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(mistakes.map(\.cause) == [.unfitValue(property: "body")])
    #expect(letter.title == "ours" && ours.hasChanges)
    let reader = ManagedObjectContext(parent: container.coordinator)
    let stored = try #require(try reader.fetch(Letter.all).first)
    #expect(stored.title == "theirs" && stored.body == Data([1]))
  }
}

@Entity private final class Poem: ManagedObject {
  @Attribute var title: String?
  @Attribute var first: Data?
  @Attribute var second: Data?
  @Attribute var third: Data?
  @Attribute var fourth: Data?
  @Attribute(.derived(.uppercase("title"))) var heading: String?
}

/// Two contexts on a store of one poem, whose record may have 4,096 bytes, and each of its values a
/// fourth of them.
private struct PoemRivals {
  let ours: ManagedObjectContext
  let poem: Poem
  let theirs: ManagedObjectContext
  let same: Poem

  /// - Important: first in a process.
  init() throws {
    setenv("STRATA_RECORD_BYTE_COUNT_MAX", "4096", 1)
    let coordinator = try PersistentStoreCoordinator(inMemory: ManagedObjectModel(Poem.self))
    let first = ManagedObjectContext(parent: coordinator)
    _ = Poem(context: first)
    try first.save()
    ours = ManagedObjectContext(parent: coordinator)
    theirs = ManagedObjectContext(parent: coordinator)
    poem = try #require(try ours.fetch(Poem.all).first)
    same = try #require(try theirs.fetch(Poem.all).first)
    ours.mergePolicy = .mergeByPropertyObjectTrump
  }

  /// Saves both, and requires that ours is refused whole.
  func save(expecting derivedProperty: String?) throws {
    try theirs.save()
    let error = try #require(throws: StoreError.self) { try ours.save() }
    guard case .objectTooLarge(poem.objectID, derivedProperty) = error else { throw error }
    try #require(ours.updatedObjects == [poem])
    theirs.refreshAllObjects()
    try #require(same.title == nil && same.first == nil)
  }
}

/// In a process of its own, in which records are small.
@Suite struct `A record that becomes too large in a save` {
  @Test func `because it is merged with another one fails the save`() async {
    await #expect(processExitsWith: .success) {
      let rivals = try PoemRivals()
      (rivals.poem.first, rivals.poem.second) = (Data(count: 1_024), Data(count: 1_024))
      (rivals.same.third, rivals.same.fourth) = (Data(count: 1_024), Data(count: 1_024))
      try rivals.save(expecting: nil)
      rivals.poem.second = Data(count: 500)
      try rivals.ours.save()
      try #require(rivals.poem.fourth?.count == 1_024)
    }
  }

  @Test func `because a value is derived fails the save`() async {
    await #expect(processExitsWith: .success) {
      let rivals = try PoemRivals()
      // In upper case it has three scalars.
      let title = String(repeating: "\u{390}", count: 150)
      rivals.poem.title = title
      (rivals.same.second, rivals.same.third, rivals.same.fourth) = (
        Data(count: 1_024), Data(count: 1_024), Data(count: 1_000)
      )
      try rivals.save(expecting: "heading")
      rivals.poem.title = "short"
      try rivals.ours.save()
      try #require(rivals.poem.heading == "SHORT")
    }
  }
}
