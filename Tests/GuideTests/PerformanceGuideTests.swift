// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// The code of Performance.md, part by part.
@Suite struct `The guide to performance` {
  // begin entities
  @Entity(indexes: ["company", "age"])
  final class Person: ManagedObject {
    @Attribute(.indexed) var name: String
    @Attribute(.indexed) var age: Int = 0
    var score: Double = 0
    @Attribute(.external) var picture: Data?
    var company: Company?
  }

  @Entity final class Company: ManagedObject {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Person.company) var employees: ToMany<Person>
  }
  // end

  @Test func `explains requests as the page prints them`() async throws {
    let container = try await people()
    let texts = try await container.root.perform { context in
      // begin explain
      let old = Person.where { $0.age >= 90 }.sorted(by: \.name)
      print(try context.explain(old))
      let good = Person.where { $0.score > 0.99 }
      print(try context.explain(good))
      // end
      return [try context.explain(old), try context.explain(good)].map { "\($0)" }
    }
    let page = try String(
      contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/Strata/Strata.docc/Guides/Performance.md"),
      encoding: .utf8)
    for text in texts { #expect(page.contains(text), "\(text)") }
  }

  @Test func `answers from an index where the page says so`() async throws {
    let container = try await people()
    try await container.root.perform { context in
      let company = try #require(try context.first(Company.all))
      // begin composite
      let oldest = Person.where { $0.company == company }
        .sorted(by: \.age, order: .reverse).limit(10)
      // end
      let explanation = try context.explain(oldest)
      #expect(explanation.recordsRead == 10)

      // begin counting
      let number = try context.count(Person.where { $0.age > 50 })  // no record is read
      // end
      #expect(number == 490)
      #expect(
        try context.explain(Person.where { $0.age > 50 }, for: .count).recordsRead == 0)
    }
  }

  @Test func `reads rows without making objects`() async throws {
    let container = try await people()
    try await container.root.perform { context in
      context.reset()
      // begin rows
      var total = 0
      try context.forEachRow(Person.all.select(\.name, \.age)) { name, age in total += age }
      let sum = try context.sum(Person.all, of: \.age)
      // end
      #expect(total == 49_500)
      #expect(sum == 49_500)
      #expect(context.registeredObjects.isEmpty)
    }
  }

  @Test func `loads what it is told to`() async throws {
    let container = try await people()
    try await container.root.perform { context in
      context.reset()
      // begin prefetching
      let request = Person.where { $0.age < 10 }.prefetching { $0.company }
      for person in try context.fetch(request) {
        _ = person.company?.name  // loaded by the fetch, with one walk for all of them
      }
      // end
      context.reset()
      // begin batches
      let everybody = try context.fetch(Person.all.sorted(by: \.name), inBatchesOf: 100)
      for person in everybody.prefix(50) { _ = person.score }  // one batch is loaded
      // end
      #expect(everybody.count == 1_000)
      #expect(context.registeredObjects.count <= 110)
      context.reset()
      // begin faults
      var unloaded = Person.where { $0.age < 10 }
      unloaded.includesPropertyValues = false
      let faults = try context.fetch(unloaded)  // IDs from the index, no record
      // end
      #expect(faults.allSatisfy { $0.isFault })
    }
  }

  @Test func `walks a large result in little memory`() async throws {
    let container = try await people()
    // begin cache
    let worker = container.newBackgroundContext()
    try await worker.perform { context in
      context.cacheByteBudget = 8 << 20
      let all = try context.fetch(Person.all, inBatchesOf: 1_000)
      for index in all.indices { all[index].score += 1 }
      try context.save()
    }
    // end
    let least = try await worker.perform { try $0.minimum(Person.all, of: \.score) }
    #expect(least == 1)
  }

  @Test func `saves many changes at once`() async throws {
    let container = try await people()
    // begin importing
    let importer = ContextQueue(parent: container.coordinator)
    let names = (1...5_000).map { "Imported \($0)" }
    for start in stride(from: 0, to: names.count, by: 1_000) {
      try await importer.perform { context in
        for name in names[start..<min(start + 1_000, names.count)] {
          Person(context: context).name = name
        }
      }
      try await importer.save()
      try await importer.perform { $0.reset() }  // lets the saved objects go
    }
    // end
    let count = try await importer.perform { try $0.count(Person.all) }
    #expect(count == 6_000)
  }

  /// A store with 1,000 people, 50 to a company.
  private func people() async throws -> PersistentContainer {
    let container = try PersistentContainer(
      inMemory: ManagedObjectModel(Person.self, Company.self))
    let queue = ContextQueue(parent: container.coordinator)
    try await queue.perform { context in
      for number in 0..<20 {
        let company = Company(context: context)
        company.name = "Company \(number)"
        for index in 0..<50 {
          let person = Person(context: context)
          let serial = number * 50 + index
          (person.name, person.age, person.company) = (
            "Person \(serial)", serial * 7 % 100, company
          )
          person.score = Double(serial) / 1_000
        }
      }
    }
    try await queue.save()
    return container
  }
}
