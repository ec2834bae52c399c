// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Strata
import Testing

private let policies: [MergePolicy] = [
  .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
]

extension MergePolicy {
  fileprivate var isOurs: Bool { self == .overwrite || self == .mergeByPropertyObjectTrump }
}

/// A federation whose store has Iran, made by another root.
private struct Rivals {
  let container: PersistentContainer
  let stored: ObjectID

  init(_ policy: MergePolicy) throws {
    container = try republic()
    stored = try ContextQueue(parent: container.coordinator).performAndWait { context in
      let nation = context.nation("IR", name: "stored", population: 1)
      context.seat(1, of: nation, holder: "stored")
      try context.save()
      return nation.objectID
    }
    try container.root.performAndWait { $0.mergePolicy = policy }
  }

  /// Reads the stored values.
  func read<T: Sendable>(
    _ body: @Sendable (ManagedObjectContext) throws -> sending T
  ) throws -> T {
    try ContextQueue(parent: container.coordinator).performAndWait(body)
  }
}

@Suite struct `A new object with a unique value that the store has` {
  /// Depth 0: the root itself has inserted it; 2: a grandchild of it.
  @Test(arguments: policies, [0, 2])
  private func `gives way to the stored one, which takes values as the policy says`(
    _ policy: MergePolicy, depth: Int
  ) async throws {
    let rivals = try Rivals(policy)
    let root = rivals.container.root
    var levels = [root]
    for _ in 0..<depth { levels.append(ContextQueue(parent: try #require(levels.last))) }
    let new = try await levels[depth].perform { $0.nation("IR", name: "new").objectID }
    for level in levels.dropFirst().reversed() { try await level.save() }
    if policy == .error {
      do {
        try await root.save()
        Issue.record("the save went through")
      } catch StoreError.uniquenessViolations(let violations) {
        #expect(
          violations.map(\.properties) == [["iso"]] && violations[0].objectID == new
            && violations[0].existing == rivals.stored)
      }
      return
    }
    let log = MessageLog(root.layer)
    try await root.perform { context in
      let loser = try context.existingObject(Nation.self, with: new)
      let survivor = try context.existingObject(Nation.self, with: rivals.stored)
      #expect(survivor.name == "stored")
      try context.save()
      #expect(!context.hasChanges)
      #expect(loser.managedObjectContext == nil)
      #expect(survivor.name == (policy.isOurs ? "new" : "stored"), "it is refreshed")
    }
    let saved = try #require(log.messages(.didSave).last?.objects)
    #expect(!saved.inserted.contains(new))
    #expect(saved.updated.contains(rivals.stored) == policy.isOurs)
    let found = try rivals.read { context in
      try context.fetch(Nation.all).map { "\($0.objectID) \($0.name ?? "") \($0.population)" }
    }
    let (name, population) =
      switch policy {
      case .overwrite: ("new", 0)
      case .mergeByPropertyObjectTrump: ("new", 1)
      default: ("stored", 1)
      }
    #expect(found == ["\(rivals.stored) \(name) \(population)"])
  }

  @Test(arguments: policies.dropFirst())
  private func `leaves all that leads to it to the stored one`(_ policy: MergePolicy) throws {
    let rivals = try Rivals(policy)
    try rivals.container.root.performAndWait { context in
      let new = context.nation("IR", name: "new")
      let borough = Borough(context: context)
      borough.nation = new
      context.seat(2, of: new)
      let label = Label(context: context)
      label.nations.insert(new)
      let ally = context.nation("IQ")
      ally.allies.insert(new)
      let tour = Tour(context: context)
      tour.start = new
      tour.stops.append(context.nation("AM"))
      tour.stops.append(new)
      tour.stops.append(ally)
      let flag = Flag(context: context)
      flag.nation = new
      try context.save()
      #expect(borough.nation?.objectID == rivals.stored)
      #expect(label.nations.objectIDs == [rivals.stored])
      #expect(tour.start?.objectID == rivals.stored)
    }
    try rivals.read { context in
      let nation = try context.existingObject(Nation.self, with: rivals.stored)
      #expect(nation.boroughs.count == 1)
      #expect(Set(nation.seats.map(\.number)) == [1, 2])
      #expect(nation.labels.count == 1)
      #expect(nation.labels.first { $0.nations.contains(nation) } != nil)
      #expect(nation.allies.map(\.iso) == ["IQ"])
      let ally = try #require(try context.nation(coded: "IQ"))
      #expect(ally.allies.map(\.iso) == ["IR"])
      let tour = try #require(try context.fetch(Tour.all).first)
      #expect(tour.start === nation)
      #expect(tour.stops.map(\.iso) == ["AM", "IR", "IQ"])
      let flag = try #require(try context.fetch(Flag.all).first)
      // Of one-to-one partners the policy keeps one, and the store has none.
      #expect(nation.flag === (policy.isOurs ? flag : nil))
      #expect(flag.nation === nation.flag?.nation)
    }
  }

  @Test(arguments: policies.dropFirst())
  private func `makes others collide that are unique together with it`(
    _ policy: MergePolicy
  ) throws {
    let rivals = try Rivals(policy)
    try rivals.container.root.performAndWait { context in
      let new = context.nation("IR")
      context.seat(1, of: new, holder: "new")
      context.seat(2, of: new, holder: "second")
      try context.save()
    }
    let seats = try rivals.read { context in
      try context.fetch(Seat.all).map { "\($0.number ?? 0) \($0.holder ?? "")" }.sorted()
    }
    #expect(seats == [policy.isOurs ? "1 new" : "1 stored", "2 second"])
  }

  @Test func `of another entity of the hierarchy hands over the common properties`() throws {
    let container = try republic()
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      let athlete = Athlete(context: context)
      athlete.email = "a@b"
      athlete.goals = 7
      try context.save()
    }
    try container.root.performAndWait { context in
      context.mergePolicy = .mergeByPropertyObjectTrump
      let coach = Coach(context: context)
      coach.email = "a@b"
      coach.club = "Persepolis"
      coach.team = "first"
      try context.save()
      let members = try context.fetch(Athlete.all)
      #expect(members.map(\.goals) == [7])
      #expect(members.map(\.club) == ["Persepolis"])
      let coaches = try context.count(Coach.all)
      #expect(coaches == 0)
    }
  }

  @Test func `is decided by a custom policy as a conflict without a base`() throws {
    let rivals = try Rivals(
      .custom("the larger name") { conflict in
        #expect(conflict.baseValues == nil)
        #expect(conflict.ourValues?["name"] == .string("new"))
        #expect(conflict.theirValues?["name"] == .string("stored"))
        return .values(["name": .string("both")], others: .rollback)
      })
    try rivals.container.root.performAndWait { context in
      context.nation("IR", name: "new", population: 5)
      try context.save()
    }
    let found = try rivals.read {
      try $0.fetch(Nation.all).map { "\($0.name ?? "") \($0.population)" }
    }
    #expect(found == ["both 1"])
    try rivals.container.root.performAndWait { context in
      context.mergePolicy = .custom("fails") { _ in .fail }
      context.nation("IR", name: "newer")
      #expect { try context.save() } throws: { $0.isUniquenessViolation }
    }
  }
}

@Suite struct `Objects of one save with one unique value` {
  @Test(arguments: policies)
  private func `become the first of them, if they are new`(_ policy: MergePolicy) throws {
    let container = try republic()
    let first = try container.root.performAndWait { context in
      context.mergePolicy = policy
      let first = context.nation("IR", name: "first", population: 1)
      for name in ["second", "third"] {
        let borough = Borough(context: context)
        borough.nation = context.nation("IR", name: name)
      }
      return first.objectID
    }
    if policy == .error {
      #expect { try container.root.performAndWait { try $0.save() } } throws: {
        $0.isUniquenessViolation
      }
      return
    }
    try container.root.performAndWait { try $0.save() }
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      let nations = try context.fetch(Nation.all)
      #expect(nations.map(\.objectID) == [first])
      #expect(nations[0].name == (policy.isOurs ? "third" : "first"))
      #expect(nations[0].population == (policy == .overwrite ? 0 : 1))
      #expect(nations[0].boroughs.count == 2)
    }
  }

  @Test(arguments: policies)
  private func `keep their values, or fail, if the store has both`(_ policy: MergePolicy) throws {
    let rivals = try Rivals(policy)
    let other = try rivals.container.root.performAndWait { context in
      let nation = context.nation("IQ", name: "other")
      try context.save()
      nation.iso = "IR"
      nation.name = "changed"
      return nation.objectID
    }
    if policy == .error || policy.isOurs {
      do {
        try rivals.container.root.performAndWait { try $0.save() }
        Issue.record("the save went through")
      } catch StoreError.uniquenessViolations(let violations) {
        #expect(violations.map(\.objectID) == [other])
        #expect(violations.map(\.existing) == [rivals.stored])
      }
      return
    }
    try rivals.container.root.performAndWait { context in
      try context.save()
      let nation = try context.existingObject(Nation.self, with: other)
      #expect(nation.iso == "IQ")
      #expect(nation.name == (policy == .rollback ? "other" : "changed"))
    }
    #expect(
      try rivals.read { try $0.fetch(Nation.all).compactMap(\.iso).sorted() } == ["IQ", "IR"])
  }

  @Test(arguments: policies)
  private func `may swap values, and take that of a deleted one`(_ policy: MergePolicy) throws {
    let container = try republic()
    try container.root.performAndWait { context in
      context.mergePolicy = policy
      let (one, two) = (context.nation("A", name: "1"), context.nation("B", name: "2"))
      let three = context.nation("C", name: "3")
      try context.save()
      (one.iso, two.iso) = ("B", "A")
      context.delete(three)
      context.nation("C", name: "4")
      try context.save()
      let names = try context.fetch(Nation.all.sorted(by: \.iso)).map { $0.name ?? "" }
      #expect(names == ["2", "1", "4"])
    }
  }
}

