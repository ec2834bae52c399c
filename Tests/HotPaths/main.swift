// SPDX-License-Identifier: Apache-2.0
//
// The paths whose cost is watched, each in a loop that callgrind can count. Run by check.sh:
// `HotPaths <store> <path> <times>`; without arguments it names the paths. growth.sh runs
// `commit-with-long-history` and `undo-of-many` in the same way.
//
// Data and hashing are fixed, so two runs execute nearly the same instructions; the cost of a path
// is the difference between a run of many times and one of none.
//
// The opening of a store is watched in the same way, once in a process: what a process does at its
// first opening alone, as the making of types' metadata, is most of it.

import Dispatch
import Foundation
import Strata

@Entity final class Person: ManagedObject {
  @Attribute(.indexed) var name: String
  @Attribute(.indexed) var age: Int = 0
  var score: Double = 0
  var bio: String
  var town: Town?
}

@Entity final class Town: ManagedObject {
  var name: String
  @Relationship(inverse: \Person.town) var people: ToMany<Person>
}

/// One of the paths.
struct HotPath {
  let name: String
  /// How many rounds check.sh does.
  let times: Int
  /// How many operations one round is.
  var roundSize = batchCount
  /// How long the store keeps a history; nil if it keeps none.
  var retention: HistoryRetention?
  let run: @MainActor (ManagedObjectContext, Int) throws -> Int
}

/// Objects in the store, and objects that one round works on.
let batchCount = 1_000

@MainActor func makePerson(_ number: Int, in context: ManagedObjectContext) -> Person {
  let person = Person(context: context)
  // 32 people have each name; ages and names come in no order.
  person.name = "name \((number &* 7_919) % (batchCount / 32))"
  person.age = (number &* 104_729) % 100
  person.score = Double(number) / 2
  person.bio = "what is to be said of the person, number \(number)"
  return person
}

@MainActor func fill(_ context: ManagedObjectContext) throws {
  let towns = (0..<10).map { number in
    let town = Town(context: context)
    town.name = "town \(number)"
    return town
  }
  for number in 0..<batchCount {
    makePerson(number, in: context).town = towns[number % towns.count]
  }
  try context.save()
}

func makeCoordinator(_ file: String) throws -> PersistentStoreCoordinator {
  try PersistentStoreCoordinator(
    at: URL(fileURLWithPath: file), model: ManagedObjectModel(Person.self, Town.self),
    durability: .none)
}

@MainActor func open(_ file: String) throws -> ManagedObjectContext {
  ManagedObjectContext(parent: try makeCoordinator(file))
}

/// The first opening of a store in a process, and the first query.
enum Opening {
  static let name = "opening"

  /// - Parameter rounds: 1, or 0 for the cost of everything else.
  @MainActor static func run(_ file: String, rounds: Int) throws -> Int {
    try fillInOtherProcess(file)
    if rounds == 0 { return 0 }
    return try open(file).fetch(Person.where { $0.name == "name 7" }).reduce(0) { $0 &+ $1.age }
  }

  /// Has another process make the store, so that this one has not opened it before. Foundation
  /// would make metadata in this one, too, that the opening is to make.
  private static func fillInOtherProcess(_ file: String) throws {
    let arguments = [CommandLine.arguments[0], file, paths[0].name, "0"]
    var pointers = arguments.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    var process: pid_t = 0
    var status: Int32 = 0
    guard posix_spawn(&process, arguments[0], nil, nil, &pointers, environ) == 0,
      waitpid(process, &status, 0) == process, status == 0
    else { fatalError("the store could not be made") }
  }
}

/// A save of one change to the store.
let commitOfOne = HotPath(name: "commit-of-one", times: 1_000, roundSize: 1) { context, rounds in
  let person = try context.fetch(Person.all)[0]
  for round in 0..<rounds {
    person.age = round
    try context.save()
  }
  return rounds
}

/// The same in a store that keeps a history of a few hundred commits: each adds a transaction and
/// deletes one.
let recordedCommitOfOne = HotPath(
  name: "commit-with-history", times: 1_000, roundSize: 1,
  retention: HistoryRetention(maximumByteCount: 1 << 14), run: commitOfOne.run)

/// The same in a store that keeps the history of a week, which is all of it here. growth.sh runs it
/// in a store with a history of 100,000 commits.
let commitAfterManyCommits = HotPath(
  name: "commit-with-long-history", times: 1_000, roundSize: 1, retention: HistoryRetention(),
  run: commitOfOne.run)

/// Undoing of as many groups as there are rounds.
let undoOfMany = HotPath(name: "undo-of-many", times: 1_000, roundSize: 1) { context, rounds in
  context.undoManager = ManagedObjectContext.UndoManager()
  let person = try context.fetch(Person.all)[0]
  for round in 0..<rounds {
    person.age = round + 1_000
    context.processPendingChanges()
  }
  for _ in 0..<rounds {
    context.undo()
    context.processPendingChanges()
  }
  return person.age
}

/// A save of one change to a parent in the same isolation, where it lands at once.
let nestedSaveOfOne = HotPath(
  name: "nested-save-of-one", times: 1_000, roundSize: 1
) { context, rounds in
  let child = ManagedObjectContext(parent: context)
  let person = try child.fetch(Person.all)[0]
  for round in 0..<rounds {
    person.age = round
    try child.save()
  }
  return try context.count(Person.all)
}

