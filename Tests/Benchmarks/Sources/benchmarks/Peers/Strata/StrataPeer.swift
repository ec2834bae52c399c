// SPDX-License-Identifier: Apache-2.0
import CPeople
import Foundation
import Strata

/// Strata's managed objects, registered in a context that tracks their changes.
///
/// Reads run in turns of a queue. A turn reads one snapshot, as a transaction of the other peers
/// does; a context that is confined to one place would take a new snapshot for each fetch.
// Safety: one thread uses it; closures of the queue run on that thread.
final class StrataPeer: Peer, @unchecked Sendable {
  let people: People
  private let file: URL
  private(set) var coordinator: PersistentStoreCoordinator!
  /// The context of reads, and the objects that it has returned, which the program holds as C does.
  private var queue: ContextQueue!
  var held: [Person] = []
  /// The context of the last change. Its objects are released by `forget`, not in measured work.
  private var changes: ManagedObjectContext?
  /// By serial.
  private(set) var personIDs: [ObjectID?] = [nil]
  private(set) var companyIDs: [ObjectID?] = [nil]

  init(_ people: People, at file: URL) {
    self.people = people
    self.file = file
  }

  func open(_ durability: Durability) throws {
    coordinator = try PersistentStoreCoordinator(
      at: file, model: .people(), durability: durability == .synced ? .full : .none)
    forget()
  }

  func close() {
    held = []
    changes = nil
    queue = nil
    coordinator = nil
  }

  func forget() {
    held = []
    changes = nil
    queue = ContextQueue(parent: coordinator)
  }

  /// A new context for a change of many objects.
  private func contextForChanges() -> ManagedObjectContext {
    forget()
    let context = ManagedObjectContext(parent: coordinator)
    changes = context
    return context
  }

  /// Runs the body in a turn of the reads' context.
  func turn<Result: Sendable>(
    _ body: @Sendable (ManagedObjectContext) throws -> Result
  ) throws -> Result {
    try queue.performAndWait { try body($0) }
  }

  func makeReader() -> any ThreadReader { StrataReader(below: coordinator) }

  // MARK: - Writing

  func insert(_ serials: ClosedRange<Int>, perSave: Int) throws {
    let inserted = try insertPeople(
      people, serials, perSave: perSave, companyIDs: companyIDs, below: coordinator)
    for id in inserted.persons { personIDs.append(id) }
    for id in inserted.companies { companyIDs.append(id) }
  }

  func insertAndForget(_ serials: ClosedRange<Int>) throws {
    _ = try insertPeople(
      people, serials, perSave: serials.count, companyIDs: companyIDs, keepsIDs: false,
      below: coordinator)
  }

  func makeSaver() -> @Sendable (Int) throws -> Void {
    let queue = ContextQueue(parent: coordinator)
    return { [people, companyIDs] serial in
      try queue.performAndWait { context in
        let row = people.persons[serial]
        let person = Person(row, in: context)
        person.company = try context.object(with: companyIDs[row.company]!)
        try context.save()
      }
    }
  }

  func makeChanger() -> @Sendable (Int) throws -> Void {
    let queue = ContextQueue(parent: coordinator)
    return { [people, personIDs] step in
      try queue.performAndWait { context in
        for index in 0..<100 {
          let serial = 1 + people_mix(UInt64(step * 100 + index)) % UInt64(people.scale)
          let person = try context.object(Person.self, with: personIDs[Int(serial)]!)
          person.score += 1
        }
        try context.save()
      }
    }
  }

  func makeSingleChanger(_ serials: [UInt32]) throws -> (Int) throws -> Void {
    let context = ManagedObjectContext(parent: coordinator)
    let persons = try serials.map { try context.object(Person.self, with: personIDs[Int($0)]!) }
    for person in persons { _ = person.score }
    return { index in
      persons[index % persons.count].score += 1
      try context.save()
    }
  }

  func raiseScores() throws {
    let context = contextForChanges()
    for person in try context.fetch(Person.all) { person.score += 1 }
    try context.save()
  }

  func shiftAges() throws {
    let context = contextForChanges()
    for person in try context.fetch(Person.all) {
      person.age = (person.age + 7_919) % age_bound
    }
    try context.save()
  }

  func deleteOneByOne(sparing spared: Int) throws {
    let context = contextForChanges()
    // Persons are fetched in the order in which they were inserted, that is, by serial.
    for (index, person) in try context.fetch(Person.all).enumerated() {
      if spared > 0, (index + 1).isMultiple(of: spared) { continue }
      context.delete(person)
    }
    try context.save()
  }

  func deleteAtOnce() throws { try coordinator.execute(BatchDeleteRequest(Person.all)) }
}
