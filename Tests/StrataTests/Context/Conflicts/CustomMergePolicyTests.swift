// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Synchronization
import Testing

/// A city, "a" with population 1, which the root has changed to "ours" and 10 and another root has
/// saved as "theirs" and 100.
private struct Overtaken {
  let container: PersistentContainer
  let id: ObjectID

  init() throws {
    container = try geography()
    let id = try container.root.performAndWait { context in
      let city = context.city("a", population: 1)
      try context.save()
      city.name = "ours"
      city.population = 10
      return city.objectID
    }
    self.id = id
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      let city = try context.existingObject(City.self, with: id)
      city.name = "theirs"
      city.population = 100
      try context.save()
    }
  }

  func save(_ decide: @escaping @Sendable (MergePolicy.Conflict) -> MergePolicy.Decision) throws {
    try container.root.performAndWait { context in
      context.mergePolicy = .custom("test", resolve: decide)
      try context.save()
    }
  }

  /// Name and population in the store, and in the root; nil for a city that is gone.
  func values() throws -> [String?] {
    let (id, coordinator) = (id, container.coordinator)
    return try [ContextQueue(parent: coordinator), container.root].map { queue in
      try queue.performAndWait { context in
        (try? context.existingObject(City.self, with: id)).map { "\($0.name) \($0.population)" }
      }
    }
  }
}

@Suite struct `A merge policy of the program's own` {
  @Test func `sees base, ours and theirs, and gives values property by property`() throws {
    let overtaken = try Overtaken()
    let id = overtaken.id
    try overtaken.save { conflict in
      guard conflict.objectID == id, conflict.ourChanges == ["name", "population"],
        conflict.theirChanges == ["name", "population"], conflict.entity == "City",
        conflict.baseValues?["name"] == .string("a"),
        case .int(let base)? = conflict.baseValues?["population"],
        case .int(let ours)? = conflict.ourValues?["population"],
        case .int(let theirs)? = conflict.theirValues?["population"]
      else { return .fail }
      return .values(
        ["population": .int(ours + theirs - base)], others: .mergeByPropertyStoreTrump)
    }
    #expect(try overtaken.values() == ["theirs 109", "theirs 109"])
    let found = try overtaken.container.root.performAndWait {
      try $0.fetchIDs(City.where { $0.population == 109 })
    }
    #expect(found == [id], "the indexes have it")
  }

  @Test func `may fail`() throws {
    let overtaken = try Overtaken()
    do {
      try overtaken.save { _ in .fail }
      Issue.record("the save went through")
    } catch StoreError.conflicts(let conflicts) {
      #expect(conflicts.map(\.objectID) == [overtaken.id])
    }
    #expect(try overtaken.values() == ["theirs 100", "ours 10"])
  }

  @Test func `may keep theirs, take ours or delete`() throws {
    var overtaken = try Overtaken()
    try overtaken.save { _ in .keepTheirs }
    #expect(try overtaken.values() == ["theirs 100", "theirs 100"])
    overtaken = try Overtaken()
    try overtaken.save { _ in .takeOurs }
    #expect(try overtaken.values() == ["ours 10", "ours 10"])
    overtaken = try Overtaken()
    try overtaken.save { _ in .delete }
    #expect(try overtaken.values() == [nil, nil])
  }

  @Test func `may leave a conflict to another policy`() throws {
    let overtaken = try Overtaken()
    let inner = MergePolicy.custom("inner") { _ in .apply(.mergeByPropertyStoreTrump) }
    try overtaken.save { _ in .apply(inner) }
    #expect(try overtaken.values() == ["theirs 100", "theirs 100"])
  }