@Suite struct `What is unique together` {
  private func violations(
    _ body: @Sendable (ManagedObjectContext) throws -> Void
  ) throws -> [[String]] {
    let container = try republic()
    return try container.root.performAndWait { context in
      try body(context)
      do {
        try context.save()
        return []
      } catch StoreError.uniquenessViolations(let violations) {
        return violations.map(\.properties).sorted { $0.count < $1.count }
      }
    }
  }

  @Test func `may repeat in parts, and with nil in one`() throws {
    let found = try violations { context in
      let (one, two) = (context.nation("A"), context.nation("B"))
      context.seat(1, of: one)
      context.seat(2, of: one)
      context.seat(1, of: two)
      for _ in 0..<2 {
        context.seat(nil, of: one)
        context.seat(1, of: nil)
        context.seat(nil, of: nil)
      }
    }
    #expect(found.isEmpty)
  }

  @Test func `is refused as a whole, by a sentence that names all`() throws {
    let found = try violations { context in
      let one = context.nation("A")
      context.seat(1, of: one)
      context.seat(1, of: one)
    }
    #expect(found == [["nation", "number"]])
    let id = try republic().root.performAndWait { $0.nation("A").objectID }
    let sentence = StoreError.UniquenessViolation(
      objectID: id, entity: "Seat", properties: ["nation", "number"], existing: id
    ).description
    #expect(sentence.hasPrefix("The properties nation and number of Seat "))
  }

