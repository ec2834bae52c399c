// SPDX-License-Identifier: Apache-2.0
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

/// A store of 500 people, and the contexts that use it for the whole run.
@MainActor final class SoakWorld {
  static let personCount = 500
  static let nameCount = 50

  let file: URL
  /// A small store, opened and closed again and again.
  let otherFile: URL
  let coordinator: PersistentStoreCoordinator
  let context: ManagedObjectContext
  let root: ContextQueue
  let worker: ContextQueue
  let undone: ManagedObjectContext
  let list: FetchedResultsController<Person>
  let ids: [ObjectID]

  init(in folder: URL) async throws {
    file = folder.appendingPathComponent("people")
    otherFile = folder.appendingPathComponent("other")
    coordinator = try Self.open(file)
    try await coordinator.keepHistory(HistoryRetention(maximumByteCount: 1 << 16))
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
    undone = ManagedObjectContext(parent: coordinator)
    let undoManager = ManagedObjectContext.UndoManager()
    undoManager.levelsOfUndo = 10
    undone.undoManager = undoManager
    list = FetchedResultsController(Person.all.sorted(by: \.name), context: context)
    try list.performFetch()
    _ = try Self.open(otherFile)
  }

  static func open(_ file: URL) throws -> PersistentStoreCoordinator {
    try PersistentStoreCoordinator(
      at: file, model: ManagedObjectModel(Person.self, Town.self), durability: .none)
  }

  /// A person of a round.
  func id(_ round: Int) -> ObjectID { ids[round &* 7 % ids.count] }

  func person(_ round: Int, in context: ManagedObjectContext) throws -> Person {
    try context.existingObject(Person.self, with: id(round))
  }
}