  @Test func `is asked of each conflict by itself`() throws {
    let container = try geography()
    let ids = try container.root.performAndWait { context in
      let ids = ["a", "b"].map { context.city($0).objectID }
      try context.save()
      for id in ids { try context.existingObject(City.self, with: id).name = "ours" }
      return ids
    }
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      for id in ids { try context.existingObject(City.self, with: id).name = "theirs" }
      try context.save()
    }
    try container.root.performAndWait { context in
      context.mergePolicy = .custom("one each") { $0.objectID == ids[0] ? .takeOurs : .keepTheirs }
      try context.save()
      let names = try ids.map { try context.existingObject(City.self, with: $0).name }
      #expect(names == ["ours", "theirs"])
    }
  }

  @Test func `brings an object back only if the policy for the rest does`() throws {
    for (others, name) in [
      (MergePolicy.overwrite, "merged"), (.mergeByPropertyObjectTrump, nil),
    ] {
      let container = try geography()
      let id = try container.root.performAndWait { context in
        let city = context.city("a")
        try context.save()
        city.name = "ours"
        return city.objectID
      }
      try ContextQueue(parent: container.coordinator).performAndWait { context in
        context.delete(try context.existingObject(City.self, with: id))
        try context.save()
      }
      try container.root.performAndWait { context in
        context.mergePolicy = .custom("back") { _ in
          .values(["name": .string("merged")], others: others)
        }
        try context.save()
      }
      let found = try ContextQueue(parent: container.coordinator).performAndWait { context in
        (try? context.existingObject(City.self, with: id))?.name
      }
      #expect(found == name)
    }
  }

  @Test(arguments: [false, true])
  func `is asked at the level at which the change meets another`(isInSave: Bool) throws {
    let container = try geography()
    let worker = container.newBackgroundContext()
    let id = try container.root.performAndWait { context in
      let id = context.city("a").objectID
      try context.save()
      return id
    }
    try worker.performAndWait { context in
      context.mergePolicy = .custom("the worker's") { _ in .values(["name": .string("worker")]) }
      try context.existingObject(City.self, with: id).name = "ours"
    }
    func overtake() throws {
      try ContextQueue(parent: container.coordinator).performAndWait { context in
        try context.existingObject(City.self, with: id).name = "theirs"
        try context.save()
      }
    }
    if !isInSave { try overtake() }
    try worker.performAndWait { try $0.save() }
    if isInSave { try overtake() }
    try container.root.performAndWait { context in
      context.mergePolicy = .custom("the root's") { _ in .values(["name": .string("root")]) }
      try context.save()
      let name = try context.existingObject(City.self, with: id).name
      #expect(name == (isInSave ? "root" : "worker"))
    }
  }

  @Test func `is equal to its copies alone`() {
    let policy = MergePolicy.custom("one") { _ in .fail }
    let copy = policy
    #expect(policy == copy)
    #expect(policy != .custom("one") { _ in .fail })
    #expect(policy != .error)
    #expect(policy.description == "one")
    #expect(MergePolicy.mergeByPropertyStoreTrump.description == "mergeByPropertyStoreTrump")
  }
}

private struct Wrong: Sendable, CustomTestStringConvertible {
  let property: String
  let value: PropertyValue
  let cause: MergePolicy.Mistake.Cause

  var testDescription: String { property }
}

private let wrongValues = [
  Wrong(property: "size", value: .int(1), cause: .unknownProperty(property: "size")),
  Wrong(
    property: "population", value: .string("many"), cause: .unfitValue(property: "population")),
  Wrong(property: "population", value: .uint(.max), cause: .unfitValue(property: "population")),
  Wrong(property: "name", value: .data(Data([1])), cause: .unfitValue(property: "name")),
  Wrong(property: "country", value: .int(1), cause: .unfitValue(property: "country")),
]

@Suite struct `What a merge policy may not decide` {
  private func mistakes(
    _ overtaken: Overtaken,
    _ decide: @escaping @Sendable (MergePolicy.Conflict) -> MergePolicy.Decision
  ) throws -> [MergePolicy.Mistake] {
    do {
      try overtaken.save(decide)
      Issue.record("the save went through")
      return []
    } catch StoreError.mergePolicyMistakes(let mistakes) {
      #expect(try overtaken.values() == ["theirs 100", "ours 10"], "nothing was written")
      return mistakes
    }
  }