  @Test func `is so over a hierarchy, by each entity's own constraints`() throws {
    let found = try violations { context in
      let athlete = Athlete(context: context)
      (athlete.club, athlete.number) = ("P", 1)
      let coach = Coach(context: context)
      (coach.club, coach.number, coach.rank) = ("P", 1, .first)
      let second = Coach(context: context)
      (second.club, second.number, second.rank) = ("P", 2, .first)
    }
    #expect(Set(found) == [["club", "number"], ["club", "rank"]])
  }

  @Test func `holds beyond the bytes of a key`() throws {
    let long = String(repeating: "x", count: 300)
    let found = try violations { context in
      for (suffix, number) in [("a", 1), ("b", 1), ("a", 2)] {
        let athlete = Athlete(context: context)
        (athlete.club, athlete.number) = (long + suffix, number)
      }
    }
    #expect(found.isEmpty)
    let same = try violations { context in
      for _ in 0..<2 {
        let athlete = Athlete(context: context)
        (athlete.club, athlete.number) = (long, 1)
      }
    }
    #expect(same == [["club", "number"]])
  }
}

@Suite struct `A policy of the program's own that deletes at a constraint` {
  @Test func `is refused where the store has the object`() throws {
    let rivals = try Rivals(.custom("delete") { _ in .delete })
    try rivals.container.root.performAndWait { context in
      let new = context.nation("IR", name: "new")
      do {
        try context.save()
        Issue.record("the save went through")
      } catch StoreError.uniquenessViolations(let violations) {
        #expect(violations.map(\.objectID) == [new.objectID])
        #expect(violations.map(\.existing) == [rivals.stored])
      }
    }
    let names = try rivals.read { try $0.fetch(Nation.all).map(\.name) }
    #expect(names == ["stored"])
  }

  @Test func `deletes new objects that conflict with each other`() throws {
    let container = try republic()
    try container.root.performAndWait { context in
      context.mergePolicy = .custom("delete") { _ in .delete }
      context.nation("IR")
      context.nation("IR")
      context.nation("IQ")
      try context.save()
      #expect(try context.fetch(Nation.all).map(\.iso) == ["IQ"])
    }
  }
}

/// A stored object gives its value up for one that a third object has, so the policy gives it its
/// own value back. By then others have taken that value.
@Suite struct `A unique value that its owner gives up and gets back` {
  @Test(arguments: [MergePolicy.rollback, .mergeByPropertyStoreTrump], [1, 2])
  func `is the owner's again before new objects give way to it`(
    policy: MergePolicy, count: Int
  ) async throws {
    let rivals = try Rivals(policy)
    let root = rivals.container.root
    let (owner, taker) = try await root.perform { context in
      let (owner, taker) = (context.nation("IQ"), context.nation(nil))
      try context.save()
      return (owner.objectID, taker.objectID)
    }
    let boroughs = try await root.perform { context in
      try context.existingObject(Nation.self, with: owner).iso = "IR"
      try context.existingObject(Nation.self, with: taker).iso = "IQ"
      let boroughs = (0..<count).map { _ in
        let borough = Borough(context: context)
        borough.nation = context.nation("IQ")
        return borough.objectID
      }
      try context.save()
      return boroughs
    }
    try rivals.read { [stored = rivals.stored] context in
      let codes = try context.fetch(Nation.all).reduce(into: [:]) { $0[$1.objectID] = $1.iso ?? "" }
      #expect(codes == [stored: "IR", owner: "IQ", taker: ""])
      let kept = try context.existingObject(Nation.self, with: owner)
      #expect(Set(kept.boroughs.map(\.objectID)) == Set(boroughs))
    }
  }
}
