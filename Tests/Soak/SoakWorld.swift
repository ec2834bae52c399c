// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Strata

@Entity final class Person: ManagedObject {
  @Attribute(.indexed) var name: String
  @Attribute(.indexed) var age: Int = 0
  var town: Town?
}

@Entity final class Town: ManagedObject {
  @Attribute(.indexed) var name: String
  @Relationship(inverse: \Person.town) var people: ToMany<Person>
}

/// The model of a small store, and a later one: opening it with either migrates it.
enum Plain {
  @Entity final class Note: ManagedObject {
    var text: String
  }
}

enum Indexed {
  @Entity final class Note: ManagedObject {
    @Attribute(.indexed) var text: String
  }
}

/// A store of 500 people, and the contexts that use it for the whole run.
///
/// ## Isolation
/// The main actor, which the program never leaves: no turn ends by itself.
@MainActor final class SoakWorld {
  static let personCount = 500
  static let nameCount = 50

  let file: URL
  /// A small store, opened and closed again and again.
  let otherFile: URL
  private let notesFile: URL
  /// Of a copy of the store, which an operation makes and removes.
  let backup: URL
  let coordinator: PersistentStoreCoordinator
  let context: ManagedObjectContext
  let root: ContextQueue
  let worker: ContextQueue
  let undone: ManagedObjectContext
  /// A parent that saves nothing to the store, and its child.
  let keeping: ContextQueue
  let keepingWorker: ContextQueue
  /// The same in one isolation.
  let outer: ManagedObjectContext
  let inner: ManagedObjectContext
  let refreshed: ManagedObjectContext
  /// Objects of `refreshed`.
  let held: [Person]
  let forgetful: ManagedObjectContext
  let linking: ManagedObjectContext
  /// A town and a person of `linking`. No other context changes them.
  let home: Town
  let linked: Person
  let list: FetchedResultsController<Person>
  let ids: [ObjectID]

  init(in folder: URL) throws {
    file = folder.appendingPathComponent("people")
    otherFile = folder.appendingPathComponent("other")
    coordinator = try Self.open(file)
    notesFile = folder.appendingPathComponent("notes")
    backup = folder.appendingPathComponent("backup")
    Self.keepHistory(in: coordinator)
    context = ManagedObjectContext(parent: coordinator)
    for number in 0..<Self.personCount {
      let person = Person(context: context)
      person.name = "name \(number % Self.nameCount)"
      person.age = number % 100
    }
    try context.save()
    ids = try context.fetchIDs(Person.all)
    root = ContextQueue(parent: coordinator)
    worker = ContextQueue(parent: root)
    keeping = ContextQueue(parent: coordinator)
    keepingWorker = ContextQueue(parent: keeping)
    outer = ManagedObjectContext(parent: coordinator)
    inner = ManagedObjectContext(parent: outer)
    refreshed = ManagedObjectContext(parent: coordinator)
    held = try refreshed.fetch(Person.all.limit(20))
    forgetful = ManagedObjectContext(parent: coordinator)
    linking = ManagedObjectContext(parent: coordinator)
    home = Town(context: linking)
    home.name = "home"
    linked = Person(context: linking)
    linked.name = "linked"
    try linking.save()
    undone = ManagedObjectContext(parent: coordinator)
    let undoManager = ManagedObjectContext.UndoManager()
    undoManager.levelsOfUndo = 10
    undone.undoManager = undoManager
    list = FetchedResultsController(Person.all.sorted(by: \.name), context: context)
    try list.performFetch()
    _ = try Self.open(otherFile)
    try makeNotes()
    endTurns()
  }

  /// Has the store keep a history of a few hundred saves, so that each save soon deletes one.
  ///
  /// It blocks. If the main thread left for asynchronous code, Dispatch would end it, and valgrind
  /// does not survive that.
  private static func keepHistory(in coordinator: PersistentStoreCoordinator) {
    let isKept = DispatchSemaphore(value: 0)
    Task.detached {
      do {
        try await coordinator.keepHistory(HistoryRetention(maximumByteCount: 1 << 14))
      } catch {
        fatalError("The store keeps no history: \(error)")
      }
      isKept.signal()
    }
    isKept.wait()
  }

  static func open(_ file: URL) throws -> PersistentStoreCoordinator {
    try PersistentStoreCoordinator(
      at: file, model: ManagedObjectModel(Person.self, Town.self), durability: .none)
  }

  private func makeNotes() throws {
    let coordinator = try PersistentStoreCoordinator(
      at: notesFile, model: ManagedObjectModel(Plain.Note.self), durability: .none)
    let context = ManagedObjectContext(parent: coordinator)
    for number in 0..<20 { Plain.Note(context: context).text = "note \(number)" }
    try context.save()
  }

  /// Opens the notes with one of their two models, and closes them.
  func openNotes(areIndexed: Bool) throws {
    let model =
      areIndexed
      ? try ManagedObjectModel(Indexed.Note.self) : try ManagedObjectModel(Plain.Note.self)
    let coordinator = try PersistentStoreCoordinator(
      at: notesFile, model: model, durability: .none)
    let context = ManagedObjectContext(parent: coordinator)
    let count =
      areIndexed
      ? try context.count(Indexed.Note.where { $0.text == "note 7" })
      : try context.count(Plain.Note.where { $0.text == "note 7" })
    precondition(count == 1, "A migration has lost a note.")
  }

  /// Ends all turns, at the end of each round. An operation that is done alone would see one state
  /// of the store for the whole run otherwise, and the store could not use space again meanwhile.
  func endTurns() {
    for context in [context, undone, inner, outer, refreshed, forgetful, linking] {
      context.processPendingChanges()
    }
  }

  /// A person of a round.
  func id(_ round: Int) -> ObjectID { ids[round &* 7 % ids.count] }

  func person(_ round: Int, in context: ManagedObjectContext) throws -> Person {
    try context.existingObject(Person.self, with: id(round))
  }
}