  @Test(arguments: wrongValues)
  private func `is a property that is not there, or a value that does not fit`(
    _ wrong: Wrong
  ) throws {
    let overtaken = try Overtaken()
    let found = try mistakes(overtaken) { _ in .values([wrong.property: wrong.value]) }
    #expect(found.map(\.cause) == [wrong.cause])
    #expect(found.map(\.objectID) == [overtaken.id])
    #expect(found.map(\.policy) == ["test"])
    // And the context is as good as before.
    try overtaken.save { _ in .values(["name": .string("mended"), "country": .null]) }
    #expect(try overtaken.values() == ["mended 10", "mended 10"])
  }

  @Test func `is reported whole`() throws {
    let found = try mistakes(try Overtaken()) { _ in
      .values(["size": .int(1), "population": .bool(true), "name": .string("fits")])
    }
    #expect(
      found.map(\.cause) == [
        .unfitValue(property: "population"), .unknownProperty(property: "size"),
      ])
    #expect(StoreError.mergePolicyMistakes(found).description.contains("size"))
  }

  @Test func `is an object of another entity or store`() throws {
    let overtaken = try Overtaken()
    let id = overtaken.id
    var found = try mistakes(overtaken) { _ in .values(["country": .object(id)]) }
    #expect(found.map(\.cause) == [.unfitValue(property: "country")])
    let foreign = try geography().root.performAndWait { $0.country("IR").objectID }
    found = try mistakes(overtaken) { _ in .values(["country": .object(foreign)]) }
    #expect(found.map(\.cause) == [.unfitValue(property: "country")])
  }

  @Test func `is a link to an object that is not there, or a value that must be unique`() throws {
    let overtaken = try Overtaken()
    let missing = try overtaken.container.root.performAndWait { context in
      let country = context.country("IR")
      let id = country.objectID
      context.delete(country)
      return id
    }
    do {
      try overtaken.save { _ in .values(["country": .object(missing)]) }
      Issue.record("the save went through")
    } catch StoreError.danglingLinks(let links) {
      #expect(links.map(\.target) == [missing])
    }
    let container = try geography()
    let id = try container.root.performAndWait { context in
      context.country("IQ")
      let country = context.country("IR")
      try context.save()
      country.name = "ours"
      return country.objectID
    }
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      try context.existingObject(Country.self, with: id).name = "theirs"
      try context.save()
    }
    try container.root.performAndWait { context in
      context.mergePolicy = .custom("twice") { _ in .values(["iso": .string("IQ")]) }
      do {
        try context.save()
        Issue.record("the save went through")
      } catch StoreError.uniquenessViolations(let violations) {
        #expect(violations.map(\.objectID) == [id])
      }
    }
  }

  @Test func `is a to-many relationship, or one end of a one-to-one relationship alone`() throws {
    let container = try geography()
    let (id, free) = try container.root.performAndWait { context in
      let country = context.country("IR")
      let free = Government(context: context)
      try context.save()
      country.name = "ours"
      return (country.objectID, free.objectID)
    }
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      try context.existingObject(Country.self, with: id).name = "theirs"
      try context.save()
    }
    try container.root.performAndWait { context in
      context.mergePolicy = .custom("ends") { _ in
        .values(["cities": .null, "government": .object(free)])
      }
      do {
        try context.save()
        Issue.record("the save went through")
      } catch StoreError.mergePolicyMistakes(let mistakes) {
        #expect(
          mistakes.map(\.cause) == [
            .toManyRelationship(property: "cities"), .oneToOneRelationship(property: "government"),
          ])
      }
      context.mergePolicy = .custom("theirs") { .values(($0.theirValues ?? [:])) }
      try context.save()
      let name = try context.existingObject(Country.self, with: id).name
      #expect(name == "theirs", "all of their values may be given back")
    }
  }

  @Test func `is to refer to itself without end`() throws {
    // A policy can only reach itself through something that changes.
    let cell = Mutex<MergePolicy>(.error)
    let policy = MergePolicy.custom("circle") { _ in .apply(cell.withLock { $0 }) }
    cell.withLock { $0 = policy }
    let found = try mistakes(try Overtaken()) { _ in .apply(policy) }
    #expect(found.map(\.cause) == [.endless])
    cell.withLock { $0 = .error }
  }
}
