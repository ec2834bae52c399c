// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

private let policies: [MergePolicy] = [
  .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
  .custom("ours or theirs") { conflict in
    conflict.ourValues == nil ? .keepTheirs : .apply(.mergeByPropertyObjectTrump)
  },
]

/// Two contexts on one store that do random things, and save now and then by a random policy,
/// without reading the other's saves. After a refused save a context reverts everything.
private struct RandomHarbour: Model {
  var random: ModelRandom
  private let container: PersistentContainer
  private let contexts: [ManagedObjectContext]
  private var count = 0

  init(_ random: ModelRandom) throws {
    self.random = random
    let container = try republic()
    self.container = container
    contexts = (0..<2).map { _ in ManagedObjectContext(parent: container.coordinator) }
  }

  static var operations: [ModelOperation<RandomHarbour>] {
    [
      ModelOperation("edit", weight: 4) { try $0.edit($0.contexts[$0.random.below(2)]) },
      ModelOperation("save") { try $0.save() },
    ]
  }

  private mutating func edit(_ context: ManagedObjectContext) throws {
    count += 1
    let number = random.below(9)
    let port = random.pick(try context.fetch(Port.all))
    let ship = random.pick(try context.fetch(Ship.all))
    let sailor = random.pick(try context.fetch(Sailor.all))
    let choice = random.below(16)
    random.note("  \(choice) \(number)")
    switch choice {
    case 0, 1: context.port("P\(count)", code: number < 3 ? "\(number)" : nil)
    case 2: context.ship("S\(count)", tonnage: number, in: port)
    case 3: Barge(context: context).tanker = context.tanker("T\(count)", tonnage: number, in: port)
    case 4:
      let sailor = Sailor(context: context)
      sailor.wage = Double(number)
      ship?.crew.insert(sailor)
    case 5: ship?.port = number < 2 ? nil : port
    case 6: ship?.tonnage = number
    case 7: ship?.plate = number < 3 ? nil : "P\(count)"
    case 8: port?.name = "P\(count)"
    case 9: port?.code = number < 3 ? "\(number)" : nil
    case 10: sailor?.wage = Double(number)
    case 11: if let sailor { ship?.crew.insert(sailor) }
    case 12: if let sailor { ship?.crew.remove(sailor) }
    case 13: if number < 5, let ship { context.delete(ship) }
    case 14: if number < 3, let port { context.delete(port) }
    default: if number < 5, let sailor { context.delete(sailor) }
    }
  }

  private mutating func save() throws {
    let context = contexts[random.below(2)]
    context.mergePolicy = random.pick(policies) ?? .error
    do { try context.save() } catch is StoreError { context.rollback() }
    let reader = ManagedObjectContext(parent: container.coordinator)
    try expectNone(try reader.derivedMistakes())
  }

  mutating func finish() throws { try save() }
}

/// A root and a worker that change realms, towns and quarters, and save each change.
private struct NestedRealms: Model {
  var random: ModelRandom
  private let root: ContextQueue
  private let worker: ContextQueue
  private var count = 0

  init(_ random: ModelRandom) throws {
    self.random = random
    let container = try republic()
    (root, worker) = (container.root, container.newBackgroundContext())
    try root.performAndWait { $0.mergePolicy = .mergeByPropertyObjectTrump }
  }

  static var operations: [ModelOperation<NestedRealms>] {
    [
      ModelOperation("insert a realm") { try $0.insertRealm() },
      ModelOperation("insert a town", weight: 2) { try $0.insertTown() },
      ModelOperation("move a town") { try $0.moveTown() },
      ModelOperation("count people") { try $0.countPeople() },
      ModelOperation("rename a realm") { try $0.renameRealm() },
      ModelOperation("delete a town") { try $0.deleteTown() },
      ModelOperation("compare", weight: 2) { try $0.compare() },
    ]
  }

  mutating func finish() throws { try compare() }

  /// Edits one of the realms and one of the towns of a context, and saves it.
  private mutating func edit(
    in context: ContextQueue? = nil,
    _ body: @Sendable (ManagedObjectContext, Realm?, Town?) throws -> Void
  ) throws {
    let (realmNumber, townNumber) = (random.below(100), random.below(100))
    let context = context ?? (random.chance(2) ? root : worker)
    try context.performAndWait { context in
      let (realms, towns) = (try context.fetch(Realm.all), try context.fetch(Town.all))
      let realm = realms.isEmpty ? nil : realms[realmNumber % realms.count]
      let town = towns.isEmpty ? nil : towns[townNumber % towns.count]
      try body(context, realm, town)
      try context.save()
    }
  }

  private mutating func newName() -> String {
    count += 1
    return "N\(count)"
  }

  private mutating func insertRealm() throws {
    let name = newName()
    try edit { context, _, _ in context.realm(name) }
  }

  private mutating func insertTown() throws {
    let (name, people) = (newName(), Int32(random.below(9)))
    try edit { context, realm, _ in
      Quarter(context: context).town = context.town(name, people: people, in: realm)
    }
  }

  private mutating func moveTown() throws {
    let isLeaving = random.chance(5)
    try edit { _, realm, town in town?.realm = isLeaving ? nil : realm }
  }

  private mutating func countPeople() throws {
    let people = Int32(random.below(9))
    try edit { _, _, town in town?.people = people }
  }

  private mutating func renameRealm() throws {
    let name = newName()
    try edit { _, realm, _ in realm?.name = name }
  }

  private mutating func deleteTown() throws {
    guard random.chance(3) else { return }
    try edit(in: root) { context, _, town in
      if let town { context.delete(town) }
    }
  }

  /// Saves the root, and compares its values.
  private func compare() throws {
    try root.performAndWait { context in
      try context.save()
      for realm in try context.fetch(Realm.all) {
        let people = realm.towns.reduce(0) { $0 + Int($1.people) }
        try expectSame(realm.townCount, realm.towns.count, "towns of \(realm.name)")
        try expectSame(realm.people, people, "people of \(realm.name)")
      }
      for town in try context.fetch(Town.all) {
        try expectSame(town.realmName, town.realm?.name, "realm of \(town.name)")
        try expectSame(town.searchName, town.name.lowercased(), "search name of \(town.name)")
      }
      for quarter in try context.fetch(Quarter.all) {
        let town = quarter.town
        try expectSame(quarter.realmName, town?.realm?.name, "realm of \(town?.name ?? "none")")
      }
    }
  }
}

@Suite struct `Derived attributes in random work through nested contexts` {
  @Test func `equal a naive calculation`() async {
    let failure = await ModelTest(
      "nested realms", sequences: 4, steps: 150, make: NestedRealms.init
    ).firstFailure()
    #expect(failure == nil)
  }
}

@Suite struct `Every derived attribute in the store` {
  @Test func `is its definition after random saves of two contexts under every policy`() async {
    let failure = await ModelTest(
      "derived", sequences: 8, steps: 300, make: RandomHarbour.init
    ).firstFailure()
    #expect(failure == nil)
  }
}
