// SPDX-License-Identifier: Apache-2.0
import CPeople
import Foundation
import Strata

/// Strata's managed objects, registered in a context that tracks their changes.
final class StrataPeer: Peer {
  let people: People
  private let file: URL
  private(set) var coordinator: PersistentStoreCoordinator!
  /// The context of reads, and the objects that it has returned, which the program holds as C does.
  private(set) var context: ManagedObjectContext!
  var held: [Person] = []
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
    context = nil
    coordinator = nil
  }

  func forget() {
    held = []
    context = ManagedObjectContext(parent: coordinator)
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
    forget()
    let persons = try serials.map { try context.object(Person.self, with: personIDs[Int($0)]!) }
    for person in persons { _ = person.score }
    return { [context] index in
      persons[index % persons.count].score += 1
      try context!.save()
    }
  }

  func raiseScores() throws {
    forget()
    for person in try context.fetch(Person.all) { person.score += 1 }
    try context.save()
  }

  func shiftAges() throws {
    forget()
    for person in try context.fetch(Person.all) {
      person.age = (person.age + 7_919) % age_bound
    }
    try context.save()
  }

  func deleteOneByOne(sparing spared: Int) throws {
    forget()
    // Persons are fetched in the order in which they were inserted, that is, by serial.
    for (index, person) in try context.fetch(Person.all).enumerated() {
      if spared > 0, (index + 1).isMultiple(of: spared) { continue }
      context.delete(person)
    }
    try context.save()
  }

  func deleteAtOnce() throws { try coordinator.execute(BatchDeleteRequest(Person.all)) }
}
