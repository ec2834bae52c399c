// SPDX-License-Identifier: Apache-2.0
//
// The memory of a batch that inserts a million objects, of a walk over them and their to-one
// targets, of one over their rows, and of a history of them. Run by check.sh:
// `MemoryWalk <store> insert` once, then in processes of their own
// `MemoryWalk <store> ids|held|fetched|rows`; with another store `record`, `behind`, `delete`,
// `behind`. `MemoryWalk <store> transactions` inserts ten million in 100 transactions.

import Foundation
import Strata

@Entity final class Person: ManagedObject {
  @Attribute(.preserveValueOnDeletion) var name: String
  var age: Int = 0
  var town: Town?
}

@Entity final class Town: ManagedObject {
  var name: String
  var population: Int = 0
  @Relationship(inverse: \Person.town) var people: ToMany<Person>
}

let personCount = 1_000_000
let townCount = 100_000
/// The walk that holds objects holds one person in this number.
let heldShare = 100

/// People live in towns at random: a town is met again and again, all over the walk.
func town(of person: Int) -> Int {
  Int(truncatingIfNeeded: (UInt64(person) &* 0x9E37_79B9_7F4A_7C15) >> 32) % townCount
}

/// Inserts towns, and people.
///
/// - Parameter commitInterval: the number of people in a transaction; nil for one transaction.
@MainActor func insert(
  _ count: Int, into coordinator: PersistentStoreCoordinator,
  committingEvery commitInterval: Int? = nil
) throws {
  var towns = BatchInsertRequest(Town.self)
  towns.returnsObjectIDs = true
  let ids =
    try coordinator.execute(towns, rows: 0..<townCount) { row, number in
      row.name = "town \(number)"
      row.population = number
    }.objectIDs ?? []
  var people = BatchInsertRequest(Person.self)
  if let commitInterval { people = people.committing(every: commitInterval) }
  try coordinator.execute(people, rows: 0..<count) { row, number in
    row.name = "person \(number)"
    row.age = number % 100
    row.town = ids[town(of: number)]
    if number % 10_000 == 0 { meter.sample() }
  }
}

/// - Returns: a sum that depends on the values read, and the objects that are held.
@MainActor func walk(_ context: ManagedObjectContext, _ mode: String) throws -> (Int, [Person]) {
  var sum = 0
  var held: [Person] = []
  func visit(_ person: Person, _ index: Int) {
    sum += person.age + (person.town?.population ?? 0)
    if mode == "held", index % heldShare == 0 { held.append(person) }
    if index % 10_000 == 0 { meter.sample() }
  }
  if mode == "fetched" {
    // Page by page, with values; each page skips those before it.
    for offset in stride(from: 0, to: personCount, by: 20_000) {
      for (index, person) in try context.fetch(Person.all.offset(offset).limit(20_000)).enumerated()
      {
        visit(person, offset + index)
      }
    }
  } else {
    for (index, id) in try context.fetchIDs(Person.all).enumerated() {
      visit(try context.object(Person.self, with: id), index)
    }
  }
  return (sum, held)
}

/// Adds up a column of a million rows, without objects.
@MainActor func sumRows(_ context: ManagedObjectContext) throws -> Int {
  var (sum, index) = (0, 0)
  try context.forEachRow(Person.all.select { ($0.age, $0.town.population) }) {
    age, population in
    sum += age + (population ?? 0)
    index += 1
    if index.isMultiple(of: 10_000) { meter.sample() }
  }
  return sum
}

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
  let kinds = "insert|transactions|ids|held|fetched|rows|record|behind|delete"
  fatalError("usage: MemoryWalk <store> \(kinds)")
}
let coordinator = try PersistentStoreCoordinator(
  at: URL(fileURLWithPath: arguments[1]), model: ManagedObjectModel(Person.self, Town.self),
  durability: .none)
let context = ManagedObjectContext(parent: coordinator)
var meter = Meter()
if let kind = HistoryWalk(rawValue: arguments[2]) {
  let changeCount = try await kind.run(coordinator)
  meter.sample()
  print(kind, meter.growth, meter.anonymousMax, changeCount)
} else if arguments[2] == "insert" {
  try insert(personCount, into: coordinator)
  meter.sample()
  print(arguments[2], meter.growth, meter.anonymousMax, 0)
} else if arguments[2] == "transactions" {
  try insert(10_000_000, into: coordinator, committingEvery: 100_000)
  meter.sample()
  print(arguments[2], meter.growth, meter.anonymousMax, 0)
} else {
  context.cacheByteBudget = 32 << 20
  let (sum, held) =
    arguments[2] == "rows" ? (try sumRows(context), []) : try walk(context, arguments[2])
  meter.sample()
  let expected = (0..<personCount).reduce(0) { $0 + $1 % 100 + town(of: $1) }
  guard sum == expected else { fatalError("read \(sum), not \(expected)") }
  print(arguments[2], meter.growth, meter.anonymousMax, held.count)
}