let paths: [HotPath] = [
  HotPath(name: "property-get", times: 200) { context, rounds in
    let people = try context.fetch(Person.all)
    var sum = 0
    for _ in 0..<rounds { for person in people { sum &+= person.age } }
    return sum
  },
  HotPath(name: "property-set", times: 200) { context, rounds in
    let people = try context.fetch(Person.all)
    for round in 0..<rounds { for person in people { person.age = round } }
    return people[0].age
  },
  HotPath(name: "fault", times: 20) { context, rounds in
    let ids = try context.fetchIDs(Person.all)
    var sum = 0
    for _ in 0..<rounds {
      context.reset()
      for id in ids { sum &+= try context.object(Person.self, with: id).age }
    }
    return sum
  },
  HotPath(name: "insert", times: 20) { context, rounds in
    for number in 0..<(rounds * batchCount) { _ = makePerson(number, in: context) }
    context.processPendingChanges()
    return context.insertedObjects.count
  },
  HotPath(name: "child-save", times: 20) { context, rounds in
    for round in 0..<rounds {
      let child = ManagedObjectContext(parent: context)
      for number in 0..<batchCount { _ = makePerson(round &+ number, in: child) }
      try child.save()
    }
    return try context.count(Person.all)
  },
  HotPath(name: "indexed-fetch", times: 2) { context, rounds in
    var sum = 0
    for number in 0..<(rounds * batchCount) {
      let name = "name \(number % (batchCount / 32))"
      for person in try context.fetch(Person.where { $0.name == name }) { sum &+= person.age }
    }
    return sum
  },
  HotPath(name: "empty-fetch", times: 2) { context, rounds in
    var count = 0
    for number in 0..<(rounds * batchCount) {
      let name = "nobody \(number)"
      count += try context.fetchIDs(Person.where { $0.name == name }).count
    }
    return count
  },
  HotPath(name: "scan-step", times: 50) { context, rounds in
    var sum = 0
    for round in 0..<rounds {
      let limit = Double(round)
      sum &+= try context.count(Person.where { $0.score < limit })
    }
    return sum
  },
  HotPath(name: "row-read", times: 50) { context, rounds in
    var sum = 0
    for _ in 0..<rounds {
      try context.forEachRow(Person.all.select(\.age, \.score)) { age, score in
        sum &+= age &+ Int(score)
      }
    }
    return sum
  },
  HotPath(name: "import", times: 20) { context, rounds in
    for number in 0..<(rounds * batchCount) { _ = makePerson(number, in: context) }
    try context.save()
    return try context.count(Person.all)
  },
  HotPath(name: "batch-insert", times: 20) { context, rounds in
    let rows = 0..<(rounds * batchCount)
    let result = try context.execute(BatchInsertRequest(Person.self), rows: rows) { row, number in
      row.name = "name \((number &* 7_919) % (batchCount / 32))"
      row.age = (number &* 104_729) % 100
      row.score = Double(number) / 2
      row.bio = "what is to be said of the person, number \(number)"
    }
    return result.insertedCount
  },
  HotPath(name: "batch-update", times: 5) { context, rounds in
    var count = 0
    for _ in 0..<rounds {
      let request = BatchUpdateRequest(Person.all).setting(\.score) { $0.score + 1 }
      count += try context.execute(request).updatedCount
    }
    return count
  },
  HotPath(name: "update-all", times: 5) { context, rounds in
    for round in 0..<rounds {
      for person in try context.fetch(Person.all) { person.score = Double(round) }
      try context.save()
    }
    return try context.count(Person.all)
  },
  nestedSaveOfOne,
  commitOfOne,
  recordedCommitOfOne,
  HotPath(name: "commit", times: 1) { context, rounds in
    for number in 0..<(rounds * batchCount) {
      _ = makePerson(number, in: context)
      try context.save()
    }
    return try context.count(Person.all)
  },
]

let arguments = CommandLine.arguments
if arguments.count == 1 {
  for path in paths { print(path.name, path.times, path.times * path.roundSize) }
  print(Opening.name, 1, 1)
  exit(0)
}
guard arguments.count == 4, let rounds = Int(arguments[3]) else {
  fatalError("usage: HotPaths <store> <path> <rounds>")
}
if arguments[2] == Opening.name {
  print(Opening.name, try Opening.run(arguments[1], rounds: rounds))
  exit(0)
}
let allPaths = paths + [commitAfterManyCommits, undoOfMany]
guard let path = allPaths.first(where: { $0.name == arguments[2] }) else {
  fatalError("no path is called \(arguments[2])")
}
let coordinator = try makeCoordinator(arguments[1])
if let retention = path.retention {
  // Valgrind does not survive asynchronous code at the top level.
  let isKept = DispatchSemaphore(value: 0)
  Task.detached {
    try await coordinator.keepHistory(retention)
    isKept.signal()
  }
  isKept.wait()
}
let context = ManagedObjectContext(parent: coordinator)
try fill(context)
context.reset()
print(path.name, try path.run(context, rounds))
