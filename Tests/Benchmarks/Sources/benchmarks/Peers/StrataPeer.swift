// SPDX-License-Identifier: Apache-2.0
import CPeople
import Foundation
import Strata

/// Strata's managed objects, registered in a context that tracks their changes.
final class StrataPeer: Peer {
  private let people: People
  private let file: URL
  private var coordinator: PersistentStoreCoordinator!
  /// The context of reads, and the objects that it has given, which the program holds as C does.
  private var context: ManagedObjectContext!
  private var held: [Person] = []
  /// By serial.
  private var personIDs: [ObjectID?] = [nil]
  private var companyIDs: [ObjectID?] = [nil]

  init(_ people: People, at file: URL) {
    self.people = people
    self.file = file
  }

  func open() throws {
    coordinator = try PersistentStoreCoordinator(at: file, model: .people())
    forget()
  }

  func close() {
    held = []
    context = nil
    coordinator = nil
  }

  // MARK: - Writing

  func insert(_ serials: ClosedRange<Int>, perSave: Int) throws {
    let inserted = try insertPeople(
      people, serials, perSave: perSave, companyIDs: companyIDs, below: coordinator)
    for id in inserted.persons { personIDs.append(id) }
    for id in inserted.companies { companyIDs.append(id) }
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

  func deleteOneByOne() throws {
    forget()
    for person in try context.fetch(Person.all) { context.delete(person) }
    try context.save()
  }

  func deleteAtOnce() throws { try coordinator.execute(BatchDeleteRequest(Person.all)) }

  // MARK: - Reading

  func forget() {
    held = []
    context = ManagedObjectContext(parent: coordinator)
  }

  func readByID(_ serials: [UInt32], perTurn: Int) throws -> UInt64 {
    var sum: UInt64 = 0
    for (index, serial) in serials.enumerated() {
      if index > 0, index.isMultiple(of: perTurn) { context.processPendingChanges() }
      let person = try context.existingObject(Person.self, with: personIDs[Int(serial)]!)
      sum &+=
        personSum(age: person.age, name: person.name)
        &+ person.created.timeIntervalSince1970.bitPattern
      held.append(person)
    }
    return sum
  }

  func fetchAll() throws -> UInt64 {
    held = try context.fetch(Person.all)
    return held.reduce(0) { $0 &+ UInt64($1.age) &+ UInt64($1.name.utf8.count) }
  }

  func stream() throws -> UInt64 {
    var sum: UInt64 = 0
    try context.forEachRow(Person.all.select(\.age, \.name)) { age, name in
      sum &+= UInt64(age) &+ UInt64(name.utf8.count)
    }
    return sum
  }

  func fetchByName(_ names: [UInt32]) throws -> UInt64 {
    var sum: UInt64 = 0
    for name in names {
      let name = People.name(Int(name))
      let found = try context.fetch(Person.where { $0.name == name })
      for person in found { sum &+= personSum(age: person.age, name: person.name) }
      held += found
    }
    return sum
  }

  func fetchIDsByName(_ names: [UInt32]) throws -> () -> UInt64 {
    let found = try names.map { name in
      let name = People.name(Int(name))
      return try context.fetchIDs(Person.where { $0.name == name })
    }
    return { [personIDs] in
      var serials: [ObjectID: Int] = [:]
      for (serial, id) in personIDs.enumerated() { if let id { serials[id] = serial } }
      return found.joined().reduce(0) { $0 &+ UInt64(serials[$1] ?? 0) }
    }
  }

  func fetchByAge(_ lows: [UInt32], width: Int) throws -> UInt64 {
    try fetchRanges(lows) { low in
      Person.where { $0.age >= low && $0.age < low + width }.sorted(by: \.age)
    }
  }

  func fetchByAgeSortedByName(_ lows: [UInt32], width: Int) throws -> UInt64 {
    try fetchRanges(lows) { low in
      Person.where { $0.age >= low && $0.age < low + width }.sorted(by: \.name)
    }
  }

  private func fetchRanges(
    _ lows: [UInt32], _ request: (Int) -> FetchRequest<Person>
  ) throws -> UInt64 {
    var sum: UInt64 = 0
    for low in lows {
      let found = try context.fetch(request(Int(low)).limit(50))
      for (place, person) in found.enumerated() {
        sum &+= UInt64(place + 1) &* personSum(age: person.age, name: person.name)
      }
      held += found
    }
    return sum
  }

  func prepareHop() throws {
    forget()
    held = try context.fetch(Person.all)
  }

  func hop() -> UInt64 {
    held.reduce(0) { $0 &+ nameSum($1.company?.name ?? "") }
  }

  func digest() throws -> UInt64 {
    let context = ManagedObjectContext(parent: coordinator)
    var companies: [ObjectID: UInt64] = [:]
    for company in try context.fetch(Company.all) {
      companies[company.objectID] = textSum(company.name)
    }
    return try context.fetch(Person.all).reduce(0) { sum, person in
      sum
        &+ person_digest(
          textSum(person.name), textSum(person.email), textSum(person.bio), Int64(person.age),
          person.score, person.created.timeIntervalSince1970,
          person.company.flatMap { companies[$0.objectID] } ?? 0)
    }
  }
}

/// Inserts persons into a context of its own below `parent`, a number of them in each save; with
/// person 1 come the companies.
///
/// - Parameter companyIDs: by serial; not used if the companies come with the persons.
/// - Returns: the IDs of the inserted objects, in order of serial.
func insertPeople(
  _ people: People, _ serials: ClosedRange<Int>, perSave: Int, companyIDs: [ObjectID?],
  below parent: some ContextParent
) throws -> (persons: [ObjectID], companies: [ObjectID]) {
  let queue = ContextQueue(parent: parent)
  var personIDs: [ObjectID] = []
  var newCompanyIDs: [ObjectID] = []
  for first in stride(from: serials.lowerBound, through: serials.upperBound, by: perSave) {
    let batch = first...min(first + perSave - 1, serials.upperBound)
    let known = companyIDs.count > 1 ? companyIDs : [nil] + newCompanyIDs
    let (persons, companies) = try queue.performAndWait { context in
      var companies: [Company?] = [nil]
      if first == 1 {
        for name in people.companies.dropFirst() {
          let company = Company(context: context)
          company.name = name
          companies.append(company)
        }
      } else {
        companies = try known.map { try $0.map { try context.object(with: $0) } }
      }
      var persons: [ObjectID] = []
      persons.reserveCapacity(batch.count)
      for serial in batch {
        let row = people.persons[serial]
        let person = Person(row, in: context)
        person.company = companies[row.company]
        persons.append(person.objectID)
      }
      try context.save()
      return (persons, first == 1 ? companies.compactMap { $0?.objectID } : [])
    }
    personIDs += persons
    newCompanyIDs += companies
  }
  return (personIDs, newCompanyIDs)
}
